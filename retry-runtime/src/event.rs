//! Events passed to observers.

use core::fmt::{self, Display};
use core::time::Duration;

use crate::budget::Budget;
use crate::decision::Decision;
use crate::outcome::Outcome;

/// An event of a call, for its observer: once after every attempt,
/// and once more if the wait for the next attempt is cut short.
///
/// An observer cannot change the outcome. It runs inside the call, between the decision and the
/// wait: while it is busy, the call stands still, and the next attempt starts later by this time,
/// perhaps even after the deadline. Leave slow work to another task. If it panics, the panic passes
/// through to the caller; the budget is as the decision left it.
///
/// The features `tracing` and `metrics` report the same without an observer, see
/// `telemetry`; `test_util::EventLog` (feature `test-util`) keeps events for a test.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Event<'a> {
    /// The kind of event.
    pub kind: EventKind,
    /// The label of the call: what `name` says, or the function's path.
    pub name: &'a str,
    /// The number of the last attempt, from 1. With [`Decision::Succeeded`]: how many attempts the
    /// success took.
    pub attempt: u32,
    /// The attempts allowed to the call, the first included; `None` is no limit.
    pub max_attempts: Option<u32>,
    /// The classifier's outcome of this attempt.
    pub outcome: Outcome,
    /// The decision. `Again` carries the wait.
    pub decision: Decision,
    /// Time since the call began, waits included.
    pub elapsed: Duration,
    /// Why the attempt did not succeed: the text of the key `err` (of the error and its sources),
    /// or of [`Classify::explain`](crate::Classify::explain). `None` without either, and after a
    /// success.
    ///
    /// ```
    /// use retry_runtime::{Backoff, Decision, Event, Outcome, retry};
    ///
    /// fn line(event: &Event<'_>) -> Option<String> {
    ///     let Decision::Again { delay } = event.decision else { return None };
    ///     let (attempt, max, error) = (event.attempt, event.max_attempts?, event.error?);
    ///     Some(format!("attempt {attempt} of {max}: {error}, again in {delay:?}"))
    /// }
    ///
    /// #[retry(
    ///     attempts = 2,
    ///     budget = none,
    ///     classify_err = |_| Outcome::Retry,
    ///     schedule = Backoff::constant(10ms),
    ///     err,
    ///     observe = |event| lines.extend(line(event)),
    /// )]
    /// async fn connect(lines: &mut Vec<String>) -> Result<(), std::io::Error> {
    ///     Err(std::io::ErrorKind::ConnectionRefused.into())
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let mut lines = Vec::new();
    /// connect(&mut lines).await.unwrap_err();
    /// assert_eq!(lines, ["attempt 1 of 2: connection refused, again in 10ms"]);
    /// # });
    /// ```
    pub error: Option<&'a dyn Display>,
    /// The budget, if there is one.
    pub budget: Option<&'a Budget>,
}

/// The error by its text.
impl fmt::Debug for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event")
            .field("kind", &self.kind)
            .field("name", &self.name)
            .field("attempt", &self.attempt)
            .field("max_attempts", &self.max_attempts)
            .field("outcome", &self.outcome)
            .field("decision", &self.decision)
            .field("elapsed", &self.elapsed)
            .field("error", &self.error.map(ToString::to_string))
            .field("budget", &self.budget)
            .finish()
    }
}

/// The kind of an [`Event`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// An attempt ended and was decided on.
    Attempt,
    /// The wait after an `Again` was cut short by a cancellation. The decision is
    /// [`Decision::Cancelled`], and no attempt follows.
    WaitCut,
}
