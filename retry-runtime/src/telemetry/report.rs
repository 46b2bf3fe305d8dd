//! A report of an attempt to the features `tracing` and `metrics`. Without them it is
//! nothing at all.

use core::fmt::Display;
use core::num::NonZeroU32;

use crate::budget::Budget;
use crate::decision::Decision;
use crate::event::EventKind;
use crate::outcome::Outcome;

/// An [`Event`](crate::Event) without its time: a call that nobody observes reads no clock.
#[derive(Clone, Copy)]
// Each feature reads what it needs.
#[cfg_attr(not(all(feature = "metrics", feature = "tracing")), allow(dead_code))]
pub(crate) struct Report<'a> {
    pub(crate) kind: EventKind,
    pub(crate) name: &'a str,
    pub(crate) attempt: u32,
    pub(crate) max_attempts: Option<NonZeroU32>,
    /// `None` where it was not kept over a wait that was cut short.
    pub(crate) outcome: Option<Outcome>,
    pub(crate) decision: Decision,
    pub(crate) budget: Option<&'a Budget>,
    /// Only where the key `err` asks for it.
    pub(crate) error: Option<&'a dyn Display>,
    /// Of an answer of HTTP, as the layer sees it.
    pub(crate) status: Option<u16>,
}

impl Report<'_> {
    /// Whether anything reads `error`.
    pub(crate) const HAS_ERROR: bool = cfg!(feature = "tracing");

    #[inline(always)]
    pub(crate) fn send(&self) {
        #[cfg(any(feature = "tracing", feature = "metrics"))]
        super::send(self);
    }
}
