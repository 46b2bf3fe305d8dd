//! The loop of a call whose events have a text.

use core::fmt::Display;
use core::time::Duration;

use super::limits::Limit;
use super::{RetryLoop, Site};
use crate::budget::Budget;
use crate::decision::Decision;
use crate::event::EventKind;
use crate::key::{Observing, Reason};
use crate::outcome::Outcome;
use crate::telemetry::Report;
use crate::timer::Timer;

impl<L: Limit> RetryLoop<L> {
    /// The same loop, whose events have a text.
    pub fn because<R: Reason>(&mut self, reason: R) -> Because<'_, L, R> {
        Because { call: self, reason }
    }
}

/// A loop whose events have a text: `err`, or the explanation of a classifier. The methods
/// are those of [`RetryLoop`].
pub struct Because<'c, L, R> {
    call: &'c mut RetryLoop<L>,
    reason: R,
}

impl<L: Limit, R: Reason> Because<'_, L, R> {
    /// See [`RetryLoop::decide`].
    #[inline]
    pub fn decide<T: Timer + Copy>(
        self,
        outcome: Outcome,
        budget: Option<&Budget>,
        site: Site<T>,
        schedule: impl Fn(u32, Option<Duration>) -> Duration,
    ) -> Decision {
        let Because { call, reason } = self;
        let (kind, attempt) = (EventKind::Attempt, call.progress.attempt);
        let decision = call.next(outcome, budget, site, schedule);
        let mut told = |error: Option<&dyn Display>| {
            call.report(kind, attempt, outcome, decision, budget, &site, error)
        };
        if Report::HAS_ERROR && R::IS_ASKED_FOR && !matches!(outcome, Outcome::Success) {
            reason.tell(&mut told);
        } else {
            told(None);
        }
        decision
    }

    /// See [`RetryLoop::decide_observed`].
    #[inline]
    pub fn decide_observed<T: Timer + Copy>(
        self,
        outcome: Outcome,
        budget: Option<&Budget>,
        site: Site<T>,
        schedule: impl Fn(u32, Option<Duration>) -> Duration,
        observer: Observing<impl Sized>,
    ) -> Decision {
        let attempt = self.call.progress.attempt;
        let decision = self.call.next(outcome, budget, site, schedule);
        self.tell(EventKind::Attempt, attempt, outcome, decision, budget, &site, observer);
        decision
    }

    /// See [`RetryLoop::cut`].
    #[inline]
    pub fn cut<T: Timer>(
        self,
        outcome: Outcome,
        budget: Option<&Budget>,
        site: Site<T>,
        observer: Observing<impl Sized>,
    ) {
        self.call.watch.end();
        let (kind, made) = (EventKind::WaitCut, self.call.progress.attempt - 1);
        self.tell(kind, made, outcome, Decision::Cancelled, budget, &site, observer);
    }

    /// See [`RetryLoop::cut_unobserved`].
    #[inline]
    pub fn cut_unobserved<T>(self, site: Site<T>) {
        let Because { call, reason } = self;
        call.watch.end();
        if Report::HAS_ERROR && R::IS_ASKED_FOR {
            reason.tell(&mut |error| call.report_cut(&site, error));
        } else {
            call.report_cut(&site, None);
        }
    }

    /// Tells telemetry, then the observer.
    #[allow(clippy::too_many_arguments)]
    fn tell<T: Timer>(
        self,
        kind: EventKind,
        attempt: u32,
        outcome: Outcome,
        decision: Decision,
        budget: Option<&Budget>,
        site: &Site<T>,
        observer: Observing<impl Sized>,
    ) {
        let Because { call, reason } = self;
        let mut observer = Some(observer);
        let mut told = |error: Option<&dyn Display>| {
            let reported = error.filter(|_| R::IS_ASKED_FOR);
            call.report(kind, attempt, outcome, decision, budget, site, reported);
            if let Some(observer) = observer.take() {
                observer.tell(&call.event(kind, attempt, outcome, decision, budget, site, error));
            }
        };
        if matches!(outcome, Outcome::Success) { told(None) } else { reason.tell(&mut told) }
    }
}
