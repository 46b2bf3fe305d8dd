//! A policy in a configuration.

use super::{Policy, PolicyPatch, rules};
use crate::config::{Rule, Section, Settings, Value, serde_as_section};

impl Settings for PolicyPatch {
    const SECTION: &'static str = "policy";
    const NAMES: &'static [&'static str] = PolicyPatch::FIELDS;

    fn read(section: &mut Section) -> Option<PolicyPatch> {
        let patch = PolicyPatch::read_fields(section);
        patch.check_order(&mut section.errors);
        Some(patch)
    }

    fn write(&self, table: &mut Vec<(String, Value)>) {
        self.write_fields(table);
    }
}

/// `attempts` is required; the other fields are changes to `Policy::new(attempts)`.
impl Settings for Policy {
    const SECTION: &'static str = "policy";
    const NAMES: &'static [&'static str] = PolicyPatch::FIELDS;

    fn read(section: &mut Section) -> Option<Policy> {
        Some(read_policy(section).1)
    }

    fn write(&self, table: &mut Vec<(String, Value)>) {
        self.as_patch().write_fields(table);
    }
}

serde_as_section!(PolicyPatch, Policy);

/// Reads a whole policy: the fields, and what they make of the default schedule.
pub(crate) fn read_policy(section: &mut Section) -> (PolicyPatch, Policy) {
    if !section.has("attempts") {
        section.errors.add("attempts", &"missing", rules::Attempts::ALLOWED);
    }
    let patch = PolicyPatch::read_fields(section);
    let policy = Policy::new(1).overlay_whole(&patch, &mut section.errors);
    (patch, policy)
}
