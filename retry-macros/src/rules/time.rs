//! Rules about durations, and about the time of an attempt.

use proc_macro2::TokenStream;

use crate::arguments::{Argument, Arguments};
use crate::diagnostics::Errors;
use crate::duration::{self, Whole};
use crate::keys::Key;
use crate::messages;
use crate::plan::Timeout;

/// `attempt_timeout` and `on_timeout`, neither without the other.
pub fn timeout(arguments: &Arguments, errors: &mut Errors) -> Option<Timeout> {
    let limit = duration(arguments, Key::AttemptTimeout, errors);
    if !arguments.is_half_typed {
        for (given, needed, message) in [
            (Key::AttemptTimeout, Key::OnTimeout, messages::attempt_timeout_alone()),
            (Key::OnTimeout, Key::AttemptTimeout, messages::on_timeout_alone()),
        ] {
            match arguments.get(given) {
                Some(argument) if !arguments.means(needed) => {
                    errors.at(argument.key.span(), message);
                }
                _ => {}
            }
        }
    }
    let result = arguments.get(Key::OnTimeout)?.value.clone();
    limit.map(|limit| Timeout { limit, result })
}

/// The value of a key that takes a duration.
pub fn duration(arguments: &Arguments, key: Key, errors: &mut Errors) -> Option<TokenStream> {
    let name = key.name();
    let Argument { key, value, .. } = arguments.get(key)?;
    if let Some(text) = duration::quoted(value) {
        let text: String = text.split_whitespace().collect();
        let text = duration::is_duration(&text).then_some(text.as_str());
        errors.over(value, key.span(), messages::quoted_duration(name, text));
    }
    match duration::whole(value) {
        Whole::Unit { is_zero: false } | Whole::Other => {}
        Whole::Unit { is_zero: true } => {
            errors.over(value, key.span(), messages::zero_duration(name));
        }
        Whole::Bare(number) => {
            errors.over(value, key.span(), messages::bare_number(name, &number.to_string()));
        }
        Whole::Negative => errors.over(value, key.span(), messages::negative_duration(name)),
    }
    Some(value.clone())
}
