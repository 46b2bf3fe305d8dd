//! The reserve of a budget: one retry in a period although the tokens refuse.

#[cfg(not(retry_loom))]
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use core::time::Duration;
use std::sync::OnceLock;

use crate::time::Instant;

#[cfg(retry_loom)]
use loom::sync::atomic::AtomicU64;

/// The shortest period.
pub(super) const SHORTEST: Duration = Duration::from_millis(1);

/// When a retry was last granted although the tokens refused it. Relaxed ordering is
/// enough: the time publishes no other data.
#[derive(Debug)]
pub(crate) struct Reserve {
    /// The period in nanoseconds.
    every: u64,
    /// See [`encoded`]; zero if no retry has been granted.
    last: AtomicU64,
}

impl Reserve {
    #[cfg(not(retry_loom))]
    pub(super) const fn new(every: Duration) -> Reserve {
        Reserve { every: nanos(every), last: AtomicU64::new(0) }
    }

    /// Loom's atomics cannot be made in a `const`.
    #[cfg(retry_loom)]
    pub(super) fn new(every: Duration) -> Reserve {
        Reserve { every: nanos(every), last: AtomicU64::new(0) }
    }

    pub(super) const fn every(&self) -> Duration {
        Duration::from_nanos(self.every)
    }

    /// Whether a retry may be granted at `now`: a pure read.
    pub(crate) fn is_open(&self, now: Instant) -> bool {
        self.has_refilled(self.last.load(Relaxed), encoded(now))
    }

    /// Grants a retry at `now`, unless one was granted within the period.
    pub(crate) fn claim(&self, now: Instant) -> bool {
        let now = encoded(now);
        let update = |last| self.has_refilled(last, now).then_some(now);
        self.last.fetch_update(Relaxed, Relaxed, update).is_ok()
    }

    /// Open, as at first.
    pub(super) fn reset(&self) {
        self.last.store(0, Relaxed);
    }

    /// A time before the last one is no time passed.
    fn has_refilled(&self, last: u64, now: u64) -> bool {
        last == 0 || now.saturating_sub(last) >= self.every
    }
}

/// Nanoseconds since a common origin, about which times lie on both sides: never zero.
fn encoded(time: Instant) -> u64 {
    // Any instant will do: what counts is the difference of two times.
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    const MIDDLE: u64 = 1 << 63;
    let origin = *ORIGIN.get_or_init(|| time);
    match time.checked_duration_since(origin) {
        Some(after) => MIDDLE.saturating_add(nanos(after)),
        None => MIDDLE.saturating_sub(nanos(origin.duration_since(time))).max(1),
    }
}

/// Saturates after 584 years.
#[allow(clippy::cast_possible_truncation)]
const fn nanos(duration: Duration) -> u64 {
    let nanos = duration.as_nanos();
    if nanos > u64::MAX as u128 { u64::MAX } else { nanos as u64 }
}
