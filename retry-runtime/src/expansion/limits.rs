//! Limits of a call, and the decision on an attempt that did not succeed: one cold
//! function for a call without a limit in time, and one for a call that has any.

use core::num::NonZeroU32;
use core::time::Duration;

use super::Site;
use crate::budget::Budget;
use crate::decision::{self, Decision, Progress, Sources};
use crate::outcome::Outcome;
use crate::time::Instant;
use crate::timer::Timer;

/// What may end a call besides its result: `NoLimit` costs nothing to keep.
pub trait Limit {
    #[doc(hidden)]
    fn limits(&self) -> Limits;

    /// What follows anything but `Success` and `Stop`.
    #[doc(hidden)]
    fn after<T: Timer + Copy, S: Fn(u32, Option<Duration>) -> Duration>(
        &self,
        progress: &mut Progress,
        outcome: Outcome,
        budget: Option<&Budget>,
        site: Site<T>,
        schedule: S,
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
    fn after<T: Timer + Copy, S: Fn(u32, Option<Duration>) -> Duration>(
        &self,
        progress: &mut Progress,
        outcome: Outcome,
        budget: Option<&Budget>,
        site: Site<T>,
        schedule: S,
    ) -> Decision {
        let sources = Asked { timer: site.timer, schedule };
        after(progress, outcome, budget, site.max_attempts(), &sources)
    }
}

impl Limit for Limits {
    #[inline(always)]
    fn limits(&self) -> Limits {
        *self
    }

    #[inline(always)]
    fn after<T: Timer + Copy, S: Fn(u32, Option<Duration>) -> Duration>(
        &self,
        progress: &mut Progress,
        outcome: Outcome,
        budget: Option<&Budget>,
        site: Site<T>,
        schedule: S,
    ) -> Decision {
        let sources = Asked { timer: site.timer, schedule };
        let Limits { deadline, cancelled, .. } = *self;
        let max_attempts = site.max_attempts();
        let limits = decision::Limits { max_attempts, budget, deadline, cancelled };
        after_in_time(progress, outcome, limits, &sources)
    }
}

impl Limits {
    /// Keeps the earlier of two deadlines.
    pub(super) fn at_most(&mut self, deadline: Instant) {
        self.deadline = Some(self.deadline.map_or(deadline, |earlier| earlier.min(deadline)));
    }
}

/// The arguments of [`Limit::after`].
pub(super) struct Rest<'c, 'b, L, T, S> {
    pub(super) limit: &'c L,
    pub(super) progress: &'c mut Progress,
    pub(super) outcome: Outcome,
    pub(super) budget: Option<&'b Budget>,
    pub(super) site: Site<T>,
    pub(super) schedule: S,
}

impl<L: Limit, T: Timer + Copy, S: Fn(u32, Option<Duration>) -> Duration> decision::Rest
    for Rest<'_, '_, L, T, S>
{
    #[inline(always)]
    fn decide(self) -> Decision {
        let Rest { limit, progress, outcome, budget, site, schedule } = self;
        limit.after(progress, outcome, budget, site, schedule)
    }
}

/// What a decision asks for: the function's timer and schedule. By value: a reference
/// to the site would have it stored on the path of a success too.
struct Asked<T, S> {
    timer: T,
    schedule: S,
}

impl<T: Timer, S: Fn(u32, Option<Duration>) -> Duration> Sources for Asked<T, S> {
    fn now(&self) -> Instant {
        self.timer.now()
    }

    fn resolution(&self) -> Duration {
        self.timer.resolution()
    }

    fn delay(&self, step: u32, floor: Option<Duration>) -> Duration {
        (self.schedule)(step, floor)
    }
}

/// Not generic, so that the whole program has it once. Its arguments are as many as
/// there are registers for them: what a call does not have takes none.
#[cold]
#[inline(never)]
fn after(
    progress: &mut Progress,
    outcome: Outcome,
    budget: Option<&Budget>,
    max_attempts: Option<NonZeroU32>,
    sources: &dyn Sources,
) -> Decision {
    decision::after(progress, outcome, max_attempts, budget, sources)
}

/// As `after`, for a call with a limit in time, or one that can be cancelled.
#[cold]
#[inline(never)]
fn after_in_time(
    progress: &mut Progress,
    outcome: Outcome,
    limits: decision::Limits<'_>,
    sources: &dyn Sources,
) -> Decision {
    decision::after_in_time(progress, outcome, limits, sources)
}
