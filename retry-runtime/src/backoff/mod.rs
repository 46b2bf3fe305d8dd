//! The usual schedules: exponential, linear, constant and none, with jitter.
//!
//! All arithmetic is in integer nanoseconds in a `u128`, which holds the largest
//! `Duration` times the largest attempt, and saturates at `Duration::MAX`:
//! floating point would reach its end, or turn NaN, at attempts that a long
//! outage does reach.

mod draw;

use core::time::Duration;

pub use draw::seed_from;

use crate::Schedule;

/// How a wait is spread, so that callers that failed together do not come back
/// together. In the formulas `d` is the curve's delay, already capped.
///
/// A fraction is 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Jitter {
    /// Exactly `d`.
    None,
    /// Uniform in `[0, d)`: "full jitter" (Amazon's Builders' Library). It
    /// spreads best, and is what [`Backoff::exponential`] starts with.
    Full,
    /// Uniform in `[d * (1 - f), d]`: up to a fraction `f` taken off.
    Subtract(f64),
    /// `d` plus uniform in `[0, f * d)`, where `d` is the larger of the curve and
    /// the server's floor: the wait never falls below either, and may reach
    /// `(1 + f)` times the cap.
    Add(f64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Curve {
    Exponential,
    Linear,
    Constant,
    None,
}

/// A schedule from a curve, a cap and a jitter. `Copy`, and made in a `const`.
///
/// ```
/// use retry_runtime::{Backoff, Jitter, Schedule};
/// use std::time::Duration;
///
/// const SLOW: Backoff = Backoff::exponential(Duration::from_millis(100), Duration::from_secs(1));
/// let curve: Vec<u128> = (1..=6).map(|n| SLOW.curve(n).as_millis()).collect();
/// assert_eq!(curve, [100, 200, 400, 800, 1000, 1000]);
/// assert!(SLOW.delay(6) < Duration::from_secs(1)); // full jitter
///
/// // A seed makes the draws a pure function of (seed, attempt).
/// let seeded = SLOW.seed(42);
/// assert_eq!(seeded.delay(2), seeded.delay(2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backoff {
    pub(crate) curve: Curve,
    pub(crate) initial: Duration,
    pub(crate) max: Duration,
    pub(crate) jitter: Jitter,
    pub(crate) seed: Option<u64>,
}

impl Backoff {
    /// What a call uses when nothing else is said: exponential from 100 ms,
    /// capped at 10 s, full jitter.
    pub const DEFAULT: Backoff =
        Backoff::exponential(Duration::from_millis(100), Duration::from_secs(10));

    /// `initial * 2^(n-1)` after attempt n, capped at `max`; full jitter.
    ///
    /// # Panics
    ///
    /// If `initial` is zero or `max` is less than `initial`: a compile-time error
    /// in a `const` or `static`. Settings from a configuration go through
    /// [`PolicyPatch`](crate::PolicyPatch), which returns errors.
    #[must_use]
    #[track_caller]
    pub const fn exponential(initial: Duration, max: Duration) -> Backoff {
        Backoff::rising(Curve::Exponential, initial, max, Jitter::Full)
    }

    /// `initial * n` after attempt n, capped at `max`; no jitter.
    ///
    /// # Panics
    ///
    /// If `initial` is zero or `max` is less than `initial`.
    ///
    /// ```
    /// use retry_runtime::Backoff;
    /// use std::time::Duration;
    ///
    /// let linear = Backoff::linear(Duration::from_secs(1), Duration::from_secs(3));
    /// assert_eq!(linear.curve(2), Duration::from_secs(2));
    /// assert_eq!(linear.curve(u32::MAX), Duration::from_secs(3));
    /// ```
    #[must_use]
    #[track_caller]
    pub const fn linear(initial: Duration, max: Duration) -> Backoff {
        Backoff::rising(Curve::Linear, initial, max, Jitter::None)
    }

    /// The same `delay` after every attempt; no jitter. A zero delay is the same
    /// as [`none`](Backoff::none).
    #[must_use]
    pub const fn constant(delay: Duration) -> Backoff {
        let (curve, initial, max) = (Curve::Constant, delay, delay);
        Backoff { curve, initial, max, jitter: Jitter::None, seed: None }
    }

    /// No wait at all: the task yields once and goes on. The timer is not touched.
    #[must_use]
    pub const fn none() -> Backoff {
        let (curve, initial, max) = (Curve::None, Duration::ZERO, Duration::ZERO);
        Backoff { curve, initial, max, jitter: Jitter::None, seed: None }
    }

    #[track_caller]
    const fn rising(curve: Curve, initial: Duration, max: Duration, jitter: Jitter) -> Backoff {
        match (initial.is_zero(), max.as_nanos() < initial.as_nanos()) {
            (false, false) => Backoff { curve, initial, max, jitter, seed: None },
            (true, _) => panic!(
                "`initial` must be more than zero: to retry without a wait, write `Backoff::none()`"
            ),
            (false, true) => panic!("`max` must not be less than `initial`"),
        }
    }

    /// The same schedule with another jitter.
    ///
    /// # Panics
    ///
    /// If a fraction is not in 0 to 1: a compile-time error in a `const`.
    #[must_use]
    #[track_caller]
    pub const fn jitter(mut self, jitter: Jitter) -> Backoff {
        assert!(jitter.is_valid(), "the fraction of a jitter must be 0 to 1");
        self.jitter = jitter;
        self
    }

    /// Makes the draws a pure function of `(seed, attempt)`: the same wait on
    /// every machine, in every version. The seed must differ between processes
    /// that may fail together, or they come back together;
    /// [`seed_from`] makes one from a name.
    #[must_use]
    pub const fn seed(mut self, seed: u64) -> Backoff {
        self.seed = Some(seed);
        self
    }

    /// The delay after attempt `attempt` (from 1), capped, before the jitter.
    #[must_use]
    pub fn curve(&self, attempt: u32) -> Duration {
        let (initial, max) = (self.initial.as_nanos(), self.max.as_nanos());
        let nanos = match self.curve {
            Curve::None => 0,
            Curve::Constant => initial,
            Curve::Linear => initial.saturating_mul(u128::from(attempt.max(1))).min(max),
            Curve::Exponential => {
                let doublings = attempt.saturating_sub(1);
                // `initial << doublings` is at most `max` exactly when `initial`
                // is at most `max >> doublings`, so the shift never overflows.
                match max.checked_shr(doublings) {
                    Some(limit) if initial <= limit => initial << doublings,
                    _ => max,
                }
            }
        };
        duration(nanos)
    }

    /// The wait, when the curve and the server's floor have been weighed.
    fn jittered(&self, attempt: u32, curve: Duration, floor: Duration) -> Duration {
        let draw = |range| draw::below(range, self.seed, attempt);
        let nanos = curve.as_nanos();
        match self.jitter {
            Jitter::None => curve.max(floor),
            Jitter::Full => duration(draw(nanos)).max(floor),
            Jitter::Subtract(fraction) => {
                // One more than the share, because both ends are included.
                let taken = draw(share(nanos, fraction) + 1);
                duration(nanos - taken).max(floor)
            }
            Jitter::Add(fraction) => {
                let base = nanos.max(floor.as_nanos());
                duration(base + draw(share(base, fraction)))
            }
        }
    }
}

impl Jitter {
    /// NaN is in no range.
    pub(crate) const fn is_valid(&self) -> bool {
        match self {
            Jitter::None | Jitter::Full => true,
            Jitter::Subtract(fraction) | Jitter::Add(fraction) => {
                *fraction >= 0.0 && *fraction <= 1.0
            }
        }
    }
}

impl Schedule for Backoff {
    // Inlined, so that a wait which is the same each time is a constant where the
    // schedule is one.
    #[inline]
    fn delay(&self, attempt: u32) -> Duration {
        match (self.curve, self.jitter) {
            // A layer that took the curve away has left its first delay there.
            (Curve::None, Jitter::None) => Duration::ZERO,
            (Curve::Constant, Jitter::None) => self.initial,
            _ => self.jittered(attempt, self.curve(attempt), Duration::ZERO),
        }
    }

    fn delay_at_least(&self, attempt: u32, floor: Duration) -> Duration {
        self.jittered(attempt, self.curve(attempt), floor)
    }
}

/// The share `fraction` of `nanos`: never more than `nanos`, whatever rounding does.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss)]
fn share(nanos: u128, fraction: f64) -> u128 {
    ((nanos as f64 * fraction) as u128).min(nanos)
}

/// The duration of so many nanoseconds, saturating at `Duration::MAX`.
pub(crate) fn duration(nanos: u128) -> Duration {
    const NANOS_PER_SEC: u128 = 1_000_000_000;
    match (u64::try_from(nanos / NANOS_PER_SEC), u32::try_from(nanos % NANOS_PER_SEC)) {
        (Ok(seconds), Ok(nanos)) => Duration::new(seconds, nanos),
        _ => Duration::MAX,
    }
}
