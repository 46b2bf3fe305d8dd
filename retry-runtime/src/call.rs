//! The `Call`: one call's attempts, for a loop by hand.

mod time;

use core::fmt;
use core::time::Duration;
use std::time::Instant;

use crate::attempt;
#[cfg(feature = "tower")]
use crate::attempt::Attempt;
use crate::budget::Budget;
use crate::clock::DefaultTimer;
use crate::decision::{self, Decision, Limits, Progress, Rest, Sources};
use crate::event::{Event, EventKind};
use crate::outcome::Outcome;
use crate::policy::Policy;
use crate::reason::{Told, unless_empty};
use crate::schedule::{Schedule, delay_of};
use crate::telemetry::{Report, Watch};
use crate::timer::Timer;

/// The state of one call: which attempt runs, and when it must be over. Only the
/// budget is shared with other calls.
///
/// ```
/// use retry_runtime::{Budget, Outcome, Policy};
///
/// static PAYMENTS: Budget = Budget::new(10, 0.1);
/// const POLICY: Policy = Policy::new(4);
///
/// # async fn send(attempt: u32) -> Result<u32, std::io::Error> { Ok(attempt) }
/// # async fn charge() -> Result<u32, std::io::Error> {
/// let mut call = POLICY.call(&PAYMENTS);
/// let receipt = loop {
///     let result = send(call.attempt()).await;
///     let outcome = if result.is_ok() { Outcome::Success } else { Outcome::Retry };
///     if !call.again(outcome).await {
///         break result;
///     }
/// };
/// receipt
/// # }
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(charge()).unwrap();
/// ```
///
/// [`run`](Call::run) is the whole loop around a closure. In a loop by hand, as the first
/// example, let every attempt reach [`again`](Call::again) or [`decide`](Call::decide), the
/// successful one too: one that returns early on success never credits the budget, which
/// then runs dry.
///
/// Nothing is held between attempts: dropping a call, or the future of a wait, at any
/// point leaves the budget as the last decision left it. The policy is held by value, so
/// a call can live in a struct or a stream.
///
/// `T` is the timer: the default's, or a reference to that of [`timer`](Call::timer). `C` is
/// the classifier, which [`Retrier::call`](crate::Retrier::call) gives along.
#[must_use = "a call does nothing until it is asked to decide"]
pub struct Call<'b, T = DefaultTimer, C = ()> {
    policy: Policy,
    budget: Option<&'b Budget>,
    schedule: Option<&'b (dyn Schedule + Sync)>,
    observer: Option<&'b (dyn Fn(&Event<'_>) + Sync)>,
    name: &'b str,
    timer: T,
    classifier: C,
    progress: Progress,
    /// Read only where something needs it: a limit in time or an observer.
    started: Option<Instant>,
    /// The limit that [`deadline`](Call::deadline) gives.
    given_deadline: Option<Instant>,
    decision: Option<Decision>,
    outcome: Outcome,
    /// It waits by blocking its thread, so it tells the time of threads.
    is_blocking: bool,
}

impl Policy {
    /// Starts a call whose retries `budget` limits, with the settings of this
    /// policy. The clock (tokio's, with the feature `tokio`) is read here only
    /// if the policy has a time limit.
    ///
    /// ```
    /// use retry_runtime::{Budget, Outcome, Policy};
    ///
    /// static PAYMENTS: Budget = Budget::new(10, 0.1);
    /// const POLICY: Policy = Policy::new(4);
    ///
    /// # async fn send() -> Result<(), std::io::Error> { Ok(()) }
    /// # fn classify<T, E>(r: &Result<T, E>) -> Outcome { if r.is_ok() { Outcome::Success } else { Outcome::Retry } }
    /// async fn charge() -> Result<(), std::io::Error> {
    ///     let mut call = POLICY.call(&PAYMENTS);
    ///     loop {
    ///         let result = send().await;
    ///         if !call.again(classify(&result)).await {
    ///             break result;
    ///         }
    ///     }
    /// }
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(charge()).unwrap();
    /// ```
    pub fn call<'b>(&self, budget: &'b Budget) -> Call<'b> {
        Call::new(*self, Some(budget), ())
    }

    /// Starts a call that no budget limits. That is right where one caller
    /// retries and nobody else does, such as a connection made at startup; on the
    /// path of requests, retries without a budget multiply an outage.
    pub fn call_without_budget(&self) -> Call<'static> {
        Call::new(*self, None, ())
    }
}

impl<'b, C> Call<'b, DefaultTimer, C> {
    pub(crate) fn new(policy: Policy, budget: Option<&'b Budget>, classifier: C) -> Self {
        Call {
            policy,
            budget,
            schedule: None,
            observer: None,
            name: "",
            timer: DefaultTimer,
            classifier,
            progress: Progress::START,
            started: policy.within.map(|_| DefaultTimer.now()),
            given_deadline: None,
            decision: None,
            outcome: Outcome::Success,
            is_blocking: false,
        }
    }
}

impl<'b, T, C> Call<'b, T, C> {
    /// Waits, and tells the time, by `timer`: the clock and the sleep of another
    /// executor. The call begins now, by that clock.
    ///
    /// ```
    /// use std::time::{Duration, Instant};
    ///
    /// use retry_runtime::{Backoff, Budget, Outcome, Policy, Timer};
    ///
    /// # struct SmolTimer;
    /// # impl Timer for SmolTimer {
    /// #     type Sleep = async_io::Timer;
    /// #     fn now(&self) -> Instant { Instant::now() }
    /// #     fn sleep(&self, delay: Duration) -> async_io::Timer { async_io::Timer::after(delay) }
    /// # }
    /// static PAYMENTS: Budget = Budget::new(10, 0.1);
    ///
    /// async fn charge() -> Result<u32, ()> {
    ///     let policy = Policy::new(3).backoff(Backoff::constant(Duration::from_millis(1)));
    ///     let mut call = policy.call(&PAYMENTS).timer(&SmolTimer);
    ///     loop {
    ///         let result = if call.attempt() < 3 { Err(()) } else { Ok(call.attempt()) };
    ///         let outcome = if result.is_ok() { Outcome::Success } else { Outcome::Retry };
    ///         if !call.again(outcome).await {
    ///             return result;
    ///         }
    ///     }
    /// }
    /// assert_eq!(async_io::block_on(charge()), Ok(3));
    /// ```
    pub fn timer<U: Timer + ?Sized>(self, timer: &'b U) -> Call<'b, &'b U, C> {
        let Call { policy, budget, schedule, observer, name, classifier, .. } = self;
        let Call { progress, started, given_deadline, decision, outcome, .. } = self;
        Call {
            policy,
            budget,
            schedule,
            observer,
            name,
            timer,
            classifier,
            progress,
            started: started.map(|_| timer.now()),
            given_deadline,
            decision,
            outcome,
            is_blocking: false,
        }
    }

    /// Lets the call begin at `now`, by the caller's own clock: for one that brings the
    /// time along to [`decide_at`](Call::decide_at). std's or tokio's `Instant`.
    ///
    /// ```
    /// use retry_runtime::{Decision, Outcome, Policy};
    /// use std::time::{Duration, Instant};
    ///
    /// let start = Instant::now();
    /// let policy = Policy::new(3).within(Duration::from_secs(30));
    /// let mut call = policy.call_without_budget().starting_at(start);
    /// let late = start + Duration::from_secs(30);
    /// assert_eq!(call.decide_at(Outcome::Retry, late), Decision::Expired);
    /// ```
    pub fn starting_at(mut self, now: impl Into<Instant>) -> Self {
        self.started = Some(now.into());
        self
    }

    /// The label of this call's events, and of its telemetry. By default it is empty.
    pub const fn named(mut self, name: &'b str) -> Self {
        self.name = name;
        self
    }

    /// Waits by `schedule` instead of the policy's backoff.
    pub fn schedule(mut self, schedule: &'b (dyn Schedule + Sync)) -> Self {
        self.schedule = Some(schedule);
        self
    }

    /// Judges by `classifier`, for a call of a [`Policy`] that [`run`](Call::run) and the
    /// like are to make. A call of a [`Retrier`](crate::Retrier) has its classifier.
    ///
    /// ```
    /// use retry_runtime::{Budget, Outcome, Policy, on_err};
    /// use std::io;
    ///
    /// static DISK: Budget = Budget::new(10, 0.1);
    ///
    /// let classifier = on_err(|error: &io::Error| match error.kind() {
    ///     io::ErrorKind::Interrupted => Outcome::Retry,
    ///     _ => Outcome::Stop,
    /// });
    /// let mut call = Policy::new(3).call(&DISK).classify(&classifier);
    /// let result = call.run_blocking(|attempt| -> io::Result<u32> { Ok(attempt.number()) });
    /// assert_eq!(result.unwrap(), 1);
    /// ```
    pub fn classify<D: ?Sized>(self, classifier: &'b D) -> Call<'b, T, &'b D> {
        let Call { policy, budget, schedule, observer, name, timer, .. } = self;
        let Call { progress, started, given_deadline, decision, outcome, is_blocking, .. } = self;
        Call {
            policy,
            budget,
            schedule,
            observer,
            name,
            timer,
            classifier,
            progress,
            started,
            given_deadline,
            decision,
            outcome,
            is_blocking,
        }
    }

    /// The number of the attempt that runs now, from 1. After `Again`, the number
    /// of the next one; after a final decision, of the last that was made.
    #[must_use]
    pub const fn attempt(&self) -> u32 {
        self.progress.attempt
    }

    /// The last decision, or `None` before the first.
    #[must_use]
    pub const fn decision(&self) -> Option<Decision> {
        self.decision
    }

    /// The earlier of the two limits in time.
    fn effective_deadline(&self) -> Option<Instant> {
        // A limit too long for the clock to express is no limit.
        let within = self.policy.within.zip(self.started);
        let within = within.and_then(|(limit, start)| start.checked_add(limit));
        match (within, self.given_deadline) {
            (Some(within), Some(given)) => Some(within.min(given)),
            (within, given) => within.or(given),
        }
    }
}

impl<'b, T: Timer, C> Call<'b, T, C> {
    /// No further attempt starts at or after `deadline`: std's or tokio's
    /// `Instant`. It is weighed before a wait: an executor that wakes the call late
    /// makes the next attempt start late. With a time limit in the policy, the earlier counts.
    pub fn deadline(mut self, deadline: impl Into<Instant>) -> Self {
        let deadline = deadline.into();
        self.started.get_or_insert_with(|| self.timer.now());
        let earlier = self.given_deadline.map_or(deadline, |earlier| earlier.min(deadline));
        self.given_deadline = Some(earlier);
        self
    }

    /// Calls `observer` after every attempt, and when a wait is cut short. If the
    /// call has not read its clock so far, its `elapsed` counts from here. See
    /// [`Event`].
    ///
    /// ```
    /// use retry_runtime::{Event, Outcome, Policy};
    /// use std::sync::Mutex;
    ///
    /// let seen = Mutex::new(Vec::new());
    /// let observer = |event: &Event<'_>| {
    ///     let line = format!("{} {} {}", event.name, event.attempt, event.decision);
    ///     seen.lock().unwrap().push(line);
    /// };
    /// let policy = Policy::new(2);
    /// let mut call = policy.call_without_budget().named("payments.charge").observe(&observer);
    /// call.decide(Outcome::RetryIn(std::time::Duration::ZERO));
    /// call.decide(Outcome::Success);
    /// drop(call);
    /// assert_eq!(
    ///     seen.into_inner().unwrap(),
    ///     ["payments.charge 1 again in 0ns", "payments.charge 2 succeeded"],
    /// );
    /// ```
    pub fn observe(mut self, observer: &'b (dyn Fn(&Event<'_>) + Sync)) -> Self {
        self.started.get_or_insert_with(|| self.timer.now());
        self.observer = Some(observer);
        self
    }

    /// How much time is left before no further attempt may start, read afresh at
    /// each ask; zero when it has passed, `None` without a limit.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        attempt::remaining(self.effective_deadline(), || self.now())
    }

    /// How long the call has taken so far, waits included. `None` if the call has neither
    /// a limit in time nor an observer: it then reads no clock.
    ///
    /// ```
    /// use retry_runtime::Policy;
    /// use std::time::Duration;
    ///
    /// let policy = Policy::new(3);
    /// assert!(policy.call_without_budget().elapsed().is_none());
    /// let limited = policy.within(Duration::from_secs(30));
    /// assert!(limited.call_without_budget().elapsed().is_some());
    /// ```
    #[must_use]
    pub fn elapsed(&self) -> Option<Duration> {
        self.started.map(|started| self.now().saturating_duration_since(started))
    }

    /// Decides what follows the attempt that ended with `outcome`, and charges or
    /// credits the budget; see [`Decision`] for the precedence. It does not wait:
    /// after `Again { delay }` that is the caller's to do.
    ///
    /// # Panics
    ///
    /// If the last decision was final: the call is over, and to ask again is a
    /// mistake in the loop.
    #[track_caller]
    pub fn decide(&mut self, outcome: Outcome) -> Decision {
        self.decide_with(outcome, false, None)
    }

    /// As [`decide`](Call::decide), at the time `now` of the caller's own clock: std's or
    /// tokio's `Instant`. Begin the call with [`starting_at`](Call::starting_at), so that
    /// its limits count on the same clock.
    ///
    /// # Panics
    ///
    /// If the last decision was final.
    #[track_caller]
    pub fn decide_at(&mut self, outcome: Outcome, now: impl Into<Instant>) -> Decision {
        self.decide_with(outcome, false, Some(now.into()))
    }

    /// Decides with a cancellation weighed in, and tells the observer. `at` is the time of
    /// the caller's own clock.
    #[track_caller]
    pub(crate) fn decide_with(
        &mut self,
        outcome: Outcome,
        cancelled: bool,
        at: Option<Instant>,
    ) -> Decision {
        self.decide_told(outcome, cancelled, at, Told::default())
    }

    /// As `decide_with`, with what else is known of the result.
    #[track_caller]
    pub(crate) fn decide_told(
        &mut self,
        outcome: Outcome,
        cancelled: bool,
        at: Option<Instant>,
        told: Told<'_>,
    ) -> Decision {
        let (attempt, decision) = self.settle(outcome, cancelled, at);
        self.tell(EventKind::Attempt, attempt, decision, at, told);
        decision
    }

    /// Decides, and tells nobody: the number of the attempt, and the decision.
    #[track_caller]
    pub(crate) fn settle(
        &mut self,
        outcome: Outcome,
        cancelled: bool,
        at: Option<Instant>,
    ) -> (u32, Decision) {
        if let Some(decision) = self.decision.filter(Decision::is_final) {
            panic!(
                "asked again after the call had ended ({decision}): leave the loop when the answer is final"
            );
        }
        let attempt = self.progress.attempt;
        // Counted before anybody is told, so that an observer that panics, and is caught
        // by the caller, does not make the call endless.
        let mut progress = self.progress;
        let rest = Undecided { call: self, progress: &mut progress, outcome, cancelled, at };
        let decision = decision::decide(outcome, self.budget, rest);
        self.progress = progress;
        self.outcome = outcome;
        self.decision = Some(decision);
        (attempt, decision)
    }

    /// The wait after `Again` was cut short: no attempt follows after all.
    pub(crate) fn cut(&mut self) {
        self.cut_told(Told::default());
    }

    /// As `cut`, with what else is known of the last result.
    pub(crate) fn cut_told(&mut self, told: Told<'_>) {
        self.progress.attempt -= 1;
        self.decision = Some(Decision::Cancelled);
        self.tell(EventKind::WaitCut, self.progress.attempt, Decision::Cancelled, None, told);
    }

    pub(crate) fn tell(
        &self,
        kind: EventKind,
        attempt: u32,
        decision: Decision,
        at: Option<Instant>,
        told: Told<'_>,
    ) {
        let &Call { name, outcome, budget, .. } = self;
        let (max_attempts, reported) = (self.policy.attempts, Some(outcome));
        // Nobody can ask for the text of an error here.
        Report {
            kind,
            name,
            attempt,
            max_attempts,
            outcome: reported,
            decision,
            budget,
            error: None,
            status: told.status,
        }
        .send();
        let Some(observer) = self.observer else { return };
        let now = at.unwrap_or_else(|| self.now());
        let error = told.text.filter(|_| outcome != Outcome::Success).and_then(unless_empty);
        observer(&Event {
            kind,
            name,
            attempt,
            max_attempts: self.policy.attempts(),
            outcome,
            decision,
            elapsed: now.saturating_duration_since(self.started.unwrap_or(now)),
            error,
            budget,
        });
    }

    /// The handle of the attempt that runs now.
    #[cfg(feature = "tower")]
    pub(crate) fn current(&self) -> Attempt<T>
    where
        T: Clone,
    {
        Attempt {
            number: self.progress.attempt,
            max: self.policy.attempts,
            deadline: self.effective_deadline(),
            timer: self.timer.clone(),
        }
    }

    /// When the call began, if it has read its clock.
    #[cfg(feature = "tower")]
    pub(crate) const fn started(&self) -> Option<Instant> {
        self.started
    }

    /// Goes on with a call at a later attempt.
    #[cfg(feature = "tower")]
    pub(crate) fn resumed(mut self, attempt: u32, started: Option<Instant>) -> Self {
        self.progress.attempt = attempt;
        self.started = started;
        self
    }

    /// Reports the call if its future is dropped before it has ended.
    pub(crate) const fn watch(&self) -> Watch<'b> {
        Watch::new(self.name)
    }

    /// Tells the watch of the last decision.
    pub(crate) fn tell_watch(&self, watch: &mut Watch<'b>) {
        if let Some(decision) = self.decision {
            watch.decided(self.name, decision, self.progress.attempt);
        }
    }

    pub(crate) const fn timing(&self) -> &T {
        &self.timer
    }

    pub(crate) const fn classifier(&self) -> &C {
        &self.classifier
    }
}

/// An attempt that neither succeeded nor stopped the call.
struct Undecided<'c, 'b, T, C> {
    call: &'c Call<'b, T, C>,
    progress: &'c mut Progress,
    outcome: Outcome,
    cancelled: bool,
    at: Option<Instant>,
}

impl<T: Timer, C> Rest for Undecided<'_, '_, T, C> {
    fn decide(self) -> Decision {
        let Undecided { call, progress, outcome, cancelled, at } = self;
        let (max_attempts, budget) = (call.policy.attempts, call.budget);
        let deadline = call.effective_deadline();
        let limits = Limits { max_attempts, budget, deadline, cancelled };
        let sources: &dyn Sources = &Asked { call, at };
        decision::after_in_time(progress, outcome, limits, sources)
    }
}

/// What a decision of a call asks for.
struct Asked<'c, 'b, T, C> {
    call: &'c Call<'b, T, C>,
    at: Option<Instant>,
}

impl<T: Timer, C> Sources for Asked<'_, '_, T, C> {
    fn now(&self) -> Instant {
        self.at.unwrap_or_else(|| self.call.now())
    }

    fn resolution(&self) -> Duration {
        // Whoever brings the time along waits by a timer of their own.
        let is_of_timer = self.at.is_none() && !self.call.is_blocking;
        if is_of_timer { self.call.timer.resolution() } else { Duration::ZERO }
    }

    fn delay(&self, step: u32, floor: Option<Duration>) -> Duration {
        match self.call.schedule {
            Some(schedule) => delay_of(schedule, step, floor),
            None => delay_of(&self.call.policy.backoff, step, floor),
        }
    }
}

impl<T, C> fmt::Debug for Call<'_, T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("name", &self.name)
            .field("attempt", &self.progress.attempt)
            .field("decision", &self.decision)
            .field("policy", &self.policy)
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}
