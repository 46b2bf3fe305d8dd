//! A policy in a configuration.

use core::time::Duration;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};

use super::rules;
use super::{Policy, PolicyPatch};
use crate::backoff::Jitter;
use crate::config::{FromSection, Section, Value, deserialize, duration, duration_text};

const NAMES: &[&str] = &["attempts", "backoff", "initial", "max", "jitter", "within"];

/// Reads the fields of a patch. The result has those that are valid.
pub(crate) fn read_patch(section: &mut Section) -> PolicyPatch {
    PolicyPatch {
        attempts: section.field("attempts", rules::ATTEMPTS, attempts),
        backoff: section.field("backoff", rules::BACKOFF, |value| {
            let name = value.as_text()?;
            rules::curve_named(name).map(|_| name.to_owned())
        }),
        initial: section.field("initial", rules::INITIAL, delay),
        max: section.field("max", rules::MAX, delay),
        jitter: section.field("jitter", rules::JITTER, jitter),
        within: section.field("within", rules::WITHIN, within),
    }
}

/// Reads a whole policy: the fields, and what they make over
/// [`Backoff::DEFAULT`](crate::Backoff::DEFAULT).
pub(crate) fn read_policy(section: &mut Section) -> (PolicyPatch, Policy) {
    if !section.has("attempts") {
        section.errors.add("attempts", &"missing", rules::ATTEMPTS);
    }
    let patch = read_patch(section);
    let policy = Policy::new(1).overlay(&patch, &mut section.errors);
    (patch, policy)
}

fn attempts(value: &Value) -> Option<u32> {
    match value.as_text() {
        Some("unlimited") => Some(rules::UNLIMITED),
        // The largest number means no limit in code, and is a slip here.
        _ => u32::try_from(value.as_integer()?)
            .ok()
            .filter(|attempts| rules::attempts_are_valid(attempts) && *attempts < rules::UNLIMITED),
    }
}

fn delay(value: &Value) -> Option<Duration> {
    duration(value).filter(rules::duration_is_valid)
}

fn within(value: &Value) -> Option<Option<Duration>> {
    match value.as_text() {
        Some("none") => Some(None),
        _ => delay(value).map(Some),
    }
}

fn jitter(value: &Value) -> Option<Jitter> {
    let jitter = match value {
        Value::Text(name) if name == "none" => Jitter::None,
        Value::Text(name) if name == "full" => Jitter::Full,
        Value::Table(entries) => match entries.as_slice() {
            [(name, fraction)] if name == "subtract" => Jitter::Subtract(fraction.as_number()?),
            [(name, fraction)] if name == "add" => Jitter::Add(fraction.as_number()?),
            _ => return None,
        },
        _ => return None,
    };
    Some(jitter).filter(rules::jitter_is_valid)
}

impl FromSection for PolicyPatch {
    const SECTION: &'static str = "policy";
    const NAMES: &'static [&'static str] = NAMES;

    fn read(section: &mut Section) -> Option<PolicyPatch> {
        let patch = read_patch(section);
        patch.check_order(&mut section.errors);
        Some(patch)
    }
}

impl FromSection for Policy {
    const SECTION: &'static str = "policy";
    const NAMES: &'static [&'static str] = NAMES;

    fn read(section: &mut Section) -> Option<Policy> {
        Some(read_policy(section).1)
    }
}

impl<'de> Deserialize<'de> for PolicyPatch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PolicyPatch, D::Error> {
        deserialize(deserializer)
    }
}

/// `attempts` is required; the other fields are changes to `Policy::new(attempts)`.
impl<'de> Deserialize<'de> for Policy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Policy, D::Error> {
        deserialize(deserializer)
    }
}

/// Writes the fields that are present, so that what is read back changes the same.
impl Serialize for PolicyPatch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut section = serializer.serialize_struct("PolicyPatch", NAMES.len())?;
        match self.attempts {
            Some(rules::UNLIMITED) => section.serialize_field("attempts", "unlimited")?,
            Some(attempts) => section.serialize_field("attempts", &attempts)?,
            None => {}
        }
        if let Some(backoff) = &self.backoff {
            section.serialize_field("backoff", backoff)?;
        }
        for (name, delay) in [("initial", self.initial), ("max", self.max)] {
            if let Some(delay) = delay {
                section.serialize_field(name, &duration_text(delay))?;
            }
        }
        match self.within {
            Some(Some(within)) => section.serialize_field("within", &duration_text(within))?,
            Some(None) => section.serialize_field("within", "none")?,
            None => {}
        }
        if let Some(jitter) = self.jitter {
            section.serialize_field("jitter", &WrittenJitter(jitter))?;
        }
        section.end()
    }
}

struct WrittenJitter(Jitter);

impl Serialize for WrittenJitter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (name, fraction) = match self.0 {
            Jitter::None => return serializer.serialize_str("none"),
            Jitter::Full => return serializer.serialize_str("full"),
            Jitter::Subtract(fraction) => ("subtract", fraction),
            Jitter::Add(fraction) => ("add", fraction),
        };
        let mut table = serializer.serialize_map(Some(1))?;
        table.serialize_entry(name, &fraction)?;
        table.end()
    }
}
