//! Telemetry of retries, by the features `tracing` and `metrics`.
//!
//! It is the same for the attribute, for a [`Call`](crate::Call) by hand and for the layer of
//! tower, and there is nothing to write at a call site: the features turn it on, and a subscriber
//! or a recorder receives it. Both come before the observer of `observe`. Arguments of the function
//! are never reported, and the text of an error only if the key `err` asks for it. Each label has
//! few values: the name of a call or a budget is a constant of the program, the others are the
//! names of [`Outcome`](crate::Outcome) and [`Decision`](crate::Decision).
//!
//! A call whose future is dropped, in an attempt or in a wait, is reported too: under an outer time
//! limit these are the calls that fail. A future that was never polled is no call yet, and a
//! dropped loop by hand with [`Call`](crate::Call) is not noticed.
//!
//! # Events (`tracing`)
//!
//! Their target is `retry_runtime`, so a filter is `retry_runtime=info`. A call which its
//! classifier stops at the first attempt (a 404, say) is reported as failed too; to see retries
//! alone, filter by the event's name.
//!
//! | the&nbsp;event's&nbsp;name | its&nbsp;level | when | its&nbsp;message |
//! |---|---|---|---|
//! | `retry.again` | `WARN` | an attempt failed and another follows; before the wait | `attempt failed, another follows` |
//! | `retry.again` | `INFO` | the same after a `Repeat`, which is no failure | `attempt was well, another follows` |
//! | `retry.failed` | `WARN` | the call ended without a success | `call failed` |
//! | `retry.dropped` | `INFO` | the call's future was dropped before it had ended | `call was dropped` |
//! | `retry.recovered` | `INFO` | the call succeeded after more than one attempt | `call succeeded after a retry` |
//!
//! A call that succeeds at the first attempt has no event.
//!
//! | name&nbsp;of&nbsp;the&nbsp;field | type | on&nbsp;events | meaning |
//! |---|---|---|---|
//! | `retry.name` | string | all | the label of the call; absent if it has none |
//! | `retry.attempt` | integer | all | the number of the last attempt, from 1; in `dropped`, of the running or awaited one |
//! | `retry.max_attempts` | integer | all | how many attempts the call may make; absent without a limit, and of `dropped` |
//! | `retry.outcome` | string | `again`, `failed` | the outcome of the attempt: `retry`, `retry_after`, `retry_in`, `repeat`, `repeat_after`, `repeat_in`, `fail`, `stop`; absent after a cancelled wait without an observer |
//! | `retry.decision` | string | all | `again`, `succeeded`, `stopped`, `failed`, `exhausted`, `throttled`, `expired`, `cancelled`, `dropped` |
//! | `retry.delay` | float | `again` | the wait that follows, in seconds |
//! | `retry.budget.name` | string | all | the name of the budget; absent if it has none, of `dropped`, or after a cancelled wait without an observer |
//! | `retry.budget.tokens` | float | all | the tokens of the budget after the decision; absent without one, of `dropped`, or after a cancelled wait without an observer |
//! | `error.type` | string | `failed` | the same as `retry.decision` |
//! | `http.response.status_code` | integer | `again`, `failed`, `recovered` | the status of an answer of HTTP, where the call is the layer's |
//! | `error` | string | `again`, `failed` | the text of the key `err`, at most 1,000 characters; absent without the key |
//!
//! `error.type` is the attribute of OpenTelemetry's semantic conventions for the
//! class of error that an operation ended with. They have none for retries in
//! general, so the others are in a namespace of their own; durations are in seconds,
//! as everywhere in the conventions. `http.request.resend_count` belongs on the span
//! of one HTTP request, see below.
//!
//! How long the call has taken is not a field: a call without a time limit reads no
//! clock, and both the event and a span around it are stamped by the subscriber.
//!
//! # Spans
//!
//! This crate opens none. `#[tracing::instrument]` above `#[retry]` opens a span for
//! each attempt, and below it one for each call; each shows in the code. Above, the
//! span can carry what the attempt knows:
//!
//! ```
//! # #[cfg(all(feature = "tracing", feature = "macros"))] {
//! # use retry_runtime::{Budget, Outcome, retry};
//! # static PAYMENTS: Budget = Budget::new(10, 0.1);
//! # mod tracing { pub use ::tracing::*; pub use ::tracing_attributes::instrument; }
//! #[tracing::instrument(skip_all, fields(http.request.resend_count = attempt.number() - 1))]
//! #[retry(
//!     attempts = 4,
//!     budget = PAYMENTS,
//!     classify_err = |_| Outcome::Retry,
//!     attempt = attempt,
//! )]
//! async fn charge(cents: u32) -> Result<u32, std::io::Error> {
//!     Ok(cents)
//! }
//! # }
//! ```
//!
//! # Measurements (`metrics`)
//!
//! | name&nbsp;and&nbsp;its&nbsp;constant | kind | the&nbsp;labels | meaning |
//! |---|---|---|---|
//! | `retry.attempts` (`ATTEMPTS`) | counter | `name`, `decision` | attempts, by the decision after them |
//! | `retry.calls` (`CALLS`) | counter | `name`, `decision` | calls, by the final decision, or `dropped` |
//! | `retry.attempts_per_call` (`ATTEMPTS_PER_CALL`) | histogram | `name` | how many attempts a call made |
//! | `retry.repeated_at_once` (`REPEATED_AT_ONCE`) | counter | `name` | requests sent again within an attempt, because the server had not processed them (gRPC's transparent retries): no attempt, no token |
//! | `retry.budget.tokens` (`BUDGET_TOKENS`) | gauge | `budget` | tokens of a named budget, after each decision |
//!
//! `name` is the label of the call, and empty if it has none; `budget` is what
//! [`Budget::named`](crate::Budget::named) says. A budget without a name has no gauge.
//! An exporter for Prometheus writes `_` for each dot. Its convention that a counter ends in
//! `_total` is the exporter's to keep: `PrometheusBuilder::with_recommended_naming(true)` of
//! `metrics-exporter-prometheus` makes `retry_calls_total` of `retry.calls`. The gauge never
//! rests at a stale value: it is set again until it is what the budget holds.
//! `describe_metrics` gives a
//! recorder the units and descriptions. An attempt whose wait is cut short counts as
//! `again` in the first counter, its call as `cancelled` in the second.
//!
//! With this feature an attempt allocates for its labels, as the macros of `metrics`
//! do for every label that is not a literal. Nothing else in this crate allocates.

#[cfg(feature = "tracing")]
mod events;
#[cfg(feature = "metrics")]
mod measurements;
mod report;
mod watch;

#[cfg(feature = "metrics")]
pub use measurements::{
    ATTEMPTS, ATTEMPTS_PER_CALL, BUDGET_TOKENS, CALLS, REPEATED_AT_ONCE, describe_metrics,
};

pub(crate) use report::Report;
pub(crate) use watch::Watch;

/// Apart from the loop, which every annotated function has a copy of.
#[cfg(any(feature = "tracing", feature = "metrics"))]
#[inline(never)]
fn send(report: &Report<'_>) {
    #[cfg(feature = "metrics")]
    measurements::send(report);
    #[cfg(feature = "tracing")]
    events::send(report);
}

/// An attempt is repeated within itself: no attempt, no token, a count of its own.
#[cfg(feature = "tower")]
#[cfg_attr(not(feature = "metrics"), allow(unused_variables, clippy::missing_const_for_fn))]
pub(crate) fn repeated_at_once(name: &str) {
    #[cfg(feature = "metrics")]
    measurements::repeated_at_once(name);
}
