//! The ranges of a backoff's settings: one sentence and one check for each, for values
//! from code and from a configuration alike.

use core::time::Duration;

pub(crate) const INITIAL: &str = "a duration of more than zero with its unit, such as \"250ms\" (to retry without a wait: backoff = \"none\")";
pub(crate) const MAX: &str = "a duration of more than zero with its unit, such as \"30s\"";
pub(crate) const FACTOR: &str = "1 to 1000, of the exponential curve";
pub(crate) const JITTER: &str =
    "\"none\", \"full\", { subtract = f } or { add = f }, with f a fraction of 0 to 1";

pub(crate) fn at_least_initial(initial: Duration) -> String {
    format!("at least `initial`, {initial:?}")
}

// NaN is in no range.
pub(crate) const fn factor_is_valid(factor: f64) -> bool {
    factor >= 1.0 && factor <= 1000.0
}
