//! The rules of a policy's settings: what each may be, in code and in a configuration.

use core::time::Duration;

pub(super) use crate::backoff::rules::at_least_initial;
use crate::backoff::rules::{FACTOR, INITIAL, JITTER, MAX, factor_is_valid};
use crate::backoff::{self, Jitter};
use crate::config::Rule;
#[cfg(feature = "serde")]
use crate::config::{Value, duration, duration_text};

/// The number of attempts; `None` is "unlimited".
pub(crate) struct Attempts;

impl Rule for Attempts {
    type Value = Option<u32>;
    const ALLOWED: &'static str =
        "1 to 4294967294 (it counts every call, the first included), or \"unlimited\"";

    fn is_valid(attempts: &Option<u32>) -> bool {
        attempts.is_none_or(|attempts| attempts > 0 && attempts < u32::MAX)
    }

    fn found(attempts: &Option<u32>) -> String {
        attempts.map_or("\"unlimited\"".to_owned(), |attempts| attempts.to_string())
    }

    #[cfg(feature = "serde")]
    fn read(value: &Value) -> Option<Option<u32>> {
        match value.as_text() {
            Some("unlimited") => Some(None),
            _ => u32::try_from(value.as_integer()?).ok().map(Some),
        }
    }

    #[cfg(feature = "serde")]
    fn write(attempts: &Option<u32>) -> Value {
        attempts.map_or(Value::Text("unlimited".to_owned()), |n| Value::Integer(n.into()))
    }
}

/// The name of a curve, compared exactly.
pub(crate) struct Curve;

impl Curve {
    pub(super) fn named(name: &str) -> Option<backoff::Curve> {
        Some(match name {
            "exponential" | "exp" => backoff::Curve::Exponential,
            "linear" => backoff::Curve::Linear,
            "constant" => backoff::Curve::Constant,
            "none" => backoff::Curve::None,
            _ => return None,
        })
    }

    #[cfg(feature = "serde")]
    pub(super) const fn name(curve: backoff::Curve) -> &'static str {
        match curve {
            backoff::Curve::Exponential => "exponential",
            backoff::Curve::Linear => "linear",
            backoff::Curve::Constant => "constant",
            backoff::Curve::None => "none",
        }
    }
}

impl Rule for Curve {
    type Value = String;
    const ALLOWED: &'static str = "exponential (or exp), linear, constant, none";

    fn is_valid(name: &String) -> bool {
        Curve::named(name).is_some()
    }

    fn found(name: &String) -> String {
        format!("{name:?}")
    }

    #[cfg(feature = "serde")]
    fn read(value: &Value) -> Option<String> {
        value.as_text().map(str::to_owned)
    }

    #[cfg(feature = "serde")]
    fn write(name: &String) -> Value {
        Value::Text(name.clone())
    }
}

/// A rule of a duration that must be more than zero.
macro_rules! delay {
    ($($(#[$doc:meta])* $rule:ident: $allowed:ident;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $rule;

        impl Rule for $rule {
            type Value = Duration;
            const ALLOWED: &'static str = $allowed;

            fn is_valid(delay: &Duration) -> bool {
                !delay.is_zero()
            }

            fn found(delay: &Duration) -> String {
                format!("{delay:?}")
            }

            #[cfg(feature = "serde")]
            fn read(value: &Value) -> Option<Duration> {
                duration(value)
            }

            #[cfg(feature = "serde")]
            fn write(delay: &Duration) -> Value {
                Value::Text(duration_text(*delay))
            }
        }
    )*};
}

delay! {
    /// The first delay, and that of the constant curve.
    Initial: INITIAL;
    /// The cap of a rising curve.
    Max: MAX;
}

/// The factor of the exponential curve.
pub(crate) struct Factor;

impl Rule for Factor {
    type Value = f64;
    const ALLOWED: &'static str = FACTOR;

    fn is_valid(factor: &f64) -> bool {
        factor_is_valid(*factor)
    }

    fn found(factor: &f64) -> String {
        factor.to_string()
    }

    #[cfg(feature = "serde")]
    fn read(value: &Value) -> Option<f64> {
        value.as_number()
    }

    #[cfg(feature = "serde")]
    fn write(factor: &f64) -> Value {
        Value::Float(*factor)
    }
}

/// The jitter.
pub(crate) struct Spread;

impl Rule for Spread {
    type Value = Jitter;
    const ALLOWED: &'static str = JITTER;

    fn is_valid(jitter: &Jitter) -> bool {
        jitter.is_valid()
    }

    fn found(jitter: &Jitter) -> String {
        format!("{jitter:?}")
    }

    #[cfg(feature = "serde")]
    fn read(value: &Value) -> Option<Jitter> {
        Some(match value {
            Value::Text(name) if name == "none" => Jitter::None,
            Value::Text(name) if name == "full" => Jitter::Full,
            Value::Table(entries) => match entries.as_slice() {
                [(name, fraction)] if name == "subtract" => Jitter::Subtract(fraction.as_number()?),
                [(name, fraction)] if name == "add" => Jitter::Add(fraction.as_number()?),
                _ => return None,
            },
            _ => return None,
        })
    }

    #[cfg(feature = "serde")]
    fn write(jitter: &Jitter) -> Value {
        let (name, fraction) = match jitter {
            Jitter::None => return Value::Text("none".to_owned()),
            Jitter::Full => return Value::Text("full".to_owned()),
            Jitter::Subtract(fraction) => ("subtract", fraction),
            Jitter::Add(fraction) => ("add", fraction),
        };
        Value::Table(vec![(name.to_owned(), Value::Float(*fraction))])
    }
}

/// The seed of the draws.
pub(crate) struct Seed;

impl Rule for Seed {
    type Value = u64;
    const ALLOWED: &'static str = "0 to 18446744073709551615";

    fn found(seed: &u64) -> String {
        seed.to_string()
    }

    #[cfg(feature = "serde")]
    fn read(value: &Value) -> Option<u64> {
        u64::try_from(value.as_integer()?).ok()
    }

    #[cfg(feature = "serde")]
    fn write(seed: &u64) -> Value {
        // TOML has no integers above those of an i64.
        match i64::try_from(*seed) {
            Ok(seed) => Value::Integer(seed.into()),
            Err(_) => Value::Text(seed.to_string()),
        }
    }
}

/// The time limit of a call; `None` is "none".
pub(crate) struct Within;

impl Rule for Within {
    type Value = Option<Duration>;
    const ALLOWED: &'static str =
        "a duration of more than zero with its unit, such as \"30s\", or \"none\"";

    fn is_valid(limit: &Option<Duration>) -> bool {
        *limit != Some(Duration::ZERO)
    }

    fn found(limit: &Option<Duration>) -> String {
        limit.map_or("\"none\"".to_owned(), |limit| format!("{limit:?}"))
    }

    #[cfg(feature = "serde")]
    fn read(value: &Value) -> Option<Option<Duration>> {
        match value.as_text() {
            Some("none") => Some(None),
            _ => duration(value).map(Some),
        }
    }

    #[cfg(feature = "serde")]
    fn write(limit: &Option<Duration>) -> Value {
        Value::Text(limit.map_or("none".to_owned(), duration_text))
    }
}

pub(super) fn at_most_max(max: Duration) -> String {
    format!("at most `max`, {max:?}")
}
