//! For the tests of a program that retries (feature `test-util`): the events of a
//! call, kept as values that can be compared.
//!
//! ```toml
//! [dev-dependencies]
//! retry-runtime = { version = "0.1", features = ["test-util"] }
//! ```
//!
//! Nothing here changes how a call behaves. How to write such a test (a paused clock,
//! a budget of its own, no jitter, no waits, fewer attempts) is in the guide's page
//! [testing](crate::guide::testing) and in `examples/testing.rs`.

use core::time::Duration;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::budget::Budget;
use crate::decision::Decision;
use crate::event::{Event, EventKind};
use crate::outcome::Outcome;

/// A log of events. A clone is the same log, so a test keeps one and
/// the client has the other.
///
/// ```
/// use retry_runtime::test_util::EventLog;
/// use retry_runtime::{Decision, Outcome, retry};
///
/// #[retry(
///     attempts = 3,
///     budget = none,
///     classify_err = |_| Outcome::Stop,
///     observe = |event| log.push(event),
/// )]
/// async fn charge(log: &EventLog) -> Result<(), u16> {
///     Err(402)
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let log = EventLog::new();
/// charge(&log).await.unwrap_err();
/// assert_eq!(log.decisions(), [Decision::Stopped]);
/// # });
/// ```
///
/// A client whose events are to be seen from outside needs an observer that its tests
/// can choose, in a field: `observe = |event| (self.observer)(event)`. The layer of
/// tower takes one by its `observe`.
#[derive(Clone, Debug, Default)]
pub struct EventLog {
    records: Arc<Mutex<Vec<EventRecord>>>,
}

/// An [`Event`] that owns its values.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EventRecord {
    /// The kind of event.
    pub kind: EventKind,
    /// The label of the call.
    pub name: String,
    /// The number of the last attempt, from 1.
    pub attempt: u32,
    /// The attempts allowed to the call; `None` is no limit.
    pub max_attempts: Option<u32>,
    /// The classifier's outcome of this attempt.
    pub outcome: Outcome,
    /// The decision that followed.
    pub decision: Decision,
    /// Time since the call began, waits included, on the clock of the call: exact
    /// if that is paused.
    pub elapsed: Duration,
    /// Why the attempt did not succeed, if the event says so.
    pub error: Option<String>,
    /// The name of the budget, if it has one.
    pub budget: Option<&'static str>,
    /// The tokens of the budget at the event, if there is one.
    pub tokens: Option<f64>,
}

impl From<&Event<'_>> for EventRecord {
    fn from(event: &Event<'_>) -> EventRecord {
        EventRecord {
            kind: event.kind,
            name: event.name.to_owned(),
            attempt: event.attempt,
            max_attempts: event.max_attempts,
            outcome: event.outcome,
            decision: event.decision,
            elapsed: event.elapsed,
            error: event.error.map(ToString::to_string),
            budget: event.budget.and_then(Budget::name),
            tokens: event.budget.map(Budget::tokens),
        }
    }
}

impl EventLog {
    /// An empty log.
    #[must_use]
    pub fn new() -> EventLog {
        EventLog::default()
    }

    /// Keeps an event.
    pub fn push(&self, event: &Event<'_>) {
        self.lock().push(event.into());
    }

    /// All records so far, the oldest first.
    #[must_use]
    pub fn records(&self) -> Vec<EventRecord> {
        self.lock().clone()
    }

    /// As [`records`](EventLog::records), and empties the log.
    #[must_use]
    pub fn take(&self) -> Vec<EventRecord> {
        core::mem::take(&mut self.lock())
    }

    /// The decision of each record.
    #[must_use]
    pub fn decisions(&self) -> Vec<Decision> {
        self.lock().iter().map(|record| record.decision).collect()
    }

    /// The wait before each further attempt, by the schedule or by the server: the `delay` of every
    /// `Again`.
    #[must_use]
    pub fn delays(&self) -> Vec<Duration> {
        let delay = |record: &EventRecord| match record.decision {
            Decision::Again { delay } => Some(delay),
            _ => None,
        };
        self.lock().iter().filter_map(delay).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<EventRecord>> {
        // A test that failed while it held the log has said so itself.
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
