//! An exit policy in a configuration.

use super::{ExitPolicy, ExitPolicyPatch};
use crate::config::{Section, Settings, Value, joined, serde_as_section};
use crate::policy::PolicyPatch;

const NAMES: &[&str] = &joined::<{ PolicyPatch::FIELDS.len() + ExitPolicyPatch::FIELDS.len() }>(
    PolicyPatch::FIELDS,
    ExitPolicyPatch::FIELDS,
);

impl Settings for ExitPolicyPatch {
    const SECTION: &'static str = "exit policy";
    const NAMES: &'static [&'static str] = NAMES;

    fn read(section: &mut Section) -> Option<ExitPolicyPatch> {
        let patch = ExitPolicyPatch::read_fields(section);
        patch.policy.check_order(&mut section.errors);
        Some(patch)
    }

    fn write(&self, table: &mut Vec<(String, Value)>) {
        self.write_fields(table);
    }
}

/// Changes to [`ExitPolicy::DEFAULT`]: no field is required.
impl Settings for ExitPolicy {
    const SECTION: &'static str = "exit policy";
    const NAMES: &'static [&'static str] = NAMES;

    fn read(section: &mut Section) -> Option<ExitPolicy> {
        let patch = ExitPolicyPatch::read_fields(section);
        let base = ExitPolicy::DEFAULT;
        let policy = base.policy.overlay_whole(&patch.policy, &mut section.errors);
        Some(base.with(policy, &patch))
    }

    fn write(&self, table: &mut Vec<(String, Value)>) {
        self.as_patch().write_fields(table);
    }
}

serde_as_section!(ExitPolicy, ExitPolicyPatch);
