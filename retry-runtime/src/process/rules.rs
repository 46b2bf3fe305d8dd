//! The rules of an exit policy's own settings.

use core::time::Duration;

use crate::config::Rule;
#[cfg(feature = "serde")]
use crate::config::{Value, duration, duration_text};

/// The exit codes that are final.
pub(crate) struct ExitCodes;

impl Rule for ExitCodes {
    type Value = Vec<i32>;
    const ALLOWED: &'static str = "a list of exit codes other than 0, which is success";

    fn is_valid(codes: &Vec<i32>) -> bool {
        !codes.contains(&0)
    }

    fn found(codes: &Vec<i32>) -> String {
        format!("{codes:?}")
    }

    #[cfg(feature = "serde")]
    fn read(value: &Value) -> Option<Vec<i32>> {
        value.as_list(|item| i32::try_from(item.as_integer()?).ok())
    }

    #[cfg(feature = "serde")]
    fn write(codes: &Vec<i32>) -> Value {
        Value::List(codes.iter().map(|code| Value::Integer((*code).into())).collect())
    }
}

/// The signals that are final.
pub(crate) struct StopSignals;

impl Rule for StopSignals {
    type Value = Vec<i32>;
    const ALLOWED: &'static str = "a list of signals: numbers from 1 to 127, or HUP, INT, QUIT, ABRT, KILL, ALRM, TERM with or without SIG";

    fn is_valid(signals: &Vec<i32>) -> bool {
        signals.iter().all(|signal| (1..=127).contains(signal))
    }

    fn found(signals: &Vec<i32>) -> String {
        format!("{signals:?}")
    }

    #[cfg(feature = "serde")]
    fn read(value: &Value) -> Option<Vec<i32>> {
        value.as_list(signal)
    }

    #[cfg(feature = "serde")]
    fn write(signals: &Vec<i32>) -> Value {
        ExitCodes::write(signals)
    }
}

/// A signal's number, or its name if POSIX fixes the number that it has.
#[cfg(feature = "serde")]
fn signal(value: &Value) -> Option<i32> {
    Some(match value.as_text().map(|name| name.strip_prefix("SIG").unwrap_or(name)) {
        Some("HUP") => 1,
        Some("INT") => 2,
        Some("QUIT") => 3,
        Some("ABRT") => 6,
        Some("KILL") => 9,
        Some("ALRM") => 14,
        Some("TERM") => 15,
        _ => i32::try_from(value.as_integer()?).ok()?,
    })
}

/// The longest hint. Zero: hints are ignored.
pub(crate) struct HintCap;

impl Rule for HintCap {
    type Value = Duration;
    const ALLOWED: &'static str = "a duration with its unit, such as \"5m\"";

    fn found(cap: &Duration) -> String {
        format!("{cap:?}")
    }

    #[cfg(feature = "serde")]
    fn read(value: &Value) -> Option<Duration> {
        duration(value)
    }

    #[cfg(feature = "serde")]
    fn write(cap: &Duration) -> Value {
        Value::Text(duration_text(*cap))
    }
}
