//! A result that borrows from a `&mut` parameter: the borrow would have to
//! outlive its attempt, and the next attempt would borrow again.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{FnArg, ReceiverKind, Type, TypeReference};

use crate::diagnostics::Errors;
use crate::function::Function;
use crate::messages;
use crate::parameters::{is_pinned_mutable, ungrouped};

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
    let inputs: Vec<Input> = function.signature.inputs.iter().map(Input::of).collect();

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
        let (is_receiver, ty) = match input {
            FnArg::Receiver(receiver) => match &receiver.kind {
                ReceiverKind::Reference(and, lifetime, mutability) => {
                    let lifetimes = match lifetime {
                        Some(lifetime) => Lifetimes {
                            named: vec![lifetime.ident.to_string()],
                            elided: None,
                            first: Some(and.span),
                        },
                        None => Lifetimes {
                            named: Vec::new(),
                            elided: Some(and.span),
                            first: Some(and.span),
                        },
                    };
                    let is_mutable = mutability.is_some();
                    return Input { is_receiver: true, is_reference: true, is_mutable, lifetimes };
                }
                ReceiverKind::Typed(_, ty) => (true, &**ty),
                _ => {
                    let lifetimes = Lifetimes::default();
                    return Input {
                        is_receiver: true,
                        is_reference: false,
                        is_mutable: false,
                        lifetimes,
                    };
                }
            },
            FnArg::Typed(typed) => (false, &*typed.ty),
        };
        let lifetimes = Lifetimes::of(ty.to_token_stream());
        match ungrouped(ty) {
            Type::Reference(TypeReference { and_token, lifetime, mutability, .. }) => {
                // The lifetime of the reference: what is behind it may be handed out.
                let lifetimes = match (mutability, lifetime) {
                    (Some(_), Some(lifetime)) => Lifetimes {
                        named: vec![lifetime.ident.to_string()],
                        elided: None,
                        first: Some(and_token.span),
                    },
                    _ => lifetimes,
                };
                let is_mutable = mutability.is_some();
                Input { is_receiver, is_reference: true, is_mutable, lifetimes }
            }
            ty => {
                let is_mutable = is_pinned_mutable(ty);
                Input { is_receiver, is_reference: is_mutable, is_mutable, lifetimes }
            }
        }
    }
}

impl Lifetimes {
    fn of(tokens: TokenStream) -> Lifetimes {
        let mut found = Lifetimes::default();
        found.add(tokens);
        found
    }

    fn add(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (index, token) in tokens.iter().enumerate() {
            let next = tokens.get(index + 1);
            match token {
                TokenTree::Group(group) => self.add(group.stream()),
                TokenTree::Punct(quote) if quote.as_char() == '\'' => {
                    let Some(TokenTree::Ident(name)) = next else { continue };
                    self.first.get_or_insert(quote.span());
                    match name.to_string().as_str() {
                        "_" => drop(self.elided.get_or_insert(quote.span())),
                        name => self.named.push(name.to_owned()),
                    }
                }
                TokenTree::Punct(and) if and.as_char() == '&' => {
                    self.first.get_or_insert(and.span());
                    let has_lifetime =
                        matches!(next, Some(TokenTree::Punct(quote)) if quote.as_char() == '\'');
                    if !has_lifetime {
                        self.elided.get_or_insert(and.span());
                    }
                }
                _ => {}
            }
        }
    }
}
