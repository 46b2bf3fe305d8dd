//! The values of the keys. Each goes through a function that is named like its key, so that a
//! closure needs no types, a value keeps its own type, and an error of rustc is at the user's
//! expression and names nothing but the key. In one file, however long, so that the
//! sentences which rustc shows of them read alike.

mod cancellation;
mod explanations;
mod reasons;
mod schedules;
mod time;

/// Uses what an attempt may have consumed. rustc names the macro where one did, so its name is
/// the sentence.
#[doc(hidden)]
#[macro_export]
macro_rules! __used_after_an_attempt {
    (async { $($attempt:tt)* }) => {
        async { $($attempt)* }
    };
    ($parameter:expr) => {
        _ = &$parameter;
    };
}

pub use __used_after_an_attempt as what_an_attempt_consumes_needs_the_key_clone;
pub use cancellation::*;
pub use explanations::*;
pub use reasons::*;
pub use schedules::*;
pub use time::*;

use core::future::Future;
use core::ops::Deref;
use core::time::Duration;

use crate::budget::Budget;
use crate::classify::Classify;
use crate::clock::{DefaultTimer, Waits};
use crate::event::Event;
use crate::outcome::Outcome;
use crate::policy::Policy;
use crate::retrier::{Retrier, SharedBudget};
use crate::time::Instant;
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
pub fn classify<R, C>(result: &R, classifier: &C) -> Outcome
where
    R: ?Sized,
    // rustc shows the line of a bound that is not met.
    C: Classifier<R> + ?Sized, // a function of the error alone is for `classify_err`
{
    classifier.outcome(result)
}

/// The outcome that a closure over the whole result gives, whose parameter needs no type:
/// the result comes first.
#[inline(always)]
pub fn classify_by<R, F>(result: &R, classifier: F) -> Outcome
where
    R: ?Sized,
    F: FnOnce(&R) -> Outcome, // a closure over the error alone is for `classify_err`
{
    classifier(result)
}

/// What `classify` needs: `Classify`, with a message for the attribute.
#[diagnostic::on_unimplemented(
    message = "`classify` needs a function of `&{R}` that returns an `Outcome`, or a value that implements `Classify<{R}>`",
    label = "no function from `&{R}` to `Outcome`, and no `Classify<{R}>`",
    note = "a function of the error alone is for `classify_err`",
    note = "of a reference, a `Box` or an `Arc` write what it points to: `classify = &*value`"
)]
pub trait Classifier<R: ?Sized> {
    /// The outcome of the result.
    fn outcome(&self, result: &R) -> Outcome;
}

#[diagnostic::do_not_recommend]
impl<R: ?Sized, C: Classify<R> + ?Sized> Classifier<R> for C {
    #[inline(always)]
    fn outcome(&self, result: &R) -> Outcome {
        self.classify(result)
    }
}

/// The outcome that a classifier of the error gives.
#[inline(always)]
pub fn classify_err<R, F>(result: &R, classifier: F) -> Outcome
where
    R: HasError,
    F: ErrClassifier<R::Error>,
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
pub trait ErrClassifier<E>: FnOnce(&E) -> Outcome {}

#[diagnostic::do_not_recommend]
impl<E, F: FnOnce(&E) -> Outcome> ErrClassifier<E> for F {}

/// What `classify_err` needs of a function's return type.
#[diagnostic::on_unimplemented(
    message = "`classify_err` needs a function that returns a `Result`, and this one returns `{Self}`",
    label = "not a `Result`, so there is no error to classify",
    note = "write `classify = ..`, which is given a reference to the whole return value"
)]
pub trait HasError {
    /// The error of the result.
    type Error;
    /// The error, if the result is one.
    fn error(&self) -> Option<&Self::Error>;
}

impl<T, E> HasError for Result<T, E> {
    type Error = E;
    #[inline(always)]
    fn error(&self) -> Option<&E> {
        self.as_ref().err()
    }
}

/// A budget, or what derefs to one, through any number of references.
#[diagnostic::on_unimplemented(
    message = "`budget` needs a `Budget`, or what derefs to one, and this is `{Self}`",
    label = "no `Budget`, and derefs to none",
    note = "write `budget = PAYMENTS` with `static PAYMENTS: Budget = Budget::new(10, 0.1);`, or `budget = none`"
)]
pub trait HasBudget {
    /// The budget.
    fn its_budget(&self) -> &Budget;
}

impl HasBudget for Budget {
    #[inline(always)]
    fn its_budget(&self) -> &Budget {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<D: Deref + ?Sized> HasBudget for D
where
    D::Target: HasBudget,
{
    #[inline(always)]
    fn its_budget(&self) -> &Budget {
        (**self).its_budget()
    }
}

/// A policy, or what derefs to one, copied.
#[inline(always)]
pub fn policy<P: HasPolicy + ?Sized>(policy: &P) -> Policy {
    *policy.its_policy()
}

/// A policy, or what derefs to one, through any number of references.
#[diagnostic::on_unimplemented(
    message = "`policy` needs a `Policy`, or what derefs to one, and this is `{Self}`",
    label = "no `Policy`, and derefs to none",
    note = "write `policy = POLICY` with `const POLICY: Policy = Policy::new(4);`, of an `HttpPolicy` or an `ExitPolicy` its `.policy()`, and of a `Backoff` alone `schedule = ..`"
)]
pub trait HasPolicy {
    /// The policy.
    fn its_policy(&self) -> &Policy;
}

impl HasPolicy for Policy {
    #[inline(always)]
    fn its_policy(&self) -> &Policy {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<D: Deref + ?Sized> HasPolicy for D
where
    D::Target: HasPolicy,
{
    #[inline(always)]
    fn its_policy(&self) -> &Policy {
        (**self).its_policy()
    }
}

/// A retrier, or what derefs to one, through any number of references.
#[diagnostic::on_unimplemented(
    message = "`retrier` needs a `Retrier`, or what derefs to one, and this is `{Self}`",
    label = "no `Retrier`, and derefs to none",
    note = "write `retrier = PAYMENTS`, with `static PAYMENTS: Retrier<Http> = Retrier::new(Policy::new(4), Budget::new(10, 0.1), Http);`"
)]
pub trait HasRetrier {
    /// Its classifier.
    type Classifier;
    /// Its budget.
    type Budget: SharedBudget;
    /// The retrier.
    fn its_retrier(&self) -> &Retrier<Self::Classifier, Self::Budget>;
}

impl<C, B: SharedBudget> HasRetrier for Retrier<C, B> {
    type Classifier = C;
    type Budget = B;
    #[inline(always)]
    fn its_retrier(&self) -> &Retrier<C, B> {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<D: Deref + ?Sized> HasRetrier for D
where
    D::Target: HasRetrier,
{
    type Classifier = <D::Target as HasRetrier>::Classifier;
    type Budget = <D::Target as HasRetrier>::Budget;
    #[inline(always)]
    fn its_retrier(&self) -> &Retrier<Self::Classifier, Self::Budget> {
        (**self).its_retrier()
    }
}

/// A retrier that judges a result. It is a trait, because rustc would report what is no retrier a
/// second time for a `T::Classifier`.
pub trait Judges<R: ?Sized>: HasRetrier {
    /// What its classifier says.
    fn judge(&self, result: &R) -> Outcome;
}

impl<R, T, C> Judges<R> for T
where
    R: ?Sized,
    T: HasRetrier<Classifier = C> + ?Sized,
    C: Classify<R>,
{
    #[inline(always)]
    fn judge(&self, result: &R) -> Outcome {
        self.its_retrier().classify(result)
    }
}

/// The parts of a `retrier`.
pub mod retrier {
    use super::{Budget, HasRetrier, Judges, Outcome, Policy};

    /// Its policy, copied.
    #[inline(always)]
    pub fn policy<T: HasRetrier + ?Sized>(retrier: &T) -> Policy {
        *retrier.its_retrier().policy()
    }

    /// Its budget.
    #[inline(always)]
    pub fn budget<T: HasRetrier + ?Sized>(retrier: &T) -> Option<&Budget> {
        retrier.its_retrier().budget()
    }

    /// Its classifier.
    #[inline(always)]
    pub fn classifier<T: HasRetrier + ?Sized>(retrier: &T) -> &T::Classifier {
        retrier.its_retrier().classifier()
    }

    /// What its classifier says.
    #[inline(always)]
    pub fn classify<R: ?Sized, T: Judges<R> + ?Sized>(result: &R, retrier: &T) -> Outcome {
        retrier.judge(result)
    }
}

/// A budget that is not named like a static. The module's name is as long as that of the
/// next, so that the expansion is the same up to a name that is being typed: rust-analyzer
/// completes by that.
pub mod of_shared {
    use super::{Budget, HasBudget};

    /// A budget, or what derefs to one.
    #[inline(always)]
    pub fn budget<B: HasBudget + ?Sized>(budget: &B) -> Option<&Budget> {
        Some(budget.its_budget())
    }
}

/// What is named like a static must be one: a reference to a constant does not live long
/// enough.
pub mod of_static {
    use super::{Budget, HasBudget};

    /// The budget that a static is, or derefs to.
    #[inline(always)]
    pub fn budget<B: HasBudget + ?Sized>(budget: &'static B) -> Option<&'static Budget> {
        Some(budget.its_budget())
    }

    /// A static retrier. It is returned by a function, because rustc says only once that a
    /// function cannot return a reference to a constant.
    #[inline(always)]
    pub fn retrier<T: ?Sized>(retrier: fn() -> &'static T) -> &'static T {
        retrier()
    }
}

/// The value of `name`.
#[inline(always)]
pub const fn name(name: &'static str) -> &'static str {
    name
}

/// The value of `observe`.
#[inline(always)]
pub fn observe<O: Observer>(observer: O) -> Observing<O> {
    Observing { observer, tell: |observer, event| observer(event) }
}

/// An observer, with what it can do as a function, so that no use of it needs to know that it
/// is one: what is none has one error, where it stands.
pub struct Observing<O> {
    observer: O,
    tell: fn(O, &Event<'_>),
}

impl<O> Observing<O> {
    #[inline(always)]
    pub(crate) fn tell(self, event: &Event<'_>) {
        (self.tell)(self.observer, event);
    }
}

/// What `observe` needs. A closure takes its signature from the supertrait.
#[diagnostic::on_unimplemented(
    message = "`observe` needs a function of `&Event<'_>`, and this is `{Self}`",
    label = "no function of `&Event<'_>`",
    note = "of an `Arc<dyn Fn(&Event<'_>)>` write `observe = &*value`"
)]
pub trait Observer: FnOnce(&Event<'_>) {}

#[diagnostic::do_not_recommend]
impl<F: FnOnce(&Event<'_>)> Observer for F {}

/// A timer, or what derefs to one. Its sleep is a parameter: of what is no timer rustc would
/// report a `T::Sleep` a second time. Its result is on a line of its own, because rustc shows that
/// of the function.
#[inline(always)]
#[rustfmt::skip]
pub fn timer<T, S>(timer: &T)
    -> TimerRef<'_, T, S>
where
    T: Timer<Sleep = S> + ?Sized,
    S: Future,
{
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
