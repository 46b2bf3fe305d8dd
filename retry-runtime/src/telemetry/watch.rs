//! Calls whose future is dropped before they have ended.

#[cfg(not(any(feature = "tracing", feature = "metrics")))]
use core::marker::PhantomData;

use crate::decision::Decision;

/// Reports the call that owns it, if it is dropped before the call has ended. That is in an
/// attempt or in a wait: what was never polled has not begun, and what a panic ends was not
/// dropped.
///
/// Without the features it has no size and does nothing. It has a `Drop` all the same, so
/// that a feature changes no borrow of the program.
pub(crate) struct Watch<'n> {
    #[cfg(any(feature = "tracing", feature = "metrics"))]
    name: &'n str,
    /// Zero once the call has ended.
    #[cfg(any(feature = "tracing", feature = "metrics"))]
    attempt: u32,
    #[cfg(not(any(feature = "tracing", feature = "metrics")))]
    name: PhantomData<&'n str>,
}

#[cfg(any(feature = "tracing", feature = "metrics"))]
impl<'n> Watch<'n> {
    /// Before the first attempt.
    pub(crate) const fn new(name: &'n str) -> Self {
        Watch { name, attempt: 1 }
    }

    /// After each decision. `attempt` is the number of the next attempt.
    #[inline]
    pub(crate) fn decided(&mut self, name: &'n str, decision: Decision, attempt: u32) {
        self.name = name;
        self.attempt = if decision.is_final() { 0 } else { attempt };
    }

    /// The call has ended.
    pub(crate) const fn end(&mut self) {
        self.attempt = 0;
    }
}

#[cfg(not(any(feature = "tracing", feature = "metrics")))]
impl<'n> Watch<'n> {
    #[inline(always)]
    pub(crate) const fn new(_name: &'n str) -> Self {
        Watch { name: PhantomData }
    }

    #[inline(always)]
    pub(crate) const fn decided(&mut self, _name: &'n str, _decision: Decision, _attempt: u32) {}

    #[inline(always)]
    pub(crate) const fn end(&mut self) {}
}

impl Drop for Watch<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        #[cfg(any(feature = "tracing", feature = "metrics"))]
        if self.attempt != 0 {
            dropped(self.name, self.attempt);
        }
    }
}

/// Apart from the loop, which every annotated function has a copy of.
#[cfg(any(feature = "tracing", feature = "metrics"))]
#[cold]
#[inline(never)]
fn dropped(name: &str, attempt: u32) {
    if std::thread::panicking() {
        return;
    }
    #[cfg(feature = "metrics")]
    super::measurements::dropped(name);
    #[cfg(feature = "tracing")]
    super::events::dropped(name, attempt);
    let _ = attempt;
}
