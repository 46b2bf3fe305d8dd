//! Events of a call for telemetry and its observer.

use super::Call;
use super::time::{Began, now};
use crate::budget::Budget;
use crate::decision::Decision;
use crate::event::{Event, EventKind};
use crate::outcome::Outcome;
use crate::reason::{Told, unless_empty};
use crate::telemetry::Report;
use crate::time::Instant;
use crate::timer::Timer;

impl<T: Timer, C> Call<'_, T, C> {
    /// The wait after `Again` was cut short: no attempt follows after all.
    pub(crate) fn cut(&mut self) {
        self.cut_told(Told::default());
    }

    /// As `cut`, with what else is known of the last result.
    pub(crate) fn cut_told(&mut self, told: Told<'_>) {
        self.progress.attempt -= 1;
        let (attempt, decision) = (self.progress.attempt, Decision::Cancelled);
        self.decision = Some(decision);
        self.tell(EventKind::WaitCut, attempt, self.outcome, decision, None, told);
    }

    /// Tells telemetry, then the observer.
    #[inline]
    pub(super) fn tell(
        &self,
        kind: EventKind,
        attempt: u32,
        outcome: Outcome,
        decision: Decision,
        at: Option<Instant>,
        told: Told<'_>,
    ) {
        self.report(kind, attempt, outcome, decision, told.status);
        if self.observer.is_some() {
            self.tell_observer(kind, attempt, outcome, decision, at, told);
        }
    }

    #[cold]
    #[inline(never)]
    fn tell_observer(
        &self,
        kind: EventKind,
        attempt: u32,
        outcome: Outcome,
        decision: Decision,
        at: Option<Instant>,
        told: Told<'_>,
    ) {
        if let Some(observed) = self.observed(&self.timer) {
            observed.tell(kind, attempt, outcome, decision, at, told);
        }
    }

    /// Tells telemetry.
    #[inline]
    pub(super) fn report(
        &self,
        kind: EventKind,
        attempt: u32,
        outcome: Outcome,
        decision: Decision,
        status: Option<u16>,
    ) {
        Report {
            kind,
            name: self.label(),
            attempt,
            max_attempts: self.policy.attempts,
            outcome: Some(outcome),
            decision,
            budget: self.budget,
            // Nobody can ask for the text of an error here.
            error: None,
            status,
        }
        .send();
    }

    /// What its observer is told of, if it has one.
    #[inline]
    pub(super) fn observed<U: Timer>(&self, timer: U) -> Option<Observed<'_, U>> {
        let &Call { began, is_blocking, budget, .. } = self;
        let (name, max_attempts) = (self.label(), self.policy.attempts());
        let observed =
            |observer| Observed { observer, name, max_attempts, budget, began, is_blocking, timer };
        self.observer.map(observed)
    }
}

/// A call as its observer sees it.
pub(super) struct Observed<'c, U> {
    observer: &'c (dyn Fn(&Event<'_>) + Sync),
    name: &'c str,
    max_attempts: Option<u32>,
    budget: Option<&'c Budget>,
    began: Option<Began>,
    is_blocking: bool,
    timer: U,
}

impl<U: Timer> Observed<'_, U> {
    #[cold]
    #[inline(never)]
    pub(super) fn tell(
        self,
        kind: EventKind,
        attempt: u32,
        outcome: Outcome,
        decision: Decision,
        at: Option<Instant>,
        told: Told<'_>,
    ) {
        let Observed { observer, name, max_attempts, budget, began, is_blocking, timer } = self;
        let now = at.unwrap_or_else(|| now(&timer, is_blocking));
        let started = began.map_or(now, |began| began.at);
        let elapsed = now.saturating_duration_since(started);
        let error = told.text.filter(|_| outcome != Outcome::Success).and_then(unless_empty);
        observer(&Event {
            kind,
            name,
            attempt,
            max_attempts,
            outcome,
            decision,
            elapsed,
            error,
            budget,
        });
    }
}
