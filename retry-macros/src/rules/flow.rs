//! The rule about control flow in the value of a key: the value is evaluated in the loop of the
//! attempts, which a `return` or `?` in it would leave without a decision.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};

use crate::arguments::Arguments;
use crate::diagnostics::Errors;
use crate::keys::Takes;
use crate::mentions::begins_closure;
use crate::messages;
use crate::tokens::{is_punct, is_word};

pub fn check(arguments: &Arguments, errors: &mut Errors) {
    for (key, argument) in arguments.iter() {
        if matches!(key.takes(), Takes::List | Takes::Name | Takes::Path) {
            continue;
        }
        if let Some((span, word)) = leaves(&argument.value, false) {
            errors.in_value(*key, span, messages::leaves_a_value(key.name(), word));
        }
    }
}

/// The first `return`, `?`, `break` or `continue` that would leave the value. Those of a closure,
/// an async block or a function in it do not, nor do `break` and `continue` of a loop in it; what
/// a macro does is not seen.
fn leaves(tokens: &TokenStream, in_loop: bool) -> Option<(Span, &'static str)> {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let before = |index: usize, back: usize| index.checked_sub(back).and_then(|i| tokens.get(i));
    let mut in_parameters = false;
    let mut has_fn = false;
    let mut in_closure = false;
    // The braces of a loop may follow its condition.
    let mut is_loop = in_loop;
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Punct(bar) if bar.as_char() == '|' && in_parameters => {
                in_parameters = false;
                in_closure = true;
            }
            TokenTree::Punct(bar) if bar.as_char() == '|' && begins_closure(before(index, 1)) => {
                in_parameters = true;
            }
            _ if in_parameters => {}
            TokenTree::Punct(end) if matches!(end.as_char(), ',' | ';') => {
                in_closure = false;
                is_loop = in_loop;
            }
            _ if in_closure => {}
            TokenTree::Punct(question) if question.as_char() == '?' => match before(index, 1) {
                None | Some(TokenTree::Punct(_)) => {}
                Some(_) => return Some((question.span(), "?")),
            },
            TokenTree::Ident(word) => match word.to_string().as_str() {
                "return" => return Some((word.span(), "return")),
                "break" | "continue" if is_punct(tokens.get(index + 1), '\'') => {}
                "break" if !in_loop => return Some((word.span(), "break")),
                "continue" if !in_loop => return Some((word.span(), "continue")),
                "loop" | "while" | "for" => is_loop = true,
                "fn" => has_fn = true,
                _ => {}
            },
            TokenTree::Group(group) => {
                let is_braces = group.delimiter() == Delimiter::Brace;
                let is_macro = is_punct(before(index, 1), '!');
                let is_async = is_word(before(index, 1), "async")
                    || (is_word(before(index, 1), "move") && is_word(before(index, 2), "async"));
                if !(is_macro || is_async || has_fn) {
                    if let Some(found) = leaves(&group.stream(), is_loop && is_braces) {
                        return Some(found);
                    }
                }
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    None
}
