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
pub use core::{concat, module_path};

pub use crate::{Attempt, Budget, Decision, Outcome, Policy, Retrier};
pub use values::*;

mod values;

use std::time::Instant;

use crate::decision::{Failure, after_failure};
use crate::report::Report;
use crate::{Event, EventKind, clock};

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
        let attempt = self.number;
        let decision = match outcome {
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
        };
        let (kind, name) = (EventKind::Attempt, site.name);
        Report { kind, name, attempt, outcome: Some(outcome), decision, budget }.send();
        decision
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
        let (kind, made) = (EventKind::WaitCut, self.number - 1);
        let (name, decision) = (site.name, Decision::Cancelled);
        Report { kind, name, attempt: made, outcome: Some(outcome), decision, budget }.send();
        observer(&self.event(kind, made, outcome, decision, budget, site));
    }

    /// The wait for this attempt was cut short, and nobody observes it. What it
    /// would take to say more was not kept over the wait.
    #[inline]
    pub fn cut_unobserved(&self, name: &'static str) {
        let (kind, attempt) = (EventKind::WaitCut, self.number - 1);
        let decision = Decision::Cancelled;
        Report { kind, name, attempt, outcome: None, decision, budget: None }.send();
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
