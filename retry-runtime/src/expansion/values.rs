//! What the value of a key is passed to. Each is a function, so that a closure in
//! the value needs no types and an error is at the user's expression.

use core::future::Future;
use core::pin::Pin;
use core::time::Duration;

use crate::schedule::delay_of;
use crate::{Backoff, Budget, Outcome, Policy, Retrier, Schedule, SharedBudget, waiting};

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
pub fn cancel<F: Future>(cancel: F) -> Option<F> {
    Some(cancel)
}

/// Lets go of what the user's future gave.
#[inline(always)]
pub fn completed<T>(_output: T) {}

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
