//! Rules about `blocking`, and about a block in the middle of a function.

use std::collections::HashSet;

use proc_macro2::{Ident, Span};
use syn::Token;

use crate::arguments::{Argument, Arguments, mutable_word, words};
use crate::diagnostics::Errors;
use crate::function::{Body, Form, Function};
use crate::keys::Key;
use crate::messages;
use crate::parameters::{Binding, Kind};
use crate::plan::{Parameter, Passing};

pub fn check(arguments: &Arguments, function: &Function, errors: &mut Errors) {
    let Some(blocking) = arguments.get(Key::Blocking) else { return };
    match function.form {
        Form::Block(_) => errors.at(blocking.key.span(), messages::blocking_block()),
        _ if function.header.signature.asyncness.is_some() => {
            errors.at(blocking.key.span(), messages::blocking_async());
        }
        // Without a body, nothing tells: an editor has none for one that does not parse.
        _ if !function.is_async_fn() && !matches!(function.body, Body::None(_)) => {
            errors.at(blocking.key.span(), messages::blocking_future());
        }
        _ => {}
    }
    if let Some(timeout) = arguments.get(Key::AttemptTimeout) {
        errors.at(timeout.key.span(), messages::blocking_attempt_timeout());
    }
    if let Some(timer) = arguments.get(Key::Timer) {
        errors.at(timer.key.span(), messages::blocking_timer());
    }
}

/// The variables that a block clones for each attempt: whatever `clone(a, b)` names. How they
/// are declared is out of sight, so the clones are `mut`; by a token of ours, of which rustc
/// does not say that it is unused.
pub fn cloned(arguments: &Arguments, errors: &mut Errors) -> Vec<Parameter> {
    let Some(Argument { key, value, .. }) = arguments.get(Key::Clone) else { return Vec::new() };
    if let Some((word, name)) = mutable_word(value) {
        errors.at(word.span(), messages::clone_of_mut(&name.to_string()));
    }
    let names = match words(value) {
        Ok(Some(names)) => names,
        Ok(None) => {
            errors.at(key.span(), messages::clone_of_all_in_block());
            return Vec::new();
        }
        Err(span) => {
            errors.at(span, messages::clone_is_a_list());
            return Vec::new();
        }
    };
    if names.is_empty() {
        errors.at(key.span(), messages::clone_of_nothing());
    }
    let mut cloned: Vec<Parameter> = Vec::new();
    let mut seen: HashSet<Ident> = HashSet::new();
    for name in names {
        if !seen.insert(name.clone()) {
            errors.at(name.span(), messages::cloned_twice(&name.to_string()));
        } else if name == "self" {
            errors.at(name.span(), messages::clone_of_self());
        } else {
            let binding = Binding {
                ident: name,
                colon: None,
                attributes: Vec::new(),
                mutability: Some(Token![mut](Span::mixed_site())),
                is_ref_mut: false,
                kind: Kind::Value { surely_sync: false },
                can_be_mut: true,
            };
            let passing = Passing::Cloned;
            cloned.push(Parameter { binding, passing, is_for_body_alone: false });
        }
    }
    cloned
}
