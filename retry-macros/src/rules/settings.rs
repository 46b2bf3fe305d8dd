//! Rules about the arguments: what must be there, what excludes what, and the values of
//! the keys that have no file of their own.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};

use super::attribute;
use super::source::whole_number;
use crate::arguments::{Argument, Arguments};
use crate::diagnostics::Errors;
use crate::duration::{self, Whole};
use crate::function::Function;
use crate::keys::{Key, Takes};
use crate::mentions::Names;
use crate::messages;
use crate::plan::{Handle, Reason, Schedule, Text};
use crate::tokens::{is_closure, is_word, squeezed};

/// Attempts (or a policy), a budget and a classifier, or a retrier for all three.
pub fn check_presence(arguments: &Arguments, errors: &mut Errors) {
    if arguments.means(Key::Retrier) || arguments.is_half_typed || arguments.is_without_keys {
        return;
    }
    // `attempt = 4` is reported as a slip for `attempts`.
    let attempt = arguments.get(Key::Attempt);
    let is_slip = attempt.is_some_and(|a| matches!(duration::whole(&a.value), Whole::Bare(_)));
    let needed: &[(&str, &[Key])] = &[
        ("attempts", &[Key::Attempts, Key::Policy]),
        ("budget", &[Key::Budget]),
        ("classify", &[Key::Classify, Key::ClassifyErr]),
    ];
    let is_missing = |keys: &[Key]| !keys.iter().any(|key| arguments.means(*key));
    let missing: Vec<&str> = needed
        .iter()
        .filter(|(_, keys)| is_missing(keys))
        .map(|(name, _)| *name)
        .filter(|name| !(is_slip && *name == "attempts"))
        .collect();
    if arguments.is_empty {
        errors.at(attribute(), messages::no_arguments());
    } else if !missing.is_empty() {
        let example = needed.iter().zip(messages::EXAMPLE);
        let example: Vec<String> = example
            .map(|((_, keys), example)| as_given(arguments, keys).unwrap_or(example.to_owned()))
            .collect();
        let example: Vec<&str> = example.iter().map(String::as_str).collect();
        errors.at(attribute(), messages::missing_keys(&missing, &example));
    }
}

/// The first of `keys` that is there, as the user wrote it if it is short; but no
/// literal that is a mistake of its own.
fn as_given(arguments: &Arguments, keys: &[Key]) -> Option<String> {
    let (key, argument) = keys.iter().find_map(|key| Some((key, arguments.get(*key)?)))?;
    let mut tokens = argument.value.clone().into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Literal(literal)), None)
            if *key != Key::Attempts || whole_number(&literal).is_err() =>
        {
            None
        }
        (Some(TokenTree::Ident(_) | TokenTree::Literal(_)), None) => {
            Some(format!("{} = {}", key.name(), argument.value))
        }
        _ => Some(format!("{} = ..", key.name())),
    }
}

/// Keys that exclude each other, or say the same twice.
pub fn check_conflicts(arguments: &Arguments, errors: &mut Errors) {
    if let (Some(_), Some(second)) = (arguments.get(Key::Classify), arguments.get(Key::ClassifyErr))
    {
        errors.at(second.key.span(), messages::two_classifiers());
    }
    let overridden = |key| arguments.has(key);
    let policy_is_overridden =
        overridden(Key::Attempts) && overridden(Key::Schedule) && overridden(Key::Within);
    if let Some(retrier) = arguments.get(Key::Retrier) {
        if let Some(policy) = arguments.get(Key::Policy) {
            errors.at(policy.key.span(), messages::retrier_and_policy());
        }
        let classifies = overridden(Key::Classify) || overridden(Key::ClassifyErr);
        if classifies && policy_is_overridden && overridden(Key::Budget) {
            errors.at(retrier.key.span(), messages::retrier_without_use());
        }
    }
    if let Some(policy) = arguments.get(Key::Policy) {
        if let Some(zero) = zero_of_policy(&policy.value) {
            errors.at(zero, messages::zero_attempts());
        }
        if !overridden(Key::Retrier) && policy_is_overridden {
            errors.at(policy.key.span(), messages::policy_without_use());
        }
    }
}

/// The zero of a `Policy::new(0)` that a value begins with.
fn zero_of_policy(value: &TokenStream) -> Option<Span> {
    let tokens: Vec<TokenTree> = value.clone().into_iter().collect();
    let list = tokens.iter().position(|token| matches!(token, TokenTree::Group(_)))?;
    let path = squeezed(&tokens[..list].iter().cloned().collect());
    let TokenTree::Group(list) = &tokens[list] else { return None };
    let number: Vec<TokenTree> = list.stream().into_iter().collect();
    let [TokenTree::Literal(zero)] = number.as_slice() else { return None };
    let is_new = path == "Policy::new" || path.ends_with("::Policy::new");
    let is_zero = zero.to_string().trim_end_matches("u32").chars().all(|c| c == '0' || c == '_');
    (is_new && is_zero).then(|| zero.span())
}

/// `crate = ::path`, an absolute path.
pub fn krate(arguments: &Arguments, errors: &mut Errors) -> Option<TokenStream> {
    let argument = arguments.get(Key::Crate)?;
    let tokens: Vec<TokenTree> = argument.value.clone().into_iter().collect();
    let is_absolute = match tokens.as_slice() {
        [TokenTree::Punct(a), TokenTree::Punct(b), ..] => a.as_char() == ':' && b.as_char() == ':',
        [TokenTree::Ident(first), ..] => first == "crate",
        [TokenTree::Punct(dollar), TokenTree::Ident(first), ..] => {
            dollar.as_char() == '$' && first == "crate"
        }
        _ => false,
    };
    if !is_absolute || syn::parse2::<syn::Path>(argument.value.clone()).is_err() {
        errors.over(&argument.value, argument.key.span(), messages::crate_is_a_path());
    }
    Some(argument.value.clone())
}

/// The schedule, where a key gives one.
pub fn schedule(arguments: &Arguments, errors: &mut Errors) -> Option<Schedule> {
    let argument = arguments.get(Key::Schedule)?;
    if matches!(duration::whole(&argument.value), Whole::Unit { .. } | Whole::Bare(_)) {
        let text = argument.value.to_string();
        errors.over(&argument.value, argument.key.span(), messages::schedule_is_a_duration(&text));
    }
    let value = argument.value.clone();
    Some(if is_closure(&value) { Schedule::Closure(value) } else { Schedule::Value(value) })
}

/// `attempt = name`: a word that the keys and the body call the attempt by. A name that
/// nobody uses is the body's, so that rustc calls it unused.
pub fn attempt(arguments: &Arguments, function: &Function, errors: &mut Errors) -> Option<Handle> {
    let argument = arguments.get(Key::Attempt)?;
    if let Ok(name) = syn::parse2::<Ident>(argument.value.clone()) {
        if function.bindings().iter().any(|binding| binding.ident == name) {
            let message = messages::attempt_is_a_parameter(&name.to_string());
            errors.in_value(Key::Attempt, name.span(), message);
        }
        let mut keys = arguments.iter().filter(|(key, _)| *key != Key::Attempt);
        let is_for_keys = keys.any(|(_, argument)| Names::used(&argument.value).has(&name));
        let is_for_body = !is_for_keys || Names::used(&function.body_tokens()).has(&name);
        return Some(Handle { name, is_for_keys, is_for_body });
    }
    let number = duration::whole(&argument.value);
    let message = match number {
        Whole::Bare(number) if !arguments.has(Key::Attempts) => {
            messages::attempt_is_a_number(&number.to_string())
        }
        _ => messages::attempt_is_a_name(),
    };
    errors.over(&argument.value, argument.key.span(), message);
    None
}

/// `err`, `err(Debug)` or a function of the result.
pub fn reason(arguments: &Arguments, errors: &mut Errors) -> Option<Reason> {
    let Argument { key, value, is_list } = arguments.get(Key::Err)?;
    let tokens: Vec<TokenTree> = value.clone().into_iter().collect();
    let text = match tokens.as_slice() {
        [] => Text::Display,
        [TokenTree::Group(group)] if *is_list => match squeezed(&group.stream()).as_str() {
            "Display" => Text::Display,
            "Debug" => Text::Debug,
            _ => {
                errors.over(&group.stream(), group.span(), messages::err_of_what());
                return None;
            }
        },
        [TokenTree::Literal(literal)] => {
            errors.at(literal.span(), messages::err_is_a_literal());
            return None;
        }
        [word @ TokenTree::Ident(_)]
            if is_word(Some(word), "true") || is_word(Some(word), "false") =>
        {
            errors.at(word.span(), messages::err_is_a_literal());
            return None;
        }
        _ => Text::Function(value.clone()),
    };
    Some(Reason { key: key.span(), text })
}

/// Literals where no literal can be right.
pub fn check_literals(arguments: &Arguments, errors: &mut Errors) {
    for (key, argument) in arguments.iter().filter(|(key, _)| key.takes() == Takes::Object) {
        if matches!(duration::whole(&argument.value), Whole::Bare(_) | Whole::Unit { .. }) {
            errors.over(&argument.value, argument.span(), messages::literal_for(*key));
        }
    }
}
