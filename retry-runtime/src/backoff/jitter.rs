//! The jitter of a wait, and the server's floor, which moves it.

use core::time::Duration;

use super::curve::duration;
use super::{Backoff, draw};

/// The spread of a wait: callers which failed together should not come back together. In the
/// formulas `d` is the curve's delay, already capped.
///
/// A fraction is 0 to 1.
///
/// A server's floor ([`Outcome::RetryAfter`](crate::Outcome::RetryAfter)) moves the interval from
/// which the jitter draws. If it cut the interval, all callers with the same floor would come back
/// at the same moment. If the interval begins below the floor, the wait is drawn from
/// `[floor, floor + width)`, where the width is, for `Full`, the larger of `d` and an eighth of the
/// floor, and for `Subtract(f)`, `f` times the larger of `d` and the floor.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Jitter {
    /// Exactly `d`.
    None,
    /// Uniform in `[0, d)`: "full jitter" (Amazon's Builders' Library). It spreads best, and is the
    /// default of [`Backoff::exponential`].
    Full,
    /// Uniform in `[d * (1 - f), d]`: up to a fraction `f` taken off.
    Subtract(f64),
    /// `d` plus uniform in `[0, f * d)`, where `d` is the larger of the curve and
    /// the server's floor: the wait never falls below either, and may reach
    /// `(1 + f)` times the cap.
    Add(f64),
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

impl Backoff {
    /// The wait, when the curve and the server's floor have been weighed.
    pub(super) fn jittered(&self, step: u32, curve: Duration, floor: Duration) -> Duration {
        let draw = |range| draw::below(range, self.seed, step);
        let (curve, floor) = (curve.as_nanos(), floor.as_nanos());
        let larger = curve.max(floor);
        duration(match self.jitter {
            Jitter::None => larger,
            Jitter::Full if floor == 0 => draw(curve),
            Jitter::Full => floor + draw(curve.max(floor / 8)),
            Jitter::Subtract(fraction) => {
                let taken = share(curve, fraction);
                if curve - taken < floor {
                    floor + draw(share(larger, fraction))
                } else {
                    // One more than the share, because both ends are included.
                    curve - draw(taken + 1)
                }
            }
            Jitter::Add(fraction) => larger + draw(share(larger, fraction)),
        })
    }
}

/// The share `fraction` of `nanos`: never more than `nanos`, whatever rounding does.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss)]
fn share(nanos: u128, fraction: f64) -> u128 {
    ((nanos as f64 * fraction) as u128).min(nanos)
}
