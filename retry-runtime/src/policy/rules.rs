//! What each setting of a policy may be: one sentence and one check for each, for
//! patches from code and from a configuration alike.

use core::time::Duration;

pub(crate) use crate::backoff::rules::{INITIAL, JITTER, MAX, at_least_initial};
use crate::backoff::{Curve, Jitter};

/// No limit, as the number of attempts in a patch.
pub(crate) const UNLIMITED: u32 = u32::MAX;

pub(crate) const ATTEMPTS: &str =
    "1 to 4294967294 (it counts every call, the first included), or \"unlimited\"";
pub(crate) const BACKOFF: &str = "exponential (or exp), linear, constant, none";
pub(crate) const WITHIN: &str =
    "a duration of more than zero with its unit, such as \"30s\", or \"none\"";

pub(super) fn attempts_are_valid(attempts: &u32) -> bool {
    *attempts > 0
}

/// The curve of a name, compared exactly.
pub(super) fn curve_named(name: &str) -> Option<Curve> {
    Some(match name {
        "exponential" | "exp" => Curve::Exponential,
        "linear" => Curve::Linear,
        "constant" => Curve::Constant,
        "none" => Curve::None,
        _ => return None,
    })
}

pub(super) fn duration_is_valid(duration: &Duration) -> bool {
    !duration.is_zero()
}

pub(super) fn jitter_is_valid(jitter: &Jitter) -> bool {
    jitter.is_valid()
}

pub(super) fn within_is_valid(within: &Option<Duration>) -> bool {
    *within != Some(Duration::ZERO)
}

pub(super) fn at_most_max(max: Duration) -> String {
    format!("at most `max`, {max:?}")
}
