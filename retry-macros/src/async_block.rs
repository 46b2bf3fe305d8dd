//! The async block that is the body of a function without `async`: of one that
//! returns a boxed future or `impl Future`, and of what `#[async_trait]` makes.

use std::ops::Range;

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use syn::parse::Parser;
use syn::{Expr, Stmt, Type};

use crate::tokens::{is_braces, is_punct, is_word, squeezed};

/// The groups around the block that holds an attempt's body, outermost first.
pub struct Surroundings {
    layers: Vec<Layer>,
}

/// A group with one group inside that is to be replaced.
struct Layer {
    before: Vec<TokenTree>,
    group: Group,
    after: Vec<TokenTree>,
}

/// A body, the block in it that an attempt runs, and what stands around that.
pub struct Found {
    pub surroundings: Surroundings,
    pub block: Group,
    /// The annotation that `#[async_trait]` puts before the block.
    pub annotation: Option<Type>,
    /// What `#[async_trait]` tells inference of the type before anything else.
    pub hint: TokenStream,
    /// The statements with which `#[async_trait]` binds the parameters.
    pub bindings: Vec<Stmt>,
}

impl Surroundings {
    /// Puts `block` where the attempt's block was, and `bindings` in front of it.
    pub fn around(self, mut block: Group, bindings: TokenStream) -> Group {
        let mut bindings = Some(bindings);
        for Layer { before, group, after } in self.layers.into_iter().rev() {
            let mut tokens: TokenStream = bindings.take().unwrap_or_default();
            tokens.extend(before);
            tokens.extend([TokenTree::Group(block)]);
            tokens.extend(after);
            block = Group::new(group.delimiter(), tokens);
            block.set_span(group.span());
        }
        block
    }
}

/// Looks for `async move { .. }` at the end of a body, alone or in `Box::pin(..)`
/// or before `.boxed()`.
pub fn find(body: &Group) -> Option<Found> {
    let mut layers = Vec::new();
    let block = descend(body, &mut layers)?;
    let Some(AsyncTrait { bindings, equals, annotation }) = of_async_trait(&block) else {
        let surroundings = Surroundings { layers };
        let (hint, bindings) = (TokenStream::new(), Vec::new());
        return Some(Found { surroundings, block, annotation: None, hint, bindings });
    };
    let tokens: Vec<TokenTree> = block.stream().into_iter().collect();
    let TokenTree::Group(attempt) = &tokens[equals + 1] else { return None };
    let attempt = attempt.clone();
    layers.push(Layer {
        before: tokens[bindings.end..=equals].to_vec(),
        group: block,
        after: tokens[equals + 2..].to_vec(),
    });
    let hint = tokens[..bindings.start].iter().cloned().collect();
    let bindings = statements(&tokens[bindings.start..bindings.end])?;
    let surroundings = Surroundings { layers };
    Some(Found { surroundings, block: attempt, annotation: Some(annotation), hint, bindings })
}

/// The async block at the end of `group`, and the layers down to it.
fn descend(group: &Group, layers: &mut Vec<Layer>) -> Option<Group> {
    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
    let end = match tokens.as_slice() {
        // `.boxed()`, `.boxed_local()`
        [.., TokenTree::Punct(dot), TokenTree::Ident(method), TokenTree::Group(list)]
            if dot.as_char() == '.'
                && (method == "boxed" || method == "boxed_local")
                && list.stream().is_empty() =>
        {
            tokens.len() - 3
        }
        // The trailing comma of an argument.
        [.., TokenTree::Punct(comma)] if comma.as_char() == ',' => tokens.len() - 1,
        _ => tokens.len(),
    };
    let (TokenTree::Group(last), before) = tokens[..end].split_last()? else { return None };
    let is_async = match before {
        [.., TokenTree::Ident(word), TokenTree::Ident(moves)] => word == "async" && moves == "move",
        [.., TokenTree::Ident(word)] => word == "async",
        _ => false,
    };
    let is_pin = matches!(before, [.., TokenTree::Punct(colon), TokenTree::Ident(pin)]
        if colon.as_char() == ':' && pin == "pin");
    let layer =
        Layer { before: before.to_vec(), group: group.clone(), after: tokens[end..].to_vec() };
    match last.delimiter() {
        Delimiter::Brace if is_async => {
            layers.push(layer);
            Some(last.clone())
        }
        Delimiter::Parenthesis if is_pin || before.is_empty() => {
            layers.push(layer);
            descend(last, layers)
        }
        Delimiter::None if before.is_empty() => {
            layers.push(layer);
            descend(last, layers)
        }
        _ => None,
    }
}

/// What `#[async_trait]` puts in its async block.
struct AsyncTrait {
    /// Its bindings of the parameters.
    bindings: Range<usize>,
    /// The `=` before the block of the user.
    equals: usize,
    annotation: Type,
}

/// The whole of what `#[async_trait]` writes, and nothing else: a body of the user's that
/// only begins like it is the user's.
///
/// Input:
/// ```text
/// if let ::core::option::Option::Some(__ret) = ::core::option::Option::None::<R> { .. }
/// let __self = self; let name = name; let (a, b) = { let __arg1 = __arg1; __arg1 };
/// let __ret: R = { BODY };
/// #[allow(unreachable_code)] __ret
/// ```
/// or, for a function without a return type, `let name = name; let _: () = { BODY };`.
fn of_async_trait(block: &Group) -> Option<AsyncTrait> {
    let tokens: Vec<TokenTree> = block.stream().into_iter().collect();
    let word = |index: usize, wanted| is_word(tokens.get(index), wanted);
    let punct = |index: usize, wanted| is_punct(tokens.get(index), wanted);
    let is_hint = |index: usize| {
        word(index, "if") && word(index + 1, "let") && {
            let pattern = tokens.get(index + 2..index + 16).unwrap_or_default();
            let pattern: TokenStream = pattern.iter().cloned().collect();
            squeezed(&pattern) == "::core::option::Option::Some(__ret)="
        }
    };
    let start = match is_hint(0) {
        true => tokens.iter().position(is_braces)? + 1,
        false => 0,
    };
    // The end of the bindings, and the annotated `let` after them.
    let name = if start > 0 { "__ret" } else { "_" };
    let end = (start..tokens.len())
        .find(|&index| word(index, "let") && word(index + 1, name) && punct(index + 2, ':'))?;
    let equals = (end + 3..tokens.len()).find(|&index| {
        punct(index, '=') && tokens.get(index + 1).is_some_and(is_braces) && punct(index + 2, ';')
    })?;
    let annotation: TokenStream = tokens[end + 3..equals].iter().cloned().collect();
    let rest: TokenStream = tokens[equals + 3..].iter().cloned().collect();
    let (rest, annotated) = (squeezed(&rest), squeezed(&annotation));
    let is_whole = match start {
        0 => annotated == "()" && rest.is_empty(),
        _ => rest == "#[allow(unreachable_code)]__ret",
    };
    let binds_only = statements(&tokens[start..end])?.iter().all(is_rebinding);
    let annotation = syn::parse2(annotation).ok()?;
    (is_whole && binds_only).then_some(AsyncTrait { bindings: start..end, equals, annotation })
}

fn statements(tokens: &[TokenTree]) -> Option<Vec<Stmt>> {
    syn::Block::parse_within.parse2(tokens.iter().cloned().collect()).ok()
}

/// Whether a statement binds a parameter anew, and does nothing else.
fn is_rebinding(statement: &Stmt) -> bool {
    match statement {
        Stmt::Local(local) => local
            .init
            .as_ref()
            .is_some_and(|init| init.diverge.is_none() && rebound(&init.expr).is_some()),
        _ => false,
    }
}

/// The parameter in `name` or `{ let name = name; name }`.
pub fn rebound(value: &Expr) -> Option<&Ident> {
    match value {
        Expr::Path(path) => path.path.get_ident(),
        Expr::Block(block) => match block.block.stmts.as_slice() {
            [first, Stmt::Expr(value, None)] if is_rebinding(first) => rebound(value),
            _ => None,
        },
        _ => None,
    }
}
