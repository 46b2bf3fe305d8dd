//! Measurements by the facade `metrics`.

use std::sync::Arc;

use metrics::{
    SharedString, Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge,
    histogram,
};

use super::report::Report;
use crate::event::EventKind;

/// Counter: attempts, by `name` and by the `decision` that followed from each.
pub const ATTEMPTS: &str = "retry.attempts";

/// Counter: calls, by `name` and by the final `decision`.
pub const CALLS: &str = "retry.calls";

/// Histogram: how many attempts a call made, by `name`. Its values are whole
/// numbers from 1; take the buckets 1, 2, 3, and so on up to your `attempts`.
pub const ATTEMPTS_PER_CALL: &str = "retry.attempts_per_call";

/// Counter: attempts that the layer of tower repeated within themselves, by `name`. They are
/// in no other measurement.
pub const REPEATED_AT_ONCE: &str = "retry.repeated_at_once";

/// Gauge: how many tokens the `budget` holds, 0 to its `max_tokens`. Retries are
/// refused at half of that.
pub const BUDGET_TOKENS: &str = "retry.budget.tokens";

/// Tells the recorder the units and descriptions of the measurements. Call it once,
/// after the recorder is installed.
///
/// ```
/// // After `metrics::set_global_recorder`, or an exporter's `install`.
/// retry_runtime::telemetry::describe_metrics();
/// ```
pub fn describe_metrics() {
    describe_counter!(ATTEMPTS, Unit::Count, "Attempts, by what followed from them.");
    describe_counter!(CALLS, Unit::Count, "Calls, by the decision that ended them.");
    describe_histogram!(ATTEMPTS_PER_CALL, Unit::Count, "How many attempts a call made.");
    describe_counter!(REPEATED_AT_ONCE, Unit::Count, "Attempts repeated within themselves.");
    describe_gauge!(BUDGET_TOKENS, Unit::Count, "Tokens that a budget holds.");
}

pub(super) fn send(report: &Report<'_>) {
    let name = SharedString::from_shared(Arc::from(report.name));
    let decision = report.decision.as_str();
    if report.kind == EventKind::Attempt {
        counter!(ATTEMPTS, "name" => name.clone(), "decision" => decision).increment(1);
    }
    if report.decision.is_final() {
        counter!(CALLS, "name" => name.clone(), "decision" => decision).increment(1);
        histogram!(ATTEMPTS_PER_CALL, "name" => name).record(report.attempt);
    }
    if let Some(budget) = report.budget {
        if let Some(name) = budget.name() {
            gauge!(BUDGET_TOKENS, "budget" => name).set(budget.tokens());
        }
    }
}

#[cfg(feature = "tower")]
pub(super) fn repeated_at_once(name: &str) {
    counter!(REPEATED_AT_ONCE, "name" => SharedString::from_shared(Arc::from(name))).increment(1);
}
