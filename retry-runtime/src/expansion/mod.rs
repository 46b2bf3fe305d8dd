//! Items called by the expansion of `#[retry]`: not public, and free to change.
//!
//! It is the loop of [`Call`](crate::Call) in another form. An annotated function
//! knows its settings at compile time, so they are arguments here, and the only
//! state that lives across an attempt is the attempt's number and the schedule's step
//! (and, where the function has a time limit, the limit). Success and `Stop` are decided inline;
//! everything else is a cold function that no caller instantiates (`limits`).

pub use core::clone::Clone;
pub use core::option::Option;
pub use core::pin::pin;
pub use core::time::Duration;
pub use core::{concat, module_path};

pub use crate::attempt::{Attempt, RunningAttempt};
pub use crate::budget::Budget;
pub use crate::clock::{DefaultTimer, Waits};
pub use crate::decision::{Decision, Progress};
pub use crate::key;
pub use crate::outcome::Outcome;
pub use crate::policy::Policy;
pub use crate::retrier::Retrier;
pub use because::Because;
pub use blocking::*;
pub use limits::{Limit, Limits, NoLimit};
pub use waits::*;

mod because;
mod blocking;
mod limits;
mod waits;

use core::fmt::Display;
use core::num::NonZeroU32;

use crate::backoff::Backoff;
use crate::decision;
use crate::event::{Event, EventKind};
use crate::key::{Kept, Observing};
use crate::schedule::delay_of;
use crate::telemetry::{Report, Watch};
use crate::time::Instant;
use crate::timer::Timer;

/// What is known of an annotated function at compile time, or read from its
/// policy when the call began.
#[derive(Clone, Copy)]
pub struct Site<T> {
    /// The label of its events.
    pub name: &'static str,
    /// How many attempts it may make; [`UNLIMITED`] is no limit.
    pub attempts: u32,
    /// What tells the time. The default takes no space.
    pub timer: T,
}

/// As [`Site::attempts`]: no limit by count.
pub const UNLIMITED: u32 = 0;

impl<T> Site<T> {
    const fn max_attempts(&self) -> Option<NonZeroU32> {
        NonZeroU32::new(self.attempts)
    }
}

/// The loop of one call of an annotated function: its state, without the waits.
pub struct RetryLoop<L> {
    progress: Progress,
    limit: L,
    watch: Watch<'static>,
}

impl RetryLoop<NoLimit> {
    /// Before the first attempt. Here alone the timer must be one to wait with, so
    /// that a function without any has one error. `name` is the label of a call that is
    /// dropped in its first attempt.
    #[inline(always)]
    pub fn new<T: Waits>(_timer: T, name: &'static str) -> Self {
        RetryLoop { progress: Progress::START, limit: NoLimit, watch: Watch::new(name) }
    }
}

impl<L: Limit> RetryLoop<L> {
    fn change(self, change: impl FnOnce(&mut Limits)) -> RetryLoop<Limits> {
        let mut limit = self.limit.limits();
        change(&mut limit);
        RetryLoop { progress: self.progress, limit, watch: self.watch }
    }

    /// No further attempt this long from now. With a deadline, the earlier counts.
    pub fn within<T: Timer>(self, timer: T, within: Option<Duration>) -> RetryLoop<Limits> {
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
    pub fn deadline(self, deadline: Option<Instant>) -> RetryLoop<Limits> {
        self.change(|limits| {
            if let Some(deadline) = deadline {
                limits.at_most(deadline);
            }
        })
    }

    /// Reads the clock, for the `elapsed` of events.
    pub fn observed<T: Timer>(self, timer: T) -> RetryLoop<Limits> {
        self.change(|limits| {
            limits.started.get_or_insert_with(|| timer.now());
        })
    }

    /// Can be given up.
    pub fn cancellable(self) -> RetryLoop<Limits> {
        self.change(|_| {})
    }

    /// The attempt that runs now, of at most so many.
    #[inline]
    pub fn attempt<T: Kept>(&self, timer: T, attempts: u32) -> Attempt<T::Kept> {
        let (number, deadline) = (self.progress.attempt, self.limit.limits().deadline);
        Attempt { number, max: NonZeroU32::new(attempts), deadline, timer: timer.kept() }
    }

    /// What follows the attempt that ended with `outcome`. `schedule` is asked
    /// for the wait after an attempt, given a floor, and only if there is one.
    #[inline(always)]
    pub fn decide<T: Timer + Copy>(
        &mut self,
        outcome: Outcome,
        budget: Option<&Budget>,
        site: Site<T>,
        schedule: impl Fn(u32, Option<Duration>) -> Duration,
    ) -> Decision {
        let attempt = self.progress.attempt;
        let decision = self.next(outcome, budget, site, schedule);
        self.report(EventKind::Attempt, attempt, outcome, decision, budget, &site, None);
        decision
    }

    #[inline(always)]
    fn next<T: Timer + Copy>(
        &mut self,
        outcome: Outcome,
        budget: Option<&Budget>,
        site: Site<T>,
        schedule: impl Fn(u32, Option<Duration>) -> Duration,
    ) -> Decision {
        let RetryLoop { progress, limit, .. } = self;
        let rest = limits::Rest { limit: &*limit, progress, outcome, budget, site, schedule };
        let decision = decision::decide(outcome, budget, rest);
        self.watch.decided(site.name, decision, self.progress.attempt);
        decision
    }

    /// As `decide`, and tells `observer`, whose every call carries the attempt
    /// that was made.
    #[inline]
    pub fn decide_observed<T: Timer + Copy>(
        &mut self,
        outcome: Outcome,
        budget: Option<&Budget>,
        site: Site<T>,
        schedule: impl Fn(u32, Option<Duration>) -> Duration,
        observer: Observing<impl Sized>,
    ) -> Decision {
        let attempt = self.progress.attempt;
        let decision = self.decide(outcome, budget, site, schedule);
        observer.tell(&self.event(
            EventKind::Attempt,
            attempt,
            outcome,
            decision,
            budget,
            &site,
            None,
        ));
        decision
    }

    /// Tells `observer` that the wait for this attempt was cut short.
    #[inline]
    pub fn cut<T: Timer>(
        &mut self,
        outcome: Outcome,
        budget: Option<&Budget>,
        site: Site<T>,
        observer: Observing<impl Sized>,
    ) {
        self.watch.end();
        let (kind, made) = (EventKind::WaitCut, self.progress.attempt - 1);
        self.report(kind, made, outcome, Decision::Cancelled, budget, &site, None);
        observer.tell(&self.event(kind, made, outcome, Decision::Cancelled, budget, &site, None));
    }

    /// The wait for this attempt was cut short, and nobody observes it. What it
    /// would take to say more was not kept over the wait.
    #[inline]
    pub fn cut_unobserved<T>(&mut self, site: Site<T>) {
        self.watch.end();
        self.report_cut(&site, None);
    }

    #[inline(always)]
    fn report_cut<T>(&self, site: &Site<T>, error: Option<&dyn Display>) {
        let (kind, attempt, decision) =
            (EventKind::WaitCut, self.progress.attempt - 1, Decision::Cancelled);
        let (name, max_attempts) = (site.name, site.max_attempts());
        let (outcome, budget) = (None, None);
        let status = None;
        Report { kind, name, attempt, max_attempts, outcome, decision, budget, error, status }
            .send();
    }

    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn report<T>(
        &self,
        kind: EventKind,
        attempt: u32,
        outcome: Outcome,
        decision: Decision,
        budget: Option<&Budget>,
        site: &Site<T>,
        error: Option<&dyn Display>,
    ) {
        let (name, max_attempts, outcome) = (site.name, site.max_attempts(), Some(outcome));
        let status = None;
        Report { kind, name, attempt, max_attempts, outcome, decision, budget, error, status }
            .send();
    }

    #[allow(clippy::too_many_arguments)]
    fn event<'a, T: Timer>(
        &self,
        kind: EventKind,
        attempt: u32,
        outcome: Outcome,
        decision: Decision,
        budget: Option<&'a Budget>,
        site: &Site<T>,
        error: Option<&'a dyn Display>,
    ) -> Event<'a> {
        let now = site.timer.now();
        let started = self.limit.limits().started.unwrap_or(now);
        let elapsed = now.saturating_duration_since(started);
        let (name, max_attempts) = (site.name, site.max_attempts().map(NonZeroU32::get));
        Event { kind, name, attempt, max_attempts, outcome, decision, elapsed, error, budget }
    }
}

/// How many attempts a policy allows.
#[inline(always)]
pub fn max_attempts(policy: &Policy) -> u32 {
    policy.attempts().unwrap_or(UNLIMITED)
}

/// The wait by default: `Backoff::DEFAULT`.
#[must_use]
pub fn default_delay(step: u32, floor: Option<Duration>) -> Duration {
    delay_of(&Backoff::DEFAULT, step, floor)
}

/// A value of any type, in code that is never reached.
pub fn never_made<T>() -> T {
    unreachable!("this code is never reached")
}

impl RetryLoop<Limits> {
    /// The call was cancelled: no further attempt starts.
    pub fn give_up(&mut self) {
        self.limit.cancelled = true;
    }
}
