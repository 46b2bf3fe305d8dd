//! What may end a call besides its result, and what follows a failed attempt: one cold
//! function for a call that has no limit, and one for a call that has any.

use core::time::Duration;
use std::time::Instant;

use super::Site;
use crate::clock::{self, Clock};
use crate::decision::{Failure, after_failure, refusal};
use crate::{Budget, Decision, Outcome};

/// What may end a call besides its result: `NoLimit` costs nothing to keep.
pub trait Limit {
    #[doc(hidden)]
    fn limits(&self) -> Limits;

    /// What follows a failed attempt.
    #[doc(hidden)]
    fn after<T: Clock>(
        &self,
        number: &mut u32,
        outcome: Outcome,
        budget: Option<&Budget>,
        site: Site<T>,
        schedule: &dyn Fn(u32, Option<Duration>) -> Duration,
    ) -> Decision;
}

/// Neither a time limit nor an observer nor a cancellation.
#[derive(Clone, Copy)]
pub struct NoLimit;

/// Some of them.
#[derive(Clone, Copy, Default)]
pub struct Limits {
    pub(super) started: Option<Instant>,
    pub(super) deadline: Option<Instant>,
    pub(super) cancelled: bool,
}

impl Limit for NoLimit {
    #[inline(always)]
    fn limits(&self) -> Limits {
        Limits { started: None, deadline: None, cancelled: false }
    }

    #[inline(always)]
    fn after<T: Clock>(
        &self,
        number: &mut u32,
        outcome: Outcome,
        budget: Option<&Budget>,
        site: Site<T>,
        schedule: &dyn Fn(u32, Option<Duration>) -> Duration,
    ) -> Decision {
        retry(number, outcome, budget, site.attempts, schedule)
    }
}

impl Limit for Limits {
    #[inline(always)]
    fn limits(&self) -> Limits {
        *self
    }

    #[inline(always)]
    fn after<T: Clock>(
        &self,
        number: &mut u32,
        outcome: Outcome,
        budget: Option<&Budget>,
        site: Site<T>,
        schedule: &dyn Fn(u32, Option<Duration>) -> Duration,
    ) -> Decision {
        let now = || site.timer.now();
        retry_within(number, outcome, budget, site.attempts, schedule, self, &now)
    }
}

impl Limits {
    /// Keeps the earlier of two deadlines.
    pub(super) fn at_most(&mut self, deadline: Instant) {
        self.deadline = Some(self.deadline.map_or(deadline, |earlier| earlier.min(deadline)));
    }
}

/// Not generic, so that the whole program has it once. Its arguments are as many as
/// there are registers for them: what a call does not have takes none.
#[cold]
#[inline(never)]
fn retry(
    number: &mut u32,
    outcome: Outcome,
    budget: Option<&Budget>,
    max_attempts: u32,
    schedule: &dyn Fn(u32, Option<Duration>) -> Duration,
) -> Decision {
    let attempt = *number;
    // The usual outcome, whose decision asks for nothing more. It comes first because it
    // is then as short as in a loop written by hand.
    if matches!(outcome, Outcome::Retry) {
        let decision = refusal(attempt, max_attempts, budget)
            .unwrap_or_else(|| Decision::Again { delay: schedule(attempt, None) });
        return counted(number, decision);
    }
    let (deadline, cancelled) = (None, false);
    let failure = Failure { attempt, max_attempts, outcome, budget, deadline, cancelled };
    counted(number, after_failure(failure, clock::now, schedule))
}

/// As `retry`, for a call that more than its result may end.
#[cold]
#[inline(never)]
fn retry_within(
    number: &mut u32,
    outcome: Outcome,
    budget: Option<&Budget>,
    max_attempts: u32,
    schedule: &dyn Fn(u32, Option<Duration>) -> Duration,
    limits: &Limits,
    now: &dyn Fn() -> Instant,
) -> Decision {
    let Limits { deadline, cancelled, .. } = *limits;
    let attempt = *number;
    let failure = Failure { attempt, max_attempts, outcome, budget, deadline, cancelled };
    counted(number, after_failure(failure, now, schedule))
}

/// Counts the attempt that follows, if one does.
#[inline(always)]
fn counted(number: &mut u32, decision: Decision) -> Decision {
    if !decision.is_final() {
        *number = number.saturating_add(1);
    }
    decision
}
