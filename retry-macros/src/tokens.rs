//! Helpers for tokens that nothing has parsed.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;

pub fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(found)) if found.as_char() == wanted)
}

pub fn is_word(token: Option<&TokenTree>, wanted: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(found)) if found == wanted)
}

pub fn is_braces(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

/// The span of the first token of a syntax tree.
pub fn first_span(tokens: &impl ToTokens) -> Span {
    let first = tokens.to_token_stream().into_iter().next();
    first.map_or_else(Span::call_site, |token| token.span())
}

/// The spans of the first token and the last.
pub fn ends(tokens: &TokenStream) -> (Span, Span) {
    let mut trees = tokens.clone().into_iter();
    let first = trees.next().map_or_else(Span::call_site, |token| token.span());
    (first, trees.last().map_or(first, |token| token.span()))
}

/// Takes away the invisible groups around all of `tokens`: a `$x:expr` fragment of
/// `macro_rules!` comes in one.
pub fn ungrouped(tokens: TokenStream) -> TokenStream {
    let mut trees = tokens.clone().into_iter();
    match (trees.next(), trees.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::None => {
            ungrouped(group.stream())
        }
        _ => tokens,
    }
}

/// The tokens without the invisible groups among them.
pub fn flat(tokens: TokenStream) -> Vec<TokenTree> {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Group(inner) if inner.delimiter() == Delimiter::None => flat(inner.stream()),
            other => vec![other],
        })
        .collect()
}

/// The text of tokens without their spaces, and without the line breaks that rustc
/// puts into long ones.
pub fn squeezed(tokens: &TokenStream) -> String {
    tokens.to_string().split_whitespace().collect()
}

/// The same delimiters, at the same place, around other tokens.
pub fn regrouped(group: &Group, tokens: TokenStream) -> Group {
    let mut changed = Group::new(group.delimiter(), tokens);
    changed.set_span(group.span());
    changed
}

/// Replaces tokens that are no groups, at any depth; `with` gives `None` for one that stays. A
/// group in which all stay is the same, with the places of its two delimiters.
pub fn replaced(
    tokens: TokenStream,
    with: &dyn Fn(&TokenTree) -> Option<TokenStream>,
) -> TokenStream {
    replacement(&tokens, with).unwrap_or(tokens)
}

fn replacement(
    tokens: &TokenStream,
    with: &dyn Fn(&TokenTree) -> Option<TokenStream>,
) -> Option<TokenStream> {
    let mut is_other = false;
    let mut each = |token: TokenTree| {
        let other = match &token {
            TokenTree::Group(group) => replacement(&group.stream(), with)
                .map(|inner| TokenTree::Group(regrouped(group, inner)).into()),
            token => with(token),
        };
        is_other |= other.is_some();
        other.unwrap_or_else(|| token.into())
    };
    let others: TokenStream = tokens.clone().into_iter().map(&mut each).collect();
    is_other.then_some(others)
}

/// The first word `wanted` in the tokens, at any depth.
pub fn word_in(tokens: &TokenStream, wanted: &str) -> Option<Ident> {
    tokens.clone().into_iter().find_map(|token| match token {
        TokenTree::Group(group) => word_in(&group.stream(), wanted),
        TokenTree::Ident(word) => (word == wanted).then_some(word),
        _ => None,
    })
}

/// Whether a value is written as a closure, whose parameters need no types: it begins
/// with `|` or `move`, also inside parentheses or a block.
pub fn is_closure(value: &TokenStream) -> bool {
    let tokens: Vec<TokenTree> = value.clone().into_iter().collect();
    match tokens.as_slice() {
        [TokenTree::Group(group)] if group.delimiter() != Delimiter::Bracket => {
            is_closure(&group.stream())
        }
        tokens => is_punct(tokens.first(), '|') || is_word(tokens.first(), "move"),
    }
}
