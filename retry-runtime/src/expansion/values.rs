//! What the value of a key is passed to. Each is a function, so that a closure in
//! the value needs no types and an error is at the user's expression.

use core::future::Future;
use core::time::Duration;
use std::time::Instant;

use super::UNLIMITED;
use crate::backoff::Backoff;
use crate::budget::Budget;
use crate::classify::Classify;
use crate::clock::{DefaultTimer, Waits};
use crate::outcome::Outcome;
use crate::policy::Policy;
use crate::retrier::{Retrier, SharedBudget};
use crate::schedule::{Schedule, delay_of};
use crate::timer::Timer;

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

/// The outcome that a function of the whole result gives, or a value that implements
/// `Classify`.
#[inline(always)]
pub fn classify<R: ?Sized, C: Classifies<R> + ?Sized>(result: &R, classifier: &C) -> Outcome {
    classifier.outcome(result)
}

/// The outcome that a closure over the whole result gives, whose parameter needs no type:
/// the result comes first.
#[inline(always)]
pub fn classify_by<R: ?Sized>(result: &R, classifier: impl FnOnce(&R) -> Outcome) -> Outcome {
    classifier(result)
}

/// What `classify` needs: `Classify`, with a message for the attribute.
#[diagnostic::on_unimplemented(
    message = "`classify` needs a function of `&{R}` that returns an `Outcome`, or a value that implements `Classify<{R}>`",
    label = "no function from `&{R}` to `Outcome`, and no `Classify<{R}>`",
    note = "a function of the error alone is for `classify_err`",
    note = "of a reference, a `Box` or an `Arc` write what it points to: `classify = &*value`"
)]
pub trait Classifies<R: ?Sized> {
    /// The outcome of the result.
    fn outcome(&self, result: &R) -> Outcome;
}

#[diagnostic::do_not_recommend]
impl<R: ?Sized, C: Classify<R> + ?Sized> Classifies<R> for C {
    #[inline(always)]
    fn outcome(&self, result: &R) -> Outcome {
        self.classify(result)
    }
}

/// The outcome that a classifier of the error gives.
#[inline(always)]
pub fn classify_err<R, F>(result: &R, classifier: F) -> Outcome
where
    R: Fallible,
    F: ClassifiesErr<R::Error>,
{
    match result.error() {
        None => Outcome::Success,
        Some(error) => classifier(error),
    }
}

/// What `classify_err` needs. A closure takes its signature from the supertrait, and what
/// is no function gets a message of ours: an error about the supertrait itself would
/// name functions and nothing else.
#[diagnostic::on_unimplemented(
    message = "`classify_err` needs a function of `&{E}` that returns an `Outcome`",
    label = "no function from `&{E}` to `Outcome`",
    note = "a value that implements `Classify` judges the whole result: write `classify = value`"
)]
pub trait ClassifiesErr<E>: FnOnce(&E) -> Outcome {}

#[diagnostic::do_not_recommend]
impl<E, F: FnOnce(&E) -> Outcome> ClassifiesErr<E> for F {}

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

/// The budget that a static is, or derefs to. A constant is refused: a reference to
/// one does not live long enough. (A closure that returns it would say so too, and
/// be one more body for rustc to check in each function.)
#[inline(always)]
pub fn static_budget(budget: &'static Budget) -> Option<&'static Budget> {
    Some(budget)
}

/// A policy, or what derefs to one, copied.
#[inline(always)]
pub fn policy(policy: &Policy) -> Policy {
    *policy
}

/// How many attempts a policy allows.
#[inline(always)]
pub fn max_attempts(policy: &Policy) -> u32 {
    policy.attempts().unwrap_or(UNLIMITED)
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
pub fn delay<S: Schedule + ?Sized>(schedule: &S, step: u32, floor: Option<Duration>) -> Duration {
    delay_of(schedule, step, floor)
}

/// The wait by a closure, whose parameter needs no type.
#[inline]
pub fn delay_by<F>(schedule: F, step: u32, floor: Option<Duration>) -> Duration
where
    F: Fn(u32) -> Duration,
{
    delay_of(&schedule, step, floor)
}

/// The wait by default: `Backoff::DEFAULT`.
#[must_use]
pub fn default_delay(step: u32, floor: Option<Duration>) -> Duration {
    delay_of(&Backoff::DEFAULT, step, floor)
}

/// What a parameter is assigned in a branch that is never taken: an assignment
/// makes the capture unique too, and is no use of the name to a lint.
pub fn never_made<T>() -> T {
    unreachable!("the assignment is never reached")
}

/// A timer, or what derefs to one.
#[inline(always)]
pub fn timer<T: Timer + ?Sized>(timer: &T) -> TimerRef<'_, T, T::Sleep> {
    TimerRef { timer, now: T::now, sleep: T::sleep, resolution: T::resolution }
}

/// A reference to a timer, with what it can do as functions, so that no use of it
/// needs to know that it is one: what is no timer has one error, where it stands.
pub struct TimerRef<'t, T: ?Sized, S> {
    timer: &'t T,
    now: fn(&T) -> Instant,
    sleep: fn(&T, Duration) -> S,
    resolution: fn(&T) -> Duration,
}

impl<T: ?Sized, S> Clone for TimerRef<'_, T, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized, S> Copy for TimerRef<'_, T, S> {}

impl<T: ?Sized, S: Future> Timer for TimerRef<'_, T, S> {
    type Sleep = S;

    fn now(&self) -> Instant {
        (self.now)(self.timer)
    }

    fn sleep(&self, delay: Duration) -> S {
        (self.sleep)(self.timer, delay)
    }

    fn resolution(&self) -> Duration {
        (self.resolution)(self.timer)
    }
}

impl<T: ?Sized, S: Future> Waits for TimerRef<'_, T, S> {}

/// What the handle of an attempt keeps of a timer: the handle's type is `Attempt`
/// for the default, and `Attempt<&T>` for a timer of type `T`.
pub trait Kept: Timer {
    /// What is kept.
    type Kept;
    /// What is kept.
    fn kept(self) -> Self::Kept;
}

impl Kept for DefaultTimer {
    type Kept = DefaultTimer;

    fn kept(self) -> DefaultTimer {
        self
    }
}

impl<'t, T: ?Sized, S: Future> Kept for TimerRef<'t, T, S> {
    type Kept = &'t T;

    fn kept(self) -> &'t T {
        self.timer
    }
}
