//! An HTTP policy in a configuration.

use core::time::Duration;

use serde::de::{Deserialize, Deserializer};

use super::patch::{JITTER, RETRIES, STATUSES};
use super::statuses::is_status;
use super::{HttpPatch, HttpPolicy, Methods, OverMax, ServerDelay, Switch};
use crate::config::{FromSection, Section, Value, deserialize, duration};

const NAMES: &[&str] = &[
    "max_retries",
    "backoff_initial",
    "backoff_max",
    "backoff_jitter",
    "statuses",
    "retry_statuses",
    "respect_retry_after",
    "retry_after_min",
    "retry_after_max",
    "retry_after_over_max",
    "retry_after_as",
    "retry_connection_errors",
    "retry_timeout_errors",
    "retry_unsent",
    "methods",
    "within",
];

const DURATION: &str = "a duration with its unit, such as \"500ms\"";
const SWITCH: &str = "auto, yes, no";
const BOOL: &str = "true, false";

/// Reads the fields. The result has those that are valid.
fn read(section: &mut Section) -> HttpPatch {
    HttpPatch {
        max_retries: section.field("max_retries", RETRIES, |value| {
            u32::try_from(value.as_integer()?).ok().filter(|retries| *retries <= u32::MAX - 2)
        }),
        backoff_initial: section.field("backoff_initial", DURATION, duration),
        backoff_max: section.field("backoff_max", DURATION, duration),
        backoff_jitter: section.field("backoff_jitter", JITTER, |value| {
            value.as_number().filter(|fraction| (0.0..=1.0).contains(fraction))
        }),
        statuses: section.field("statuses", STATUSES, statuses),
        retry_statuses: section.field("retry_statuses", SWITCH, switch),
        respect_retry_after: section.field("respect_retry_after", BOOL, boolean),
        retry_after_min: section.field("retry_after_min", DURATION, duration),
        retry_after_max: section.field("retry_after_max", DURATION, duration),
        retry_after_over_max: section.field("retry_after_over_max", "clamp, give_up", |value| {
            match value.as_text()? {
                "clamp" => Some(OverMax::Clamp),
                "give_up" => Some(OverMax::GiveUp),
                _ => None,
            }
        }),
        retry_after_as: section.field("retry_after_as", "exact, at_least", |value| {
            match value.as_text()? {
                "exact" => Some(ServerDelay::Exact),
                "at_least" => Some(ServerDelay::AtLeast),
                _ => None,
            }
        }),
        retry_connection_errors: section.field("retry_connection_errors", SWITCH, switch),
        retry_timeout_errors: section.field("retry_timeout_errors", SWITCH, switch),
        retry_unsent: section.field("retry_unsent", BOOL, boolean),
        methods: section.field("methods", "safe, idempotent", |value| match value.as_text()? {
            "safe" => Some(Methods::Safe),
            "idempotent" => Some(Methods::Idempotent),
            _ => None,
        }),
        within: section.field("within", "a duration with its unit, or \"none\"", within),
    }
}

fn within(value: &Value) -> Option<Option<Duration>> {
    match value.as_text() {
        Some("none") => Some(None),
        _ => duration(value).map(Some),
    }
}

/// A boolean, or the text of one: environment variables are all text.
fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(value) => Some(*value),
        Value::Text(text) => text.parse().ok(),
        _ => None,
    }
}

fn switch(value: &Value) -> Option<Switch> {
    match (value.as_text(), boolean(value)) {
        (Some("auto"), _) => Some(Switch::Auto),
        (Some("yes"), _) | (_, Some(true)) => Some(Switch::Yes),
        (Some("no"), _) | (_, Some(false)) => Some(Switch::No),
        _ => None,
    }
}

/// A list of statuses and ranges, or text with commas.
fn statuses(value: &Value) -> Option<Vec<u16>> {
    let mut all = Vec::new();
    match value {
        Value::List(values) => {
            for value in values {
                all.extend(range(value)?);
            }
        }
        Value::Text(text) => {
            for part in text.split(',') {
                all.extend(range(&Value::Text(part.trim().to_owned()))?);
            }
        }
        single => all.extend(range(single)?),
    }
    Some(all)
}

/// A status, or `"500-599"`.
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

impl FromSection for HttpPatch {
    const SECTION: &'static str = "http policy";
    const NAMES: &'static [&'static str] = NAMES;

    fn read(section: &mut Section) -> Option<HttpPatch> {
        let patch = read(section);
        patch.check(&patch, &mut section.errors);
        Some(patch)
    }
}

impl FromSection for HttpPolicy {
    const SECTION: &'static str = "http policy";
    const NAMES: &'static [&'static str] = NAMES;

    fn read(section: &mut Section) -> Option<HttpPolicy> {
        let patch = read(section);
        Some(HttpPolicy::DEFAULT.overlay(&patch, &mut section.errors))
    }
}

impl<'de> Deserialize<'de> for HttpPatch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<HttpPatch, D::Error> {
        deserialize(deserializer)
    }
}

/// Changes to [`HttpPolicy::DEFAULT`]: no field is required.
impl<'de> Deserialize<'de> for HttpPolicy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<HttpPolicy, D::Error> {
        deserialize(deserializer)
    }
}
