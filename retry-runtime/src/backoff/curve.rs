//! The curve of a `Backoff`: the delay at each step, before the jitter.
//!
//! All arithmetic is in integer nanoseconds in a `u128`, which holds the largest
//! `Duration` times the largest attempt, and saturates at `Duration::MAX`:
//! floating point would reach its end, or turn NaN, at attempts that a long
//! outage does reach.

use core::time::Duration;

use super::{Backoff, growth};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Curve {
    Exponential,
    Linear,
    Constant,
    None,
}

/// The factor of the exponential curve by default, in thousandths.
pub(super) const DOUBLING: u32 = 2 * growth::ONE;

impl Backoff {
    /// The delay at `step` (from 1), capped, before the jitter.
    #[must_use]
    pub fn curve(&self, step: u32) -> Duration {
        let (initial, max) = (self.initial.as_nanos(), self.max.as_nanos());
        let nanos = match self.curve {
            Curve::None => 0,
            Curve::Constant => initial,
            Curve::Linear => initial.saturating_mul(u128::from(step.max(1))).min(max),
            Curve::Exponential if self.factor == DOUBLING => {
                let doublings = step.saturating_sub(1);
                // `initial << doublings` is at most `max` exactly when `initial`
                // is at most `max >> doublings`, so the shift never overflows.
                match max.checked_shr(doublings) {
                    Some(limit) if initial <= limit => initial << doublings,
                    _ => max,
                }
            }
            Curve::Exponential => growth::grown(initial, self.factor, step.saturating_sub(1), max),
        };
        duration(nanos)
    }
}

/// A factor in thousandths, rounded to the nearest. (`f64::round` is const only since
/// Rust 1.90.)
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(crate) const fn thousandths(factor: f64) -> u32 {
    (factor * 1000.0 + 0.5) as u32
}

/// The duration of so many nanoseconds, saturating at `Duration::MAX`.
pub(crate) fn duration(nanos: u128) -> Duration {
    const NANOS_PER_SEC: u128 = 1_000_000_000;
    match (u64::try_from(nanos / NANOS_PER_SEC), u32::try_from(nanos % NANOS_PER_SEC)) {
        (Ok(seconds), Ok(nanos)) => Duration::new(seconds, nanos),
        _ => Duration::MAX,
    }
}
