//! The rules of an HTTP policy's own settings.

use core::time::Duration;

use super::statuses::is_status;
use super::{Methods, OverMax, ServerDelay, Switch};
use crate::config::Rule;
#[cfg(feature = "serde")]
use crate::config::{Value, duration, duration_text};

/// The rule of a setting that is one of a few words.
macro_rules! words {
    ($($rule:ident of $type:ty, $allowed:literal { $($word:literal => $value:path,)* })*) => {$(
        pub(crate) struct $rule;

        impl Rule for $rule {
            type Value = $type;
            const ALLOWED: &'static str = $allowed;

            fn found(value: &$type) -> String {
                format!("{value:?}")
            }

            #[cfg(feature = "serde")]
            fn read(value: &Value) -> Option<$type> {
                match value.as_text()? {
                    $($word => Some($value),)*
                    _ => None,
                }
            }

            #[cfg(feature = "serde")]
            fn write(value: &$type) -> Value {
                Value::Text(match value { $($value => $word,)* }.to_owned())
            }
        }
    )*};
}

words! {
    Ceiling of OverMax, "clamp, give_up" {
        "clamp" => OverMax::Clamp,
        "give_up" => OverMax::GiveUp,
    }
    DelayAs of ServerDelay, "exact, at_least" {
        "exact" => ServerDelay::Exact,
        "at_least" => ServerDelay::AtLeast,
    }
    MethodSet of Methods, "safe, idempotent" {
        "safe" => Methods::Safe,
        "idempotent" => Methods::Idempotent,
    }
}

/// `auto`, `yes` or `no`; a boolean is the last two.
pub(crate) struct Repeat;

impl Rule for Repeat {
    type Value = Switch;
    const ALLOWED: &'static str = "auto, yes, no";

    fn found(switch: &Switch) -> String {
        format!("{switch:?}")
    }

    #[cfg(feature = "serde")]
    fn read(value: &Value) -> Option<Switch> {
        match (value.as_text(), value.as_bool()) {
            (Some("auto"), _) => Some(Switch::Auto),
            (Some("yes"), _) | (_, Some(true)) => Some(Switch::Yes),
            (Some("no"), _) | (_, Some(false)) => Some(Switch::No),
            _ => None,
        }
    }

    #[cfg(feature = "serde")]
    fn write(switch: &Switch) -> Value {
        let word = match switch {
            Switch::Auto => "auto",
            Switch::Yes => "yes",
            Switch::No => "no",
        };
        Value::Text(word.to_owned())
    }
}

/// `true` or `false`.
pub(crate) struct Flag;

impl Rule for Flag {
    type Value = bool;
    const ALLOWED: &'static str = "true, false";

    fn found(flag: &bool) -> String {
        flag.to_string()
    }

    #[cfg(feature = "serde")]
    fn read(value: &Value) -> Option<bool> {
        value.as_bool()
    }

    #[cfg(feature = "serde")]
    fn write(flag: &bool) -> Value {
        Value::Bool(*flag)
    }
}

/// A bound of a server's delay. Zero: none that is lower.
pub(crate) struct Bound;

impl Rule for Bound {
    type Value = Duration;
    const ALLOWED: &'static str = "a duration with its unit, such as \"500ms\"";

    fn found(bound: &Duration) -> String {
        format!("{bound:?}")
    }

    #[cfg(feature = "serde")]
    fn read(value: &Value) -> Option<Duration> {
        duration(value)
    }

    #[cfg(feature = "serde")]
    fn write(bound: &Duration) -> Value {
        Value::Text(duration_text(*bound))
    }
}

/// Statuses, and in a configuration ranges of them.
pub(crate) struct Statuses;

impl Rule for Statuses {
    type Value = Vec<u16>;
    const ALLOWED: &'static str = "each 100 to 999, or a range such as \"502-504\"";

    fn is_valid(statuses: &Vec<u16>) -> bool {
        statuses.iter().all(|status| is_status(*status))
    }

    fn found(statuses: &Vec<u16>) -> String {
        let wrong: Vec<_> = statuses.iter().filter(|status| !is_status(**status)).collect();
        format!("{wrong:?}")
    }

    #[cfg(feature = "serde")]
    fn read(value: &Value) -> Option<Vec<u16>> {
        value.as_list(range).map(|ranges| ranges.into_iter().flatten().collect())
    }

    #[cfg(feature = "serde")]
    fn write(statuses: &Vec<u16>) -> Value {
        Value::List(statuses.iter().map(|status| Value::Integer((*status).into())).collect())
    }
}

/// A status, or `"500-599"`.
#[cfg(feature = "serde")]
fn range(value: &Value) -> Option<core::ops::RangeInclusive<u16>> {
    let (first, last) = match value.as_text().and_then(|text| text.split_once('-')) {
        Some((first, last)) => (first.trim().parse().ok()?, last.trim().parse().ok()?),
        None => {
            let status = u16::try_from(value.as_integer()?).ok()?;
            (status, status)
        }
    };
    (is_status(first) && is_status(last) && first <= last).then_some(first..=last)
}
