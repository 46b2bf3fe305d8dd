//! An HTTP policy in a configuration.

use core::time::Duration;

use super::{HttpPolicy, HttpPolicyPatch, rules};
use crate::backoff::Jitter;
use crate::config::{Rule, Section, Settings, Value, duration, joined, serde_as_section};
use crate::policy::PolicyPatch;

const NAMES: &[&str] = &joined::<{ PolicyPatch::FIELDS.len() + HttpPolicyPatch::FIELDS.len() }>(
    PolicyPatch::FIELDS,
    HttpPolicyPatch::FIELDS,
);

const ALIASES: &[&str] = &["max_retries", "backoff_initial", "backoff_max", "backoff_jitter"];

const ACCEPTED: &[&str] = &joined::<{ NAMES.len() + ALIASES.len() }>(NAMES, ALIASES);

const RETRIES: &str = "0 to 4294967293 (one less than `attempts`)";
const FRACTION: &str = "a fraction of 0 to 1";

fn read(section: &mut Section) -> HttpPolicyPatch {
    let max_retries = section.alias("max_retries", "attempts", RETRIES, |value| {
        u32::try_from(value.as_integer()?).ok().filter(|retries| *retries <= u32::MAX - 2)
    });
    let initial = section.alias("backoff_initial", "initial", rules::Bound::ALLOWED, duration);
    let max = section.alias("backoff_max", "max", rules::Bound::ALLOWED, duration);
    let jitter = section.alias("backoff_jitter", "jitter", FRACTION, |value| {
        value.as_number().filter(|fraction| (0.0..=1.0).contains(fraction))
    });

    let mut patch = HttpPolicyPatch::read_fields(section);
    let policy = &mut patch.policy;
    if [initial, max].contains(&Some(Duration::ZERO)) && policy.backoff.is_none() {
        policy.backoff = Some("none".to_owned());
    }
    let is_delay = |delay: &Duration| !delay.is_zero();
    policy.attempts = policy.attempts.or(max_retries.map(|retries| Some(retries + 1)));
    policy.initial = policy.initial.or(initial.filter(is_delay));
    policy.max = policy.max.or(max.filter(is_delay));
    policy.jitter = policy.jitter.or(jitter.map(Jitter::Subtract));
    patch
}

impl Settings for HttpPolicyPatch {
    const SECTION: &'static str = "http policy";
    const NAMES: &'static [&'static str] = NAMES;
    const ACCEPTED: &'static [&'static str] = ACCEPTED;

    fn read(section: &mut Section) -> Option<HttpPolicyPatch> {
        let patch = read(section);
        patch.check_order(&mut section.errors);
        Some(patch)
    }

    fn write(&self, table: &mut Vec<(String, Value)>) {
        self.write_fields(table);
    }
}

/// Changes to [`HttpPolicy::DEFAULT`]: no field is required.
impl Settings for HttpPolicy {
    const SECTION: &'static str = "http policy";
    const NAMES: &'static [&'static str] = NAMES;
    const ACCEPTED: &'static [&'static str] = ACCEPTED;

    fn read(section: &mut Section) -> Option<HttpPolicy> {
        let patch = read(section);
        let base = HttpPolicy::DEFAULT;
        let policy = base.policy().overlay_whole(&patch.policy, &mut section.errors);
        Some(base.with(policy, &patch, &mut section.errors))
    }

    fn write(&self, table: &mut Vec<(String, Value)>) {
        self.as_patch().write_fields(table);
    }
}

serde_as_section!(HttpPolicy, HttpPolicyPatch);
