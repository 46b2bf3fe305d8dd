//! Events passed to observers.

use core::time::Duration;

use crate::budget::Budget;
use crate::decision::Decision;
use crate::outcome::Outcome;

/// What happened to a call, as its observer is told: once after every attempt,
/// and once more if the wait for the next attempt is cut short.
///
/// An observer cannot change the outcome. It runs inside the call, between the
/// decision and the wait: while it is busy, the call is not going on, and the next
/// attempt starts that much later, even past a deadline that the wait alone would
/// have kept. Hand over to another task what takes long. If it panics, the panic
/// passes through to the caller; the budget is as the decision left it.
///
/// The features `tracing` and `metrics` report the same without an observer, see
/// `telemetry`; `test_util::EventLog` (feature `test-util`) keeps events for a test.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Event<'a> {
    /// What is reported.
    pub kind: EventKind,
    /// The label of the call: what `name` says, or the function's path.
    pub name: &'a str,
    /// The number of the attempt that was made last, from 1. With
    /// [`Decision::Succeeded`]: how many attempts the success took.
    pub attempt: u32,
    /// How many attempts the call may make, the first included; `None` is no limit.
    pub max_attempts: Option<u32>,
    /// What the classifier said of that attempt.
    pub outcome: Outcome,
    /// What follows from it. `Again` carries the wait.
    pub decision: Decision,
    /// Time since the call began, waits included.
    pub elapsed: Duration,
    /// The budget, if there is one.
    pub budget: Option<&'a Budget>,
}

/// What an [`Event`] reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// An attempt ended and was decided on.
    Attempt,
    /// The wait after an `Again` was cut short by a cancellation. The decision is
    /// [`Decision::Cancelled`], and no attempt follows.
    WaitCut,
}
