//! The settings of a call beside its policy, given before its first attempt.

use super::Call;
use super::time::Began;
use crate::event::Event;
use crate::schedule::Schedule;
use crate::time::Instant;
use crate::timer::Timer;

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
    #[inline]
    pub fn timer<U: Timer + ?Sized>(self, timer: &'b U) -> Call<'b, &'b U, C> {
        let Call { policy, budget, schedule, observer, name, classifier, .. } = self;
        let Call { progress, began, decision, outcome, .. } = self;
        Call {
            policy,
            budget,
            schedule,
            observer,
            name,
            timer,
            classifier,
            progress,
            began: began.map(|began| Began { at: timer.now(), ..began }),
            decision,
            outcome,
            is_blocking: false,
        }
    }

    /// Lets the call begin at `now`, std's or tokio's `Instant` by the caller's own clock: for
    /// callers of [`decide_at`](Call::decide_at).
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
        let deadline = self.began.and_then(|began| began.deadline);
        self.began = Some(Began { at: now.into(), deadline });
        self
    }

    /// The label of this call's events, and of its telemetry. By default it is empty.
    #[inline]
    pub const fn named(mut self, name: &'b str) -> Self {
        self.name = Some(name);
        self
    }

    /// Waits by `schedule` instead of the policy's backoff.
    #[inline]
    pub fn schedule(mut self, schedule: &'b (dyn Schedule + Sync)) -> Self {
        self.schedule = Some(schedule);
        self
    }

    /// Judges results by `classifier`. A call of a [`Policy`](crate::Policy) needs it for
    /// [`run`](Call::run) and similar methods; a call of a [`Retrier`](crate::Retrier) already has
    /// one.
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
    #[inline]
    pub fn classify<D: ?Sized>(self, classifier: &'b D) -> Call<'b, T, &'b D> {
        let Call { policy, budget, schedule, observer, name, timer, .. } = self;
        let Call { progress, began, decision, outcome, is_blocking, .. } = self;
        Call {
            policy,
            budget,
            schedule,
            observer,
            name,
            timer,
            classifier,
            progress,
            began,
            decision,
            outcome,
            is_blocking,
        }
    }
}

impl<'b, T: Timer, C> Call<'b, T, C> {
    /// No further attempt starts at or after `deadline`: std's or tokio's `Instant`. It is checked
    /// before a wait: if the executor wakes the call late, the next attempt starts late. With a
    /// time limit in the policy, the earlier counts.
    pub fn deadline(mut self, deadline: impl Into<Instant>) -> Self {
        let deadline = deadline.into();
        let began = self.began.get_or_insert_with(|| Began::at(self.timer.now()));
        let earlier = began.deadline.map_or(deadline, |earlier| earlier.min(deadline));
        began.deadline = Some(earlier);
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
        self.began.get_or_insert_with(|| Began::at(self.timer.now()));
        self.observer = Some(observer);
        self
    }
}
