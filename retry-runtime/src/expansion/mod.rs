//! What the expansion of `#[retry]` calls: not public, and free to change.
//!
//! It is the loop of [`Call`](crate::Call) in another form. An annotated function
//! knows its settings at compile time, so they are arguments here, and the only
//! state that lives across an attempt is the attempt's number (and, where the
//! function has a time limit, the limit). Success and `Stop` are decided inline;
//! everything else is a cold function that no caller instantiates (`limits`).

pub use core::clone::Clone;
pub use core::option::Option;
pub use core::pin::pin;
pub use core::time::Duration;
pub use core::{concat, module_path};

pub use crate::clock::{Clock, DefaultTimer, Waits};
pub use crate::{Attempt, Budget, Decision, Outcome, Policy, Retrier};
pub use limits::{Limit, Limits, NoLimit};
pub use values::*;
pub use waits::*;

mod limits;
mod values;
mod waits;

use std::time::Instant;

use crate::report::Report;
use crate::{Event, EventKind};

/// What is known of an annotated function at compile time, or read from its
/// policy when the call began.
#[derive(Clone, Copy)]
pub struct Site<T> {
    /// The label of its events.
    pub name: &'static str,
    /// How many attempts it may make.
    pub attempts: u32,
    /// What tells the time. The default takes no space.
    pub timer: T,
}

/// The loop of one call of an annotated function: its state, without the waits.
pub struct RetryLoop<L> {
    number: u32,
    limit: L,
}

impl RetryLoop<NoLimit> {
    /// Before the first attempt. Here alone the timer must be one to wait with, so
    /// that a function without any has one error.
    #[inline(always)]
    pub fn new<T: Waits>(_timer: T) -> Self {
        RetryLoop { number: 1, limit: NoLimit }
    }
}

impl<L: Limit> RetryLoop<L> {
    fn change(self, change: impl FnOnce(&mut Limits)) -> RetryLoop<Limits> {
        let mut limit = self.limit.limits();
        change(&mut limit);
        RetryLoop { number: self.number, limit }
    }

    /// No further attempt this long from now. With a deadline, the earlier counts.
    pub fn within<T: Clock>(self, timer: T, within: Duration) -> RetryLoop<Limits> {
        self.within_option(timer, Some(within))
    }

    /// As `within`, for a policy, whose time limit is optional.
    pub fn within_option<T: Clock>(self, timer: T, within: Option<Duration>) -> RetryLoop<Limits> {
        self.change(|limits| {
            let Some(within) = within else { return };
            let now = *limits.started.get_or_insert_with(|| timer.now());
            // A limit too long for the clock to express is no limit.
            if let Some(deadline) = now.checked_add(within) {
                limits.at_most(deadline);
            }
        })
    }

    /// No further attempt at or after `deadline`.
    pub fn deadline(self, deadline: impl Into<Instant>) -> RetryLoop<Limits> {
        self.change(|limits| limits.at_most(deadline.into()))
    }

    /// Reads the clock, for the `elapsed` of events.
    pub fn observed<T: Clock>(self, timer: T) -> RetryLoop<Limits> {
        self.change(|limits| {
            limits.started.get_or_insert_with(|| timer.now());
        })
    }

    /// Can be given up.
    pub fn cancellable(self) -> RetryLoop<Limits> {
        self.change(|_| {})
    }

    /// The attempt that runs now.
    #[inline]
    pub fn attempt<T: Kept>(&self, timer: T) -> Attempt<T::Kept> {
        let deadline = self.limit.limits().deadline;
        Attempt { number: self.number, deadline, timer: timer.kept() }
    }

    /// What follows the attempt that ended with `outcome`. `schedule` is asked
    /// for the wait after an attempt, given a floor, and only if there is one.
    #[inline(always)]
    pub fn decide<T: Clock>(
        &mut self,
        outcome: Outcome,
        budget: Option<&Budget>,
        site: Site<T>,
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
            _ => self.limit.after(&mut self.number, outcome, budget, site, &schedule),
        };
        let (kind, name) = (EventKind::Attempt, site.name);
        Report { kind, name, attempt, outcome: Some(outcome), decision, budget }.send();
        decision
    }

    /// As `decide`, and tells `observer`, whose every call carries the attempt
    /// that was made.
    #[inline]
    pub fn decide_observed<T: Clock>(
        &mut self,
        outcome: Outcome,
        budget: Option<&Budget>,
        site: Site<T>,
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
    pub fn cut<T: Clock>(
        &self,
        outcome: Outcome,
        budget: Option<&Budget>,
        site: Site<T>,
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

    fn event<'a, T: Clock>(
        &self,
        kind: EventKind,
        attempt: u32,
        outcome: Outcome,
        decision: Decision,
        budget: Option<&'a Budget>,
        site: Site<T>,
    ) -> Event<'a> {
        let now = site.timer.now();
        let started = self.limit.limits().started.unwrap_or(now);
        let elapsed = now.saturating_duration_since(started);
        Event { kind, name: site.name, attempt, outcome, decision, elapsed, budget }
    }
}

impl RetryLoop<Limits> {
    /// The call was cancelled: no further attempt starts.
    pub fn give_up(&mut self) {
        self.limit.cancelled = true;
    }
}
