//! What the expansion of `#[retry]` calls: not public, and free to change.
//!
//! It is the loop of [`Call`](crate::Call) in another form. An annotated function
//! knows its settings at compile time, so they are arguments here, and the only
//! state that lives across an attempt is the attempt's number (and, where the
//! function has a time limit, the limit). Success and `Stop` are decided inline;
//! everything else is one cold function that no caller instantiates.

pub use core::clone::Clone;
pub use core::option::Option;
pub use core::pin::pin;
pub use core::time::Duration;
pub use core::{compile_error, concat, module_path};

use core::future::{Future, IntoFuture};
use core::pin::Pin;
use std::time::Instant;

pub use crate::{Attempt, Backoff, Budget, Decision, Outcome, Policy, Retrier};

use crate::decision::{Failure, after_failure};
use crate::schedule::delay_of;
use crate::{Event, EventKind, Schedule, SharedBudget, clock, waiting};

/// What is known of an annotated function at compile time, or read from its
/// policy when the call began.
#[derive(Clone, Copy)]
pub struct Site {
    /// The label of its events.
    pub name: &'static str,
    /// How many attempts it may make.
    pub attempts: u32,
}

/// The state of one call of an annotated function.
pub struct Attempts<L> {
    number: u32,
    limit: L,
}

/// What may end a call besides its result: `NoLimit` costs nothing to keep.
pub trait Limit {
    #[doc(hidden)]
    fn limits(&self) -> Limits;
}

/// Neither a time limit nor an observer nor a cancellation.
#[derive(Clone, Copy)]
pub struct NoLimit;

/// Some of them.
#[derive(Clone, Copy, Default)]
pub struct Limits {
    started: Option<Instant>,
    deadline: Option<Instant>,
    cancelled: bool,
}

impl Limit for NoLimit {
    #[inline(always)]
    fn limits(&self) -> Limits {
        Limits { started: None, deadline: None, cancelled: false }
    }
}

impl Limit for Limits {
    #[inline(always)]
    fn limits(&self) -> Limits {
        *self
    }
}

impl Attempts<NoLimit> {
    /// Before the first attempt.
    #[inline(always)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Attempts { number: 1, limit: NoLimit }
    }
}

impl<L: Limit> Attempts<L> {
    fn change(self, change: impl FnOnce(&mut Limits)) -> Attempts<Limits> {
        let mut limit = self.limit.limits();
        change(&mut limit);
        Attempts { number: self.number, limit }
    }

    /// No further attempt this long from now. With a deadline, the earlier counts.
    pub fn within(self, within: Duration) -> Attempts<Limits> {
        self.within_option(Some(within))
    }

    /// As `within`, for a policy, whose time limit is optional.
    pub fn within_option(self, within: Option<Duration>) -> Attempts<Limits> {
        self.change(|limits| {
            let Some(within) = within else { return };
            let now = *limits.started.get_or_insert_with(clock::now);
            // A limit too long for the clock to express is no limit.
            if let Some(deadline) = now.checked_add(within) {
                limits.at_most(deadline);
            }
        })
    }

    /// No further attempt at or after `deadline`.
    pub fn deadline(self, deadline: impl Into<Instant>) -> Attempts<Limits> {
        self.change(|limits| limits.at_most(deadline.into()))
    }

    /// Reads the clock, for the `elapsed` of events.
    pub fn observed(self) -> Attempts<Limits> {
        self.change(|limits| {
            limits.started.get_or_insert_with(clock::now);
        })
    }

    /// Can be given up.
    pub fn cancellable(self) -> Attempts<Limits> {
        self.change(|_| {})
    }

    /// The attempt that runs now.
    #[inline]
    pub fn attempt(&self) -> Attempt {
        Attempt { number: self.number, deadline: self.limit.limits().deadline }
    }

    /// What follows the attempt that ended with `outcome`. `schedule` is asked
    /// for the wait after an attempt, given a floor, and only if there is one.
    #[inline(always)]
    pub fn decide(
        &mut self,
        outcome: Outcome,
        budget: Option<&Budget>,
        site: Site,
        schedule: impl Fn(u32, Option<Duration>) -> Duration,
    ) -> Decision {
        match outcome {
            Outcome::Success => {
                if let Some(budget) = budget {
                    budget.refill();
                }
                Decision::Succeeded
            }
            Outcome::Stop => Decision::Stopped,
            _ => {
                let limits = self.limit.limits();
                retry(&mut self.number, outcome, budget, site.attempts, &limits, &schedule)
            }
        }
    }

    /// As `decide`, and tells `observer`, whose every call carries the attempt
    /// that was made.
    #[inline]
    pub fn decide_observed(
        &mut self,
        outcome: Outcome,
        budget: Option<&Budget>,
        site: Site,
        schedule: impl Fn(u32, Option<Duration>) -> Duration,
        observer: impl FnOnce(&Event<'_>),
    ) -> Decision {
        let attempt = self.number;
        let decision = self.decide(outcome, budget, site, schedule);
        observer(&self.event(EventKind::Attempt, attempt, outcome, decision, budget, site));
        decision
    }

    /// Tells `observer` that the wait for this attempt was cut short.
    #[inline]
    pub fn cut(
        &self,
        outcome: Outcome,
        budget: Option<&Budget>,
        site: Site,
        observer: impl FnOnce(&Event<'_>),
    ) {
        let made = self.number - 1;
        let decision = Decision::Cancelled;
        observer(&self.event(EventKind::WaitCut, made, outcome, decision, budget, site));
    }

    fn event<'a>(
        &self,
        kind: EventKind,
        attempt: u32,
        outcome: Outcome,
        decision: Decision,
        budget: Option<&'a Budget>,
        site: Site,
    ) -> Event<'a> {
        let now = clock::now();
        let started = self.limit.limits().started.unwrap_or(now);
        let elapsed = now.saturating_duration_since(started);
        Event { kind, name: site.name, attempt, outcome, decision, elapsed, budget }
    }
}

impl Limits {
    fn at_most(&mut self, deadline: Instant) {
        self.deadline = Some(self.deadline.map_or(deadline, |earlier| earlier.min(deadline)));
    }
}

impl Attempts<Limits> {
    /// The call was cancelled: no further attempt starts.
    pub fn give_up(&mut self) {
        self.limit.cancelled = true;
    }
}

/// Not generic, so that the whole program has it once.
#[cold]
#[inline(never)]
fn retry(
    number: &mut u32,
    outcome: Outcome,
    budget: Option<&Budget>,
    max_attempts: u32,
    limits: &Limits,
    schedule: &dyn Fn(u32, Option<Duration>) -> Duration,
) -> Decision {
    let Limits { deadline, cancelled, .. } = *limits;
    let attempt = *number;
    let failure = Failure { attempt, max_attempts, outcome, budget, deadline, cancelled };
    let decision = after_failure(failure, clock::now, schedule);
    if !decision.is_final() {
        *number = number.saturating_add(1);
    }
    decision
}

/// `attempts`, checked when it is compiled.
#[track_caller]
#[must_use]
pub const fn attempts(attempts: u32) -> u32 {
    assert!(
        attempts > 0,
        "`attempts` must be at least 1: it counts every call, the first included"
    );
    attempts
}

/// The outcome that a classifier of the whole result gives. The result comes
/// first, so that the parameter of a closure needs no type.
#[inline(always)]
pub fn classify<R: ?Sized, F>(result: &R, classifier: F) -> Outcome
where
    F: FnOnce(&R) -> Outcome,
{
    classifier(result)
}

/// The outcome that a classifier of the error gives.
#[inline(always)]
pub fn classify_err<R: Fallible, F>(result: &R, classifier: F) -> Outcome
where
    F: FnOnce(&R::Error) -> Outcome,
{
    match result.error() {
        None => Outcome::Success,
        Some(error) => classifier(error),
    }
}

/// What `classify_err` needs of a function's return type.
#[diagnostic::on_unimplemented(
    message = "`classify_err` needs a function that returns a `Result`, and this one returns `{Self}`",
    label = "not a `Result`, so there is no error to classify",
    note = "write `classify = ..`, which is given a reference to the whole return value"
)]
pub trait Fallible {
    /// The error of the result.
    type Error;
    /// The error, if the result is one.
    fn error(&self) -> Option<&Self::Error>;
}

impl<T, E> Fallible for Result<T, E> {
    type Error = E;
    #[inline(always)]
    fn error(&self) -> Option<&E> {
        self.as_ref().err()
    }
}

/// A budget, or what derefs to one.
#[inline(always)]
pub fn budget(budget: &Budget) -> Option<&Budget> {
    Some(budget)
}

/// The budget that a static is, or derefs to. A constant is refused: it has no
/// place to point to.
#[inline(always)]
pub fn static_budget(budget: fn() -> &'static Budget) -> Option<&'static Budget> {
    Some(budget())
}

/// A policy, or what derefs to one, copied.
#[inline(always)]
pub fn policy(policy: &Policy) -> Policy {
    *policy
}

/// A retrier, or what derefs to one.
#[inline(always)]
pub fn retrier<C, B: SharedBudget>(retrier: &Retrier<C, B>) -> &Retrier<C, B> {
    retrier
}

/// The retrier that a static is, or derefs to.
#[inline(always)]
pub fn static_retrier<C, B: SharedBudget>(
    retrier: fn() -> &'static Retrier<C, B>,
) -> &'static Retrier<C, B> {
    retrier()
}

/// The wait by a schedule.
#[inline]
pub fn delay<S: Schedule + ?Sized>(
    schedule: &S,
    attempt: u32,
    floor: Option<Duration>,
) -> Duration {
    delay_of(schedule, attempt, floor)
}

/// The wait by a closure, whose parameter needs no type.
#[inline]
pub fn delay_by<F>(schedule: F, attempt: u32, floor: Option<Duration>) -> Duration
where
    F: Fn(u32) -> Duration,
{
    delay_of(&schedule, attempt, floor)
}

/// The wait where nothing says otherwise: `Backoff::DEFAULT`.
#[must_use]
pub fn default_delay(attempt: u32, floor: Option<Duration>) -> Duration {
    delay_of(&Backoff::DEFAULT, attempt, floor)
}

/// Says that a parameter must still be there at the next attempt: the error for
/// a body that consumes it lands on the parameter.
#[inline(always)]
pub fn usable<T: ?Sized>(_parameter: &T) {}

/// Makes an attempt's capture of a parameter unique, so that it need only be
/// `Send`. Never run.
#[inline(always)]
pub fn unique<T: ?Sized>(_parameter: &mut T) {}

/// Waits on tokio's timer.
#[cfg(feature = "tokio")]
#[inline]
pub fn wait(delay: Duration) -> impl Future<Output = ()> {
    waiting::wait(delay)
}

/// A cancellation: `None` once it has completed, so that it is not polled again.
pub fn cancel<F: IntoFuture>(cancel: F) -> Option<F::IntoFuture> {
    Some(cancel.into_future())
}

/// Polls the cancellation once: whether it has completed, now or before.
pub async fn is_cancelled<F: Future>(mut cancel: Pin<&mut Option<F>>) -> bool {
    if let Some(future) = cancel.as_mut().as_pin_mut() {
        if !waiting::is_ready(future).await {
            return false;
        }
        cancel.set(None);
    }
    true
}

/// Waits on tokio's timer, unless the cancellation completes first: whether the
/// wait was over.
#[cfg(feature = "tokio")]
pub async fn wait_unless<F: Future>(mut cancel: Pin<&mut Option<F>>, delay: Duration) -> bool {
    let Some(future) = cancel.as_mut().as_pin_mut() else { return false };
    let waited = waiting::unless(future, waiting::wait(delay)).await;
    if !waited {
        cancel.set(None);
    }
    waited
}
