//! Rules about the function.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{FnArg, Receiver, ReceiverKind, Type};

use super::{attribute, forms};
use crate::arguments::{Arguments, mutable_word, words};
use crate::attributes::is_expanded;
use crate::diagnostics::Errors;
use crate::function::{Body, Form, Function, fn_span};
use crate::keys::Key;
use crate::marks;
use crate::mentions::Names;
use crate::messages;
use crate::parameters::{Binding, Kind, pinned_mutable, ungrouped};
use crate::plan::{Parameter, Passing};
use crate::tokens::{first_span, squeezed};

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
    if function.header.attributes.iter().any(is_expanded) {
        errors.at(attribute(), messages::repeated_attribute());
    }
    if function.header.attributes.iter().any(marks::is_unseen) {
        errors.at(attribute(), messages::mark_unseen());
    }
    let signature = &function.header.signature;
    let name = signature.ident.span();
    match &function.body {
        // A body that does not parse comes from an editor as a word: that is rustc's to report.
        Body::None(rest) if squeezed(rest) == ";" => errors.at(name, messages::no_body()),
        Body::None(_) => {}
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
        } else if let Some(token) = receiver.mutability.filter(|_| is_rebindable(receiver)) {
            errors.at(token.span, messages::mut_self());
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

/// Whether a `mut self` lets the body set another `self`. Of `Pin<&mut Self>` it is needed
/// to reborrow it.
fn is_rebindable(receiver: &Receiver) -> bool {
    matches!(&receiver.kind, ReceiverKind::Typed(_, ty) if pinned_mutable(ty).is_none())
}

/// Whether the return type may be a future, so that the body should have been one.
fn returns_future(function: &Function) -> bool {
    let text = function.header.signature.output.to_token_stream().to_string();
    text.contains("Future")
}

/// Each name that a parameter binds, and how an attempt gets at it.
pub fn parameters(
    function: &Function,
    arguments: &Arguments,
    uses: &Uses,
    errors: &mut Errors,
) -> Vec<Parameter> {
    if let Form::Block(_) = function.form {
        return forms::cloned(arguments, errors);
    }
    let bindings = function.bindings();
    let cloned = cloned(function, &bindings, arguments, errors);
    // The setup of a function that returns a future, and another macro, may look names up.
    let is_seen = !(function.is_async_fn() && function.header.has_only_inert_attributes());
    let mut counts: HashMap<Ident, usize> = HashMap::new();
    for binding in &bindings {
        *counts.entry(binding.ident.clone()).or_default() += 1;
    }
    let parameter = |binding: Binding| {
        let passing = passing(function, &cloned, uses, &binding, errors);
        // In a function that a macro makes, two names may look the same; and one of the reserved
        // prefix could meet a variable of ours.
        let is_alone =
            counts[&binding.ident] == 1 && !binding.ident.to_string().starts_with("__retry_");
        let is_for_body_alone = is_alone && !is_seen && !uses.by_keys.has(&binding.ident);
        Parameter { binding, passing, is_for_body_alone }
    };
    bindings.into_iter().map(parameter).collect()
}

/// The variables that the parts of an annotated function may use.
pub struct Uses {
    body: Names,
    by_keys: Names,
    /// By what lives as long as an attempt, and may borrow them: then no attempt can have
    /// them to itself. That is the future of `cancel`, and the handle that `attempt` binds,
    /// which reads the clock of `timer`.
    held: Names,
}

impl Uses {
    pub fn of(function: &Function, arguments: &Arguments) -> Uses {
        let used = |is_wanted: &dyn Fn(Key) -> bool| {
            let wanted = arguments.iter().filter(|(key, _)| is_wanted(*key));
            Names::used(&wanted.map(|(_, argument)| separate(&argument.value)).collect())
        };
        let reads_timer = arguments.has(Key::Attempt);
        Uses {
            body: Names::used(&function.body_tokens()),
            by_keys: used(&|key| key != Key::Clone),
            held: used(&|key| key == Key::Cancel || (reads_timer && key == Key::Timer)),
        }
    }
}

/// A value in a group of its own, so that what it binds is bound in it alone.
fn separate(value: &TokenStream) -> TokenStream {
    TokenTree::Group(Group::new(Delimiter::None, value.clone())).into()
}

/// How an attempt gets at what a parameter binds; reports what would leak from one attempt
/// into the next.
fn passing(
    function: &Function,
    cloned: &Cloned,
    uses: &Uses,
    binding: &Binding,
    errors: &mut Errors,
) -> Passing {
    let name = &binding.ident;
    let is_renamed_self = function.renamed_self().is_some_and(|renamed| renamed == name);
    let is_cloned = match cloned {
        Cloned::All => matches!(binding.kind, Kind::Value { .. } | Kind::Unknown),
        Cloned::Named(names) => names.contains(name),
    };
    let is_underscored = name.to_string().starts_with('_') && !is_renamed_self;
    // What no attempt uses, which a key may: a clone of it would be unused.
    if !uses.body.has(name) {
        return Passing::AsIs;
    }
    if is_cloned {
        return Passing::Cloned;
    }
    if binding.is_ref_mut {
        errors.at(name.span(), messages::ref_mut(&name.to_string()));
    }
    match binding.kind {
        Kind::Value { .. } if binding.mutability.is_some() && is_renamed_self => {
            errors.at(name.span(), messages::mut_self());
            Passing::AsIs
        }
        Kind::Value { .. } if binding.mutability.is_some() => {
            errors.at(name.span(), messages::mut_by_value(&name.to_string()));
            Passing::AsIs
        }
        Kind::Mutable => Passing::Reborrowed,
        Kind::Shared if binding.mutability.is_some() => Passing::Copied,
        Kind::Shared | Kind::ByReference => Passing::AsIs,
        Kind::PinnedMutable if binding.can_be_mut => Passing::ReborrowedPinned,
        // A function that blocks has no future that would have to be `Send`.
        Kind::Value { surely_sync: false }
            if matches!(function.form, Form::Async)
                && binding.can_be_mut
                && !uses.held.has(name) =>
        {
            match is_underscored {
                true => Passing::AssignedUniquely,
                false => Passing::BorrowedUniquely,
            }
        }
        // Clippy would take our use of `_name` for the user's.
        _ if is_underscored => Passing::AsIs,
        Kind::Value { .. } | Kind::PinnedMutable | Kind::Unknown => Passing::Borrowed,
    }
}

/// `&T`, `&mut T` or `Pin<&mut T>`.
fn is_reference(ty: &Type) -> bool {
    let ty = ungrouped(ty);
    matches!(ty, Type::Reference(_)) || pinned_mutable(ty).is_some()
}

enum Cloned {
    All,
    Named(HashSet<Ident>),
}

/// `clone(a, b)`, each name one of the parameters that hold a value.
fn cloned(
    function: &Function,
    bindings: &[Binding],
    arguments: &Arguments,
    errors: &mut Errors,
) -> Cloned {
    let Some(argument) = arguments.get(Key::Clone) else { return Cloned::Named(HashSet::new()) };
    if let Some((word, name)) = mutable_word(&argument.value) {
        errors.at(word.span(), messages::clone_of_mut(&name.to_string()));
    }
    let names = match words(&argument.value) {
        Ok(None) => return Cloned::All,
        Ok(Some(names)) => names,
        Err(span) => {
            errors.at(span, messages::clone_is_a_list());
            return Cloned::Named(HashSet::new());
        }
    };
    if names.is_empty() {
        errors.at(argument.key.span(), messages::clone_of_nothing());
    }
    let by_name: HashMap<&Ident, &Binding> =
        bindings.iter().rev().map(|binding| (&binding.ident, binding)).collect();
    let mut seen: HashSet<&Ident> = HashSet::new();
    for name in &names {
        let text = name.to_string();
        let binding = by_name.get(name);
        if !seen.insert(name) {
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
                Some(Kind::Value { .. } | Kind::Unknown) => {}
                Some(_) => errors.at(name.span(), messages::clone_of_reference(&text)),
                None => {
                    let known: Vec<String> =
                        bindings.iter().map(|binding| binding.ident.to_string()).collect();
                    errors.at(name.span(), messages::clone_of_unknown(&text, &known));
                }
            }
        }
    }
    Cloned::Named(names.into_iter().collect())
}
