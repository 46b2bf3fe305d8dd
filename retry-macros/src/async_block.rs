//! The async block that is the body of a function without `async`: of one that
//! returns a boxed future or `impl Future`, and of what `#[async_trait]` makes.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

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
    pub annotation: Option<TokenStream>,
    /// The statements before the block inside the async block: `#[async_trait]`
    /// binds the parameters there.
    pub bindings: TokenStream,
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
    // The block of `#[async_trait]` binds the parameters, then runs the body in
    // the initialiser of a typed `let`.
    let tokens: Vec<TokenTree> = block.stream().into_iter().collect();
    let Some(Initialiser { start, colon, equals }) = typed_let(&tokens) else {
        return Some(Found {
            surroundings: Surroundings { layers },
            block,
            annotation: None,
            bindings: TokenStream::new(),
        });
    };
    let TokenTree::Group(attempt) = &tokens[equals + 1] else { return None };
    let attempt = attempt.clone();
    layers.push(Layer {
        before: tokens[start..=equals].to_vec(),
        group: block,
        after: tokens[equals + 2..].to_vec(),
    });
    Some(Found {
        surroundings: Surroundings { layers },
        block: attempt,
        annotation: Some(tokens[colon + 1..equals].iter().cloned().collect()),
        bindings: tokens[..start].iter().cloned().collect(),
    })
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

struct Initialiser {
    /// The index of `let`.
    start: usize,
    colon: usize,
    equals: usize,
}

/// `let __ret: R = { .. };` or, for no return type, `let _: () = { .. };`, as
/// `#[async_trait]` writes them.
fn typed_let(tokens: &[TokenTree]) -> Option<Initialiser> {
    let is = |index: usize, text: &str| tokens.get(index).is_some_and(|t| t.to_string() == text);
    let start = (0..tokens.len()).find(|&index| {
        is(index, "let") && (is(index + 1, "__ret") || is(index + 1, "_")) && is(index + 2, ":")
    })?;
    let equals = (start + 3..tokens.len()).find(|&index| {
        is(index, "=")
            && matches!(&tokens[index - 1], t if t.to_string() != "=")
            && matches!(tokens.get(index + 1), Some(TokenTree::Group(block)) if block.delimiter() == Delimiter::Brace)
    })?;
    Some(Initialiser { start, colon: start + 2, equals })
}
