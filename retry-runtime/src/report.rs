//! What the features `tracing` and `metrics` are told of every attempt. Without
//! them a report is nothing at all.

use crate::{Budget, Decision, EventKind, Outcome};

/// An [`Event`](crate::Event) without its time: a call that nobody observes reads no clock.
#[derive(Clone, Copy)]
// Each feature reads what it needs.
#[cfg_attr(not(all(feature = "metrics", feature = "tracing")), allow(dead_code))]
pub(crate) struct Report<'a> {
    pub kind: EventKind,
    pub name: &'a str,
    pub attempt: u32,
    /// `None` where it was not kept over a wait that was cut short.
    pub outcome: Option<Outcome>,
    pub decision: Decision,
    pub budget: Option<&'a Budget>,
}

impl Report<'_> {
    #[inline(always)]
    pub(crate) fn send(&self) {
        #[cfg(any(feature = "tracing", feature = "metrics"))]
        crate::telemetry::send(self);
    }
}
