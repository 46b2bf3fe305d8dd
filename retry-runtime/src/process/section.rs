//! An exit policy in a configuration.

use serde::de::{Deserialize, Deserializer};

use super::patch::{EXIT_CODES, HINT_CAP, STOP_SIGNALS};
use super::{ExitPolicy, ExitPolicyPatch};
use crate::config::{FromSection, Section, Value, deserialize, duration};
use crate::policy::section::read_patch;

const NAMES: &[&str] = &[
    "attempts",
    "backoff",
    "initial",
    "max",
    "jitter",
    "within",
    "non_retryable_exit_codes",
    "stop_signals",
    "hint_cap",
];

fn read(section: &mut Section) -> ExitPolicyPatch {
    ExitPolicyPatch {
        policy: read_patch(section),
        non_retryable: section
            .field("non_retryable_exit_codes", EXIT_CODES, |value| list(value, exit_code)),
        stop_signals: section.field("stop_signals", STOP_SIGNALS, |value| list(value, signal)),
        hint_cap: section.field("hint_cap", HINT_CAP, duration),
    }
}

/// A list, or text with commas, which is what an environment variable can hold.
fn list(value: &Value, item: fn(&Value) -> Option<i32>) -> Option<Vec<i32>> {
    match value {
        Value::List(values) => values.iter().map(item).collect(),
        Value::Text(text) => {
            text.split(',').map(|part| item(&Value::Text(part.trim().to_owned()))).collect()
        }
        single => item(single).map(|item| vec![item]),
    }
}

fn exit_code(value: &Value) -> Option<i32> {
    i32::try_from(value.as_integer()?).ok().filter(|code| *code != 0)
}

/// A signal's number, or its name if POSIX fixes the number that it has.
fn signal(value: &Value) -> Option<i32> {
    let number = match value.as_text().map(|name| name.strip_prefix("SIG").unwrap_or(name)) {
        Some("HUP") => 1,
        Some("INT") => 2,
        Some("QUIT") => 3,
        Some("ABRT") => 6,
        Some("KILL") => 9,
        Some("ALRM") => 14,
        Some("TERM") => 15,
        _ => i32::try_from(value.as_integer()?).ok()?,
    };
    Some(number).filter(|number| (1..=127).contains(number))
}

impl FromSection for ExitPolicyPatch {
    const SECTION: &'static str = "exit policy";
    const NAMES: &'static [&'static str] = NAMES;

    fn read(section: &mut Section) -> Option<ExitPolicyPatch> {
        let patch = read(section);
        patch.policy.check_order(&mut section.errors);
        Some(patch)
    }
}

impl FromSection for ExitPolicy {
    const SECTION: &'static str = "exit policy";
    const NAMES: &'static [&'static str] = NAMES;

    fn read(section: &mut Section) -> Option<ExitPolicy> {
        let patch = read(section);
        let base = ExitPolicy::DEFAULT;
        let policy = base.policy.overlay(&patch.policy, &mut section.errors);
        Some(base.with(policy, &patch))
    }
}

impl<'de> Deserialize<'de> for ExitPolicyPatch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ExitPolicyPatch, D::Error> {
        deserialize(deserializer)
    }
}

/// Changes to [`ExitPolicy::DEFAULT`]: no field is required.
impl<'de> Deserialize<'de> for ExitPolicy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ExitPolicy, D::Error> {
        deserialize(deserializer)
    }
}
