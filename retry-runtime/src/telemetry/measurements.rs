//! Measurements by the facade `metrics`.

use std::sync::Arc;

use metrics::{
    SharedString, Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge,
    histogram,
};

use super::report::Report;
use crate::event::EventKind;

/// Counter: attempts, by `name` and by the `decision` after each.
pub const ATTEMPTS: &str = "retry.attempts";

/// Counter: calls, by `name` and by the final `decision`.
pub const CALLS: &str = "retry.calls";

/// Histogram: how many attempts a call made, by `name`. Its values are whole
/// numbers from 1; take the buckets 1, 2, 3, and so on up to your `attempts`.
pub const ATTEMPTS_PER_CALL: &str = "retry.attempts_per_call";

/// Counter: attempts repeated within themselves by the layer of tower, by `name`. They are in no
/// other measurement.
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
            let gauge = gauge!(BUDGET_TOKENS, "budget" => name);
            rest_at(|| budget.tokens(), |tokens| gauge.set(tokens));
        }
    }
}

#[cfg(feature = "tower")]
pub(super) fn repeated_at_once(name: &str) {
    counter!(REPEATED_AT_ONCE, "name" => SharedString::from_shared(Arc::from(name))).increment(1);
}

/// Sets a gauge until it is what it shows: between a read and its write another thread may
/// have changed the value, and set the gauge before this one does.
fn rest_at(read: impl Fn() -> f64, mut set: impl FnMut(f64)) {
    let mut value = read();
    loop {
        set(value);
        let now = read();
        if now.total_cmp(&value).is_eq() {
            return;
        }
        value = now;
    }
}

/// A call whose future was dropped.
pub(super) fn dropped(name: &str) {
    let name = SharedString::from_shared(Arc::from(name));
    counter!(CALLS, "name" => name, "decision" => "dropped").increment(1);
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::rest_at;

    #[test]
    fn a_gauge_does_not_rest_at_a_value_that_has_changed_meanwhile() {
        // Another thread takes a token, and sets the gauge, between the read and the write.
        let (tokens, shown) = (Cell::new(5.0), RefCell::new(Vec::new()));
        rest_at(
            || tokens.get(),
            |value| {
                if shown.borrow().is_empty() {
                    tokens.set(4.0);
                    shown.borrow_mut().push(4.0);
                }
                shown.borrow_mut().push(value);
            },
        );
        assert_eq!(shown.into_inner(), [4.0, 5.0, 4.0]);
    }
}
