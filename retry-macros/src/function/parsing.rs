//! Parses the annotated item: the signature whole, the body as far as its shape.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Signature, Visibility};

use super::{Attempt, BlockFuture, Body, Form, Function, Header};
use crate::async_block;
use crate::return_type;
use crate::tokens::regrouped;

pub(super) fn parse(input: ParseStream<'_>) -> syn::Result<Function> {
    let mut attributes = input.call(Attribute::parse_outer)?;
    let visibility: Visibility = input.parse()?;
    let is_default = input.fork().parse::<Ident>().is_ok_and(|word| word == "default");
    let defaultness = if is_default { Some(input.parse()?) } else { None };
    let signature: Signature = input.parse()?;
    let rest: TokenStream = input.parse()?;

    let mut trees = rest.clone().into_iter();
    let body = match (trees.next(), trees.next()) {
        (Some(TokenTree::Group(group)), None) => body_of(group, &signature, &mut attributes),
        _ => Body::None(rest),
    };
    let header = Header { attributes, visibility, defaultness, signature };
    Ok(Function { header, body, form: Form::Async })
}

fn body_of(group: Group, signature: &Signature, attributes: &mut Vec<Attribute>) -> Body {
    // `$body:block` of a `macro_rules!` comes in an invisible group.
    let group = match group.delimiter() {
        Delimiter::None => match group.stream().into_iter().next() {
            Some(TokenTree::Group(inner)) => inner,
            _ => group,
        },
        _ => group,
    };
    if signature.asyncness.is_some() {
        let block = without_inner_attributes(group, attributes);
        return Body::Async(Attempt { block, future: None });
    }
    let Some(found) = async_block::find(&group) else {
        return Body::Sync(without_inner_attributes(group, attributes));
    };
    let output = found
        .annotation
        .or_else(|| return_type::output_of_future(&signature.output).cloned())
        .map(Box::new);
    let (hint, bindings) = (found.hint, found.bindings);
    let (surroundings, block) = (found.surroundings, found.block);
    let future = Some(BlockFuture { surroundings, hint, bindings, output });
    Body::Async(Attempt { block, future })
}

/// Moves `#![..]` at the top of a body to the attributes of the function, where
/// it means the same: the body is no longer the function's first block.
fn without_inner_attributes(group: Group, attributes: &mut Vec<Attribute>) -> Group {
    let take = |input: ParseStream<'_>| {
        Ok((input.call(Attribute::parse_inner)?, input.parse::<TokenStream>()?))
    };
    let Ok((inner, rest)) = take.parse2(group.stream()) else { return group };
    if inner.is_empty() {
        return group;
    }
    attributes.extend(
        inner.into_iter().map(|attribute| Attribute { style: syn::AttrStyle::Outer, ..attribute }),
    );
    regrouped(&group, rest)
}

/// The keyword of an item that is no function.
pub(super) fn other_item(item: &TokenStream) -> Option<Ident> {
    const KEYWORDS: &[&str] = &[
        "struct",
        "enum",
        "union",
        "trait",
        "impl",
        "mod",
        "const",
        "static",
        "type",
        "use",
        "extern",
        "macro_rules",
    ];
    let skip = |input: ParseStream<'_>| {
        input.call(Attribute::parse_outer)?;
        input.parse::<Visibility>()?;
        input.parse::<TokenStream>()
    };
    let rest = skip.parse2(item.clone()).unwrap_or_else(|_| item.clone());
    let words: Vec<TokenTree> = rest.into_iter().take(4).collect();
    if words.iter().any(|word| word.to_string() == "fn") {
        return None;
    }
    words.into_iter().find_map(|word| match word {
        TokenTree::Ident(word) if KEYWORDS.iter().any(|keyword| word == keyword) => Some(word),
        _ => None,
    })
}
