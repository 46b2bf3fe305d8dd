//! `retry_block!`: the keys of the attribute, and an async block in the middle of a function.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};

use crate::arguments::Arguments;
use crate::diagnostics::Errors;
use crate::expansion;
use crate::function::Function;
use crate::messages;
use crate::rules;
use crate::tokens::{is_braces, is_punct, is_word};

/// Input: `attempts = 4, budget = PAYMENTS, classify = classify_http, async { BODY }`
/// Output: an async block with the loop in it; or, where something is wrong, the block with
/// the values of the keys where nothing runs them, and an error for each mistake.
pub fn expand(tokens: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let mut tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let found = block(&mut tokens, &mut errors);
    let arguments = Arguments::parse(tokens.into_iter().collect(), &mut errors);
    let Some((keyword, block)) = found else { return errors.before(TokenStream::new()) };
    match rules::plan(&arguments, Function::of_block(keyword, block), errors) {
        Ok(plan) => expansion::write(plan, Span::mixed_site()),
        Err(mistaken) => {
            let (function, errors) = *mistaken;
            expansion::write_beside_errors(&arguments, function, errors, Span::mixed_site())
        }
    }
}

/// Takes the block at the end, and the comma before it.
fn block(tokens: &mut Vec<TokenTree>, errors: &mut Errors) -> Option<(Ident, Group)> {
    let end = tokens.last().map(TokenTree::span);
    if is_punct(tokens.last(), ',') {
        tokens.pop();
    }
    let Some(TokenTree::Group(block)) = last_if(tokens, is_braces) else {
        errors.at(end.unwrap_or_else(rules::attribute), messages::no_block());
        return None;
    };
    if let Some(TokenTree::Ident(word)) = last_if(tokens, |token| is_word(Some(token), "move")) {
        errors.at(word.span(), messages::block_moves());
    }
    let Some(TokenTree::Ident(keyword)) = last_if(tokens, |token| is_word(Some(token), "async"))
    else {
        errors.at(block.span_open(), messages::block_is_not_async());
        return None;
    };
    if !tokens.is_empty() && last_if(tokens, |token| is_punct(Some(token), ',')).is_none() {
        errors.at(keyword.span(), messages::missing_comma("async"));
    }
    Some((keyword, block))
}

/// Takes the last token away, if it is the one that is wanted.
fn last_if(
    tokens: &mut Vec<TokenTree>,
    is_wanted: impl FnOnce(&TokenTree) -> bool,
) -> Option<TokenTree> {
    if tokens.last().is_some_and(is_wanted) { tokens.pop() } else { None }
}
