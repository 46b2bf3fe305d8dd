//! A result that borrows from a `&mut` parameter: the borrow would have to
//! outlive its attempt, and the next attempt would borrow again.

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{FnArg, Lifetime, Receiver, ReceiverKind, Type, TypeReference};

use crate::diagnostics::Errors;
use crate::function::Function;
use crate::messages;
use crate::parameters::{pinned_mutable, ungrouped};
use crate::tokens::is_punct;

/// The lifetimes of a type, as it is written.
#[derive(Default)]
struct Lifetimes {
    named: Vec<String>,
    /// The place of a `&` without a lifetime, or of `'_`.
    elided: Option<Span>,
    first: Option<Span>,
}

pub fn check(function: &Function, errors: &mut Errors) {
    let Some(result) = function.result_type() else { return };
    let result = Lifetimes::of(result.to_token_stream());
    let Some(first) = result.first else { return };
    let inputs: Vec<Input> = function.header.signature.inputs.iter().map(Input::of).collect();

    let borrows = inputs.iter().filter(|input| input.is_mutable).any(|input| {
        input.lifetimes.named.iter().any(|name| name != "static" && result.named.contains(name))
    });
    // An elided lifetime of the result is that of `self`, or of the only one.
    let source = match inputs.iter().find(|input| input.is_receiver && input.is_reference) {
        Some(receiver) => Some(receiver),
        None => {
            let mut sources = inputs.iter().filter(|input| input.lifetimes.first.is_some());
            sources.next().filter(|_| sources.next().is_none())
        }
    };
    let elided = result.elided.filter(|_| source.is_some_and(|source| source.is_mutable));
    if borrows || elided.is_some() {
        errors.at(elided.unwrap_or(first), messages::borrows_from_mutable());
    }
}

struct Input {
    is_receiver: bool,
    is_reference: bool,
    /// `&mut T` or `Pin<&mut T>`.
    is_mutable: bool,
    /// Of the reference itself for `&mut`, or of the whole type.
    lifetimes: Lifetimes,
}

impl Input {
    fn of(input: &FnArg) -> Input {
        let ty = match input {
            FnArg::Typed(typed) => return Input::typed(&typed.ty, false),
            FnArg::Receiver(Receiver { kind, .. }) => match kind {
                ReceiverKind::Reference(and, lifetime, mutability) => {
                    return Input {
                        is_receiver: true,
                        is_reference: true,
                        is_mutable: mutability.is_some(),
                        lifetimes: Lifetimes::of_reference(and.span, lifetime.as_ref()),
                    };
                }
                ReceiverKind::Typed(_, ty) => &**ty,
                _ => {
                    return Input {
                        is_receiver: true,
                        is_reference: false,
                        is_mutable: false,
                        lifetimes: Lifetimes::default(),
                    };
                }
            },
        };
        Input::typed(ty, true)
    }

    fn typed(ty: &Type, is_receiver: bool) -> Input {
        let reference = match ungrouped(ty) {
            Type::Reference(reference) => Some(reference),
            ty => pinned_mutable(ty),
        };
        let mutable = reference.filter(|reference| reference.mutability.is_some());
        // Of a unique reference, its own lifetime alone: what is behind it may be
        // handed out for as long as that lives.
        let lifetimes = match mutable {
            Some(TypeReference { and_token, lifetime, .. }) => {
                Lifetimes::of_reference(and_token.span, lifetime.as_ref())
            }
            None => Lifetimes::of(ty.to_token_stream()),
        };
        let is_reference = reference.is_some();
        Input { is_receiver, is_reference, is_mutable: mutable.is_some(), lifetimes }
    }
}

impl Lifetimes {
    fn of(tokens: TokenStream) -> Lifetimes {
        let mut found = Lifetimes::default();
        found.add(tokens);
        found
    }

    fn of_reference(and: Span, lifetime: Option<&Lifetime>) -> Lifetimes {
        Lifetimes {
            named: lifetime.iter().map(|lifetime| lifetime.ident.to_string()).collect(),
            elided: lifetime.is_none().then_some(and),
            first: Some(and),
        }
    }

    fn add(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut index = 0;
        while let Some(token) = tokens.get(index) {
            let next = tokens.get(index + 1);
            match token {
                // The lifetimes that are elided there are the function's own.
                TokenTree::Ident(word) if is_call(word, next) => {
                    index = after_call(&tokens, index + 2);
                    continue;
                }
                TokenTree::Group(group) => self.add(group.stream()),
                TokenTree::Punct(quote) if quote.as_char() == '\'' => {
                    if let Some(TokenTree::Ident(name)) = next {
                        self.first.get_or_insert(quote.span());
                        match name.to_string().as_str() {
                            "_" => drop(self.elided.get_or_insert(quote.span())),
                            name => self.named.push(name.to_owned()),
                        }
                    }
                }
                TokenTree::Punct(and) if and.as_char() == '&' => {
                    self.first.get_or_insert(and.span());
                    if !is_punct(next, '\'') {
                        self.elided.get_or_insert(and.span());
                    }
                }
                _ => {}
            }
            index += 1;
        }
    }
}

/// Whether `word` and what follows it are `fn(..)`, `Fn(..)`, `AsyncFnMut(..)`.
fn is_call(word: &Ident, next: Option<&TokenTree>) -> bool {
    let word = word.to_string();
    let word = word.strip_prefix("Async").unwrap_or(&word);
    matches!(word, "fn" | "Fn" | "FnMut" | "FnOnce")
        && matches!(next, Some(TokenTree::Group(list)) if list.delimiter() == Delimiter::Parenthesis)
}

/// The index after the `-> R` that may stand at `index`.
fn after_call(tokens: &[TokenTree], mut index: usize) -> usize {
    if !(is_punct(tokens.get(index), '-') && is_punct(tokens.get(index + 1), '>')) {
        return index;
    }
    index += 2;
    let mut depth = 0;
    while let Some(token) = tokens.get(index) {
        let is = |wanted| is_punct(Some(token), wanted);
        let is_arrow = index > 0 && is_punct(tokens.get(index - 1), '-');
        match depth {
            0 if is(',') || is('+') || is('>') && !is_arrow => break,
            _ if is('<') => depth += 1,
            _ if is('>') && !is_arrow => depth -= 1,
            _ => {}
        }
        index += 1;
    }
    index
}
