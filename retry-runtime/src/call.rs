//! One call's attempts, for a loop written by hand.

use core::fmt;
use core::time::Duration;
use std::time::Instant;

use crate::decision::{Failure, after_failure};
use crate::report::Report;
use crate::schedule::delay_of;
use crate::{Budget, Decision, Event, EventKind, Outcome, Policy, Schedule, attempt, clock};

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
/// Nothing is held between attempts: dropping a call, or the future of a wait, at
/// any point leaves the budget as the last decision left it.
#[must_use = "a call does nothing until it is asked to decide"]
pub struct Call<'p, 'b> {
    policy: &'p Policy,
    budget: Option<&'b Budget>,
    schedule: Option<&'p (dyn Schedule + Sync)>,
    observer: Option<&'p (dyn Fn(&Event<'_>) + Sync)>,
    name: &'p str,
    attempt: u32,
    /// Read only where something needs it: a time limit or an observer.
    started: Option<Instant>,
    deadline: Option<Instant>,
    decision: Option<Decision>,
    outcome: Outcome,
}

impl<'p, 'b> Call<'p, 'b> {
    pub(crate) fn new(
        policy: &'p Policy,
        budget: Option<&'b Budget>,
        now: impl FnOnce() -> Instant,
    ) -> Call<'p, 'b> {
        Call::started(policy, budget, policy.within.map(|_| now()))
    }

    pub(crate) fn started(
        policy: &'p Policy,
        budget: Option<&'b Budget>,
        started: Option<Instant>,
    ) -> Call<'p, 'b> {
        // A limit too long for the clock to express is no limit.
        let deadline =
            policy.within.zip(started).and_then(|(limit, start)| start.checked_add(limit));
        Call {
            policy,
            budget,
            schedule: None,
            observer: None,
            name: "",
            attempt: 1,
            started,
            deadline,
            decision: None,
            outcome: Outcome::Success,
        }
    }

    /// No further attempt starts at or after `deadline`: std's or tokio's
    /// `Instant`. It is weighed before a wait: an executor that wakes the call late
    /// makes the next attempt start late. With a time limit in the policy, the earlier counts.
    pub fn deadline(mut self, deadline: impl Into<Instant>) -> Call<'p, 'b> {
        let deadline = deadline.into();
        self.deadline = Some(self.deadline.map_or(deadline, |earlier| earlier.min(deadline)));
        self
    }

    /// The label of this call's events, and of its telemetry. By default it is empty.
    pub const fn named(mut self, name: &'p str) -> Call<'p, 'b> {
        self.name = name;
        self
    }

    /// Waits by `schedule` instead of the policy's backoff.
    pub fn schedule(mut self, schedule: &'p (dyn Schedule + Sync)) -> Call<'p, 'b> {
        self.schedule = Some(schedule);
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
    pub fn observe(mut self, observer: &'p (dyn Fn(&Event<'_>) + Sync)) -> Call<'p, 'b> {
        self.started.get_or_insert_with(clock::now);
        self.observer = Some(observer);
        self
    }

    /// The number of the attempt that runs now, from 1. After `Again`, the number
    /// of the next one; after a final decision, of the last that was made.
    #[must_use]
    pub const fn attempt(&self) -> u32 {
        self.attempt
    }

    /// How much time is left before no further attempt may start, read afresh at
    /// each ask; zero when it has passed, `None` without a limit.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        attempt::remaining(self.deadline, clock::now)
    }

    /// As [`remaining`](Call::remaining), at the time `now` of the caller's own clock:
    /// std's or tokio's `Instant`.
    ///
    /// ```
    /// use retry_runtime::Policy;
    /// use std::time::{Duration, Instant};
    ///
    /// let policy = Policy::new(3).within(Duration::from_secs(30));
    /// let start = Instant::now();
    /// let call = policy.call_at(None, start);
    /// let later = start + Duration::from_secs(10);
    /// assert_eq!(call.remaining_at(later), Some(Duration::from_secs(20)));
    /// ```
    #[must_use]
    pub fn remaining_at(&self, now: impl Into<Instant>) -> Option<Duration> {
        attempt::remaining(self.deadline, || now.into())
    }

    /// The last decision, or `None` before the first.
    #[must_use]
    pub const fn decision(&self) -> Option<Decision> {
        self.decision
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
        self.decide_with(outcome, false, clock::now)
    }

    /// As [`decide`](Call::decide), at the time `now` of the caller's own clock.
    ///
    /// # Panics
    ///
    /// If the last decision was final.
    #[track_caller]
    pub fn decide_at(&mut self, outcome: Outcome, now: impl Into<Instant>) -> Decision {
        let now = now.into();
        self.decide_with(outcome, false, || now)
    }

    /// Decides with a cancellation weighed in, and tells the observer.
    #[track_caller]
    pub(crate) fn decide_with(
        &mut self,
        outcome: Outcome,
        cancelled: bool,
        now: impl Fn() -> Instant,
    ) -> Decision {
        if let Some(decision) = self.decision.filter(Decision::is_final) {
            panic!(
                "asked again after the call had ended ({decision}): leave the loop when the answer is final"
            );
        }
        let decision = match outcome {
            Outcome::Success => {
                self.budget.inspect(|budget| budget.refill());
                Decision::Succeeded
            }
            Outcome::Stop => Decision::Stopped,
            _ => {
                let failure = Failure {
                    attempt: self.attempt,
                    max_attempts: self.policy.attempts,
                    outcome,
                    budget: self.budget,
                    deadline: self.deadline,
                    cancelled,
                };
                after_failure(failure, &now, &|attempt, floor| match self.schedule {
                    Some(schedule) => delay_of(schedule, attempt, floor),
                    None => delay_of(&self.policy.backoff, attempt, floor),
                })
            }
        };
        self.outcome = outcome;
        self.decision = Some(decision);
        // Counted before anybody is told, so that an observer that panics, and is caught
        // by the caller, does not make the call endless.
        let attempt = self.attempt;
        if !decision.is_final() {
            self.attempt = attempt.saturating_add(1);
        }
        self.tell(EventKind::Attempt, attempt, decision, now);
        decision
    }

    /// The wait after `Again` was cut short: no attempt follows after all.
    pub(crate) fn cut(&mut self, now: impl Fn() -> Instant) {
        self.attempt -= 1;
        self.decision = Some(Decision::Cancelled);
        self.tell(EventKind::WaitCut, self.attempt, Decision::Cancelled, now);
    }

    fn tell(&self, kind: EventKind, attempt: u32, decision: Decision, now: impl Fn() -> Instant) {
        let &Call { name, outcome, budget, .. } = self;
        Report { kind, name, attempt, outcome: Some(outcome), decision, budget }.send();
        let Some(observer) = self.observer else { return };
        let started = self.started.unwrap_or_else(&now);
        observer(&Event {
            kind,
            name,
            attempt,
            outcome,
            decision,
            elapsed: now().saturating_duration_since(started),
            budget,
        });
    }
}

impl fmt::Debug for Call<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("name", &self.name)
            .field("attempt", &self.attempt)
            .field("decision", &self.decision)
            .field("policy", &self.policy)
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}
