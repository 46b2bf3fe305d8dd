//! Rules about the function.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{FnArg, Receiver, ReceiverKind, Type};

use crate::arguments::{Argument, Arguments, mutable_word, words};
use crate::diagnostics::Errors;
use crate::function::{Body, Function, fn_span};
use crate::keys::Key;
use crate::mentions::{has_word, mentions};
use crate::messages;
use crate::parameters::{Binding, Kind, pinned_mutable, ungrouped};
use crate::plan::Passing;
use crate::tokens::first_span;

mod borrows;
mod receiver;

pub use receiver::passing as receiver;

/// What an attempt gives; reports a function that gives nothing to classify.
pub fn result(function: &Function, errors: &mut Errors) -> Option<Type> {
    let ty = function.result_type();
    match (&function.body, ty) {
        (_, Some(Type::Never(never))) => {
            errors.at(first_span(never), messages::never_returns());
        }
        (Body::Async(attempt), None) if attempt.future.is_some() => {
            errors.over(
                &function.header.signature.output.to_token_stream(),
                fn_span(function),
                messages::output_unseen(),
            );
        }
        _ => {}
    }
    ty.cloned()
}

pub fn check(function: &Function, errors: &mut Errors) {
    if let Some(second) = function.header.repeated_attribute() {
        errors.at(first_span(&second.path()), messages::repeated_attribute());
    }
    let signature = &function.header.signature;
    let name = signature.ident.span();
    match &function.body {
        Body::None(_) => errors.at(name, messages::no_body()),
        Body::Sync(_) => match &signature.constness {
            Some(word) => errors.at(word.span, messages::const_function()),
            None if returns_future(function) => {
                errors.at(fn_span(function), messages::future_not_recognised());
            }
            None => errors.at(fn_span(function), messages::not_async()),
        },
        Body::Async(_) => {
            if let Some(word) = signature.constness.filter(|_| function.is_async_fn()) {
                errors.at(word.span, messages::const_function());
            }
        }
    }
    if let Some(receiver) = signature.receiver() {
        if is_by_value(receiver) {
            errors.at(receiver.self_token.span, messages::self_by_value());
        }
    }
    for input in &signature.inputs {
        let attributes = match input {
            FnArg::Typed(typed) => &typed.attrs,
            FnArg::Receiver(receiver) => &receiver.attrs,
        };
        if let Some(doc) = attributes.iter().find(|attribute| attribute.path().is_ident("doc")) {
            errors.at(first_span(doc), messages::doc_on_parameter());
        }
    }
    borrows::check(function, errors);
}

/// `self` or `self: Self`.
fn is_by_value(receiver: &Receiver) -> bool {
    match &receiver.kind {
        ReceiverKind::Value => true,
        ReceiverKind::Typed(_, ty) => {
            matches!(&**ty, Type::Path(path) if path.path.is_ident("Self"))
        }
        _ => false,
    }
}

/// Whether the return type may be a future, so that the body should have been one.
fn returns_future(function: &Function) -> bool {
    let text = function.header.signature.output.to_token_stream().to_string();
    text.contains("Future")
}

/// Each name that a parameter binds, and how an attempt gets at it.
pub fn bindings(
    function: &Function,
    arguments: &Arguments,
    errors: &mut Errors,
) -> Vec<(Binding, Passing)> {
    let bindings = function.bindings();
    let cloned = cloned(function, &bindings, arguments, errors);
    let body = function.body_tokens();
    let is_cloned = |binding: &Binding| match &cloned {
        Cloned::All => matches!(binding.kind, Kind::Value { .. }),
        Cloned::Named(names) => names.contains(&binding.ident),
    };
    let passing = |binding: &Binding, errors: &mut Errors| {
        let mentioned = mentions(&body, &binding.ident);
        let is_renamed_self = function.renamed_self().is_some_and(|name| *name == binding.ident);
        let is_underscored = binding.ident.to_string().starts_with('_') && !is_renamed_self;
        match binding.kind {
            // What no attempt uses, which a key may: a clone of it would be unused.
            _ if !mentioned => Passing::AsIs,
            _ if is_cloned(binding) => Passing::Cloned,
            Kind::Value { .. } if binding.mutability.is_some() && !is_renamed_self => {
                errors.at(binding.ident.span(), messages::mut_by_value(&binding.ident.to_string()));
                Passing::AsIs
            }
            Kind::Mutable => Passing::Reborrowed,
            Kind::Shared if binding.mutability.is_some() => Passing::Copied,
            Kind::Shared | Kind::ByReference => Passing::AsIs,
            Kind::PinnedMutable if binding.mutability.is_some() => Passing::ReborrowedPinned,
            Kind::PinnedMutable
                if binding.can_be_mut && (binding.is_for_body_alone || !is_underscored) =>
            {
                Passing::ReborrowedPinned
            }
            Kind::Value { surely_sync: false }
                if binding.can_be_mut && !is_held(arguments, &binding.ident) =>
            {
                match is_underscored {
                    true => Passing::AssignedUniquely,
                    false => Passing::BorrowedUniquely,
                }
            }
            // Clippy would take our use of `_name` for the user's.
            _ if is_underscored => Passing::AsIs,
            Kind::Value { .. } | Kind::PinnedMutable => Passing::Borrowed,
        }
    };
    let names: Vec<Ident> = bindings.iter().map(|binding| binding.ident.clone()).collect();
    bindings
        .into_iter()
        .map(|mut binding| {
            // In a function that a macro makes, two names may look the same.
            let is_single = names.iter().filter(|name| **name == binding.ident).count() == 1;
            binding.is_for_body_alone =
                is_single && is_for_body_alone(function, arguments, &binding.ident);
            let passing = passing(&binding, errors);
            (binding, passing)
        })
        .collect()
}

/// Whether neither a key nor another attribute can look `name` up. (One of the
/// reserved prefix could meet a variable of ours.)
fn is_for_body_alone(function: &Function, arguments: &Arguments, name: &Ident) -> bool {
    let is_in_key =
        |(key, argument): &(Key, Argument)| *key != Key::Clone && has_word(&argument.value, name);
    function.is_async_fn()
        && function.header.has_only_inert_attributes()
        && !name.to_string().starts_with("__retry_")
        && !arguments.iter().any(is_in_key)
}

/// Whether something that lives as long as an attempt may borrow `name`: then no
/// attempt can have it to itself. That is the future of `cancel`, and the handle
/// that `attempt` binds, which reads the clock of `timer`.
fn is_held(arguments: &Arguments, name: &Ident) -> bool {
    let mentioned = |key| arguments.get(key).is_some_and(|given| mentions(&given.value, name));
    mentioned(Key::Cancel) || (arguments.has(Key::Attempt) && mentioned(Key::Timer))
}

/// `&T`, `&mut T` or `Pin<&mut T>`.
fn is_reference(ty: &Type) -> bool {
    let ty = ungrouped(ty);
    matches!(ty, Type::Reference(_)) || pinned_mutable(ty).is_some()
}

enum Cloned {
    All,
    Named(Vec<Ident>),
}

/// `clone(a, b)`, each name one of the parameters that hold a value.
fn cloned(
    function: &Function,
    bindings: &[Binding],
    arguments: &Arguments,
    errors: &mut Errors,
) -> Cloned {
    let Some(argument) = arguments.get(Key::Clone) else { return Cloned::Named(Vec::new()) };
    if let Some((word, name)) = mutable_word(&argument.value) {
        errors.at(word.span(), messages::clone_of_mut(&name.to_string()));
    }
    let names = match words(&argument.value) {
        Ok(None) => return Cloned::All,
        Ok(Some(names)) => names,
        Err(span) => {
            errors.at(span, messages::clone_is_a_list());
            return Cloned::Named(Vec::new());
        }
    };
    if names.is_empty() {
        errors.at(argument.key.span(), messages::clone_of_nothing());
    }
    for (index, name) in names.iter().enumerate() {
        let text = name.to_string();
        let binding = bindings.iter().find(|binding| binding.ident == *name);
        if names[..index].contains(name) {
            errors.at(name.span(), messages::cloned_twice(&text));
        } else if let Some(receiver) =
            function.header.signature.receiver().filter(|_| name == "self")
        {
            let message = match &receiver.kind {
                ReceiverKind::Reference(..) => messages::clone_of_self_reference(),
                ReceiverKind::Typed(_, ty) if is_reference(ty) => {
                    messages::clone_of_self_reference()
                }
                _ => messages::clone_of_self(),
            };
            errors.at(name.span(), message);
        } else {
            match binding.map(|binding| binding.kind) {
                Some(Kind::Value { .. }) => {}
                Some(_) => errors.at(name.span(), messages::clone_of_reference(&text)),
                None => {
                    let known: Vec<String> =
                        bindings.iter().map(|binding| binding.ident.to_string()).collect();
                    errors.at(name.span(), messages::clone_of_unknown(&text, &known));
                }
            }
        }
    }
    Cloned::Named(names)
}
