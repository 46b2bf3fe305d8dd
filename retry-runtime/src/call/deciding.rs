//! The decision of a call after each attempt.

use core::fmt;
use core::time::Duration;

use super::Call;
use super::time::now;
use crate::backoff::Backoff;
use crate::decision::{self, Decision, Limits, Progress, Rest, Sources};
use crate::event::EventKind;
use crate::outcome::Outcome;
use crate::reason::{Told, Written};
use crate::schedule::{Schedule, delay_of};
use crate::time::Instant;
use crate::timer::Timer;

impl<T: Timer, C> Call<'_, T, C> {
    /// Decides what follows an attempt with the outcome `outcome`, and charges or credits the
    /// budget; see [`Decision`] for the precedence. It does not wait: after `Again { delay }` the
    /// caller does.
    ///
    /// # Panics
    ///
    /// If the last decision was final: the call is over, and asking again is a mistake in the loop.
    #[inline]
    #[track_caller]
    pub fn decide(&mut self, outcome: Outcome) -> Decision {
        self.decide_with(outcome, false, None)
    }

    /// As [`decide`](Call::decide), at the time `now` of the caller's own clock: std's or tokio's
    /// `Instant`. Begin the call with [`starting_at`](Call::starting_at), so its limits count on
    /// the same clock.
    ///
    /// # Panics
    ///
    /// If the last decision was final.
    #[inline]
    #[track_caller]
    pub fn decide_at(&mut self, outcome: Outcome, now: impl Into<Instant>) -> Decision {
        self.decide_with(outcome, false, Some(now.into()))
    }

    /// Decides with a cancellation weighed in, and tells the observer. `at` is the time of
    /// the caller's own clock.
    #[inline]
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
    #[inline]
    #[track_caller]
    pub(crate) fn decide_told(
        &mut self,
        outcome: Outcome,
        cancelled: bool,
        at: Option<Instant>,
        told: Told<'_>,
    ) -> Decision {
        self.assert_open();
        let (attempt, budget) = (self.progress.attempt, self.budget);
        let rest = Undecided { call: self, outcome, cancelled, at };
        let decision = decision::decide(outcome, budget, rest);
        self.decision = Some(decision);
        self.tell(EventKind::Attempt, attempt, outcome, decision, at, told);
        decision
    }

    /// Panics if the call is over.
    #[inline]
    #[track_caller]
    pub(crate) fn assert_open(&self) {
        // The usual answer is that there was no decision so far.
        if let Some(decision) = self.decision {
            assert_again(decision);
        }
    }

    /// What follows anything but `Success` and `Stop`.
    #[cold]
    #[inline(never)]
    fn after(&mut self, outcome: Outcome, cancelled: bool, at: Option<Instant>) -> Decision {
        let (progress, decision) = self.next(&self.timer, outcome, cancelled, at);
        self.count(progress, outcome);
        decision
    }

    #[inline(always)]
    fn next(
        &self,
        timer: impl Timer,
        outcome: Outcome,
        cancelled: bool,
        at: Option<Instant>,
    ) -> (Progress, Decision) {
        let limits = Limits {
            max_attempts: self.policy.attempts,
            budget: self.budget,
            deadline: self.effective_deadline(),
            cancelled,
        };
        let &Call { policy, schedule, is_blocking, .. } = self;
        let sources = Asked { timer, schedule, backoff: policy.backoff, is_blocking, at };
        let mut progress = self.progress;
        let decision = decision::after_in_time(&mut progress, outcome, limits, &sources);
        (progress, decision)
    }

    /// Counts an attempt before anybody is told of it, so that an observer that panics, and
    /// is caught by the caller, does not make the call endless.
    #[inline(always)]
    const fn count(&mut self, progress: Progress, outcome: Outcome) {
        self.progress = progress;
        self.outcome = outcome;
    }
}

/// For a loop of ours: nothing points into the call, not even where an attempt has failed. So
/// one that is made for this loop alone is kept in no memory.
impl<T: Timer + Copy, C> Call<'_, T, C> {
    /// As `decide`, and `explain` writes what an observer is told of the result.
    #[inline]
    #[track_caller]
    pub(crate) fn decide_explained(
        &mut self,
        outcome: Outcome,
        cancelled: bool,
        explain: impl Fn(&mut fmt::Formatter<'_>) -> fmt::Result,
    ) -> Decision {
        let budget = self.budget;
        let rest = UndecidedOfLoop { call: self, outcome, cancelled };
        let decision = decision::decide(outcome, budget, rest);
        self.decision = Some(decision);
        // Subtracted, so that a success keeps no number for it.
        let attempt = self.progress.attempt - u32::from(!decision.is_final());
        self.report(EventKind::Attempt, attempt, outcome, decision, None);
        if let Some(observed) = self.observed(self.timer) {
            let text = Written(explain);
            let told = Told { text: Some(&text), status: None };
            observed.tell(EventKind::Attempt, attempt, outcome, decision, None, told);
        }
        decision
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn assert_again(decision: Decision) {
    assert!(
        !decision.is_final(),
        "asked again after the call had ended ({decision}): leave the loop when the answer is final"
    );
}

/// An attempt that neither succeeded nor stopped the call.
struct Undecided<'c, 'b, T, C> {
    call: &'c mut Call<'b, T, C>,
    outcome: Outcome,
    cancelled: bool,
    at: Option<Instant>,
}

impl<T: Timer, C> Rest for Undecided<'_, '_, T, C> {
    #[inline(always)]
    fn decide(self) -> Decision {
        let Undecided { call, outcome, cancelled, at } = self;
        call.after(outcome, cancelled, at)
    }
}

/// The same, in a loop of ours.
struct UndecidedOfLoop<'c, 'b, T, C> {
    call: &'c mut Call<'b, T, C>,
    outcome: Outcome,
    cancelled: bool,
}

impl<T: Timer + Copy, C> Rest for UndecidedOfLoop<'_, '_, T, C> {
    #[inline(always)]
    fn decide(self) -> Decision {
        let UndecidedOfLoop { call, outcome, cancelled } = self;
        let (progress, decision) = call.next(call.timer, outcome, cancelled, None);
        call.count(progress, outcome);
        decision
    }
}

/// What a decision of a call asks for.
pub(crate) struct Asked<'b, T> {
    timer: T,
    schedule: Option<&'b (dyn Schedule + Sync)>,
    backoff: Backoff,
    is_blocking: bool,
    at: Option<Instant>,
}

#[cfg(any(
    all(feature = "tokio", not(all(target_family = "wasm", target_os = "unknown"))),
    all(feature = "wasm", target_family = "wasm", target_os = "unknown")
))]
impl<T> Asked<'_, T> {
    /// A call that waits by `timer` and `backoff`.
    pub(crate) const fn of_timer(timer: T, backoff: Backoff) -> Self {
        Asked { timer, schedule: None, backoff, is_blocking: false, at: None }
    }
}

impl<T: Timer> Sources for Asked<'_, T> {
    fn now(&self) -> Instant {
        self.at.unwrap_or_else(|| now(&self.timer, self.is_blocking))
    }

    fn resolution(&self) -> Duration {
        // Whoever brings the time along waits by a timer of their own.
        let is_of_timer = self.at.is_none() && !self.is_blocking;
        if is_of_timer { self.timer.resolution() } else { Duration::ZERO }
    }

    fn delay(&self, step: u32, floor: Option<Duration>) -> Duration {
        match self.schedule {
            Some(schedule) => delay_of(schedule, step, floor),
            None => delay_of(&self.backoff, step, floor),
        }
    }
}
