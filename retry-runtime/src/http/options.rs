//! The values of an HTTP policy's options.

use ::http::{HeaderMap, Method};

/// A setting that can be left to the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Switch {
    /// Yes for a request that can be repeated, no for another: see
    /// [`HttpPolicy::methods`](super::HttpPolicy::methods).
    Auto,
    /// Whatever the request.
    Yes,
    /// Never.
    No,
}

impl Switch {
    /// Whether it is yes for a request that can be repeated, or cannot.
    pub(super) const fn applies(self, repeatable: bool) -> bool {
        match self {
            Switch::Auto => repeatable,
            Switch::Yes => true,
            Switch::No => false,
        }
    }
}

/// The methods whose requests can be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Methods {
    /// Those that only read (RFC 9110 section 9.2.1): GET, HEAD, OPTIONS, TRACE, and QUERY.
    Safe,
    /// Every idempotent method (RFC 9110 section 9.2.2): the safe ones, PUT and DELETE.
    Idempotent,
}

impl Methods {
    /// Whether a request of `method` can be repeated.
    #[must_use]
    pub fn contains(self, method: &Method) -> bool {
        // Not every version of the crate `http` knows QUERY.
        let safe = method.is_safe() || method.as_str() == "QUERY";
        match self {
            Methods::Safe => safe,
            Methods::Idempotent => safe || method.is_idempotent(),
        }
    }
}

/// The relation of a server's delay to the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ServerDelay {
    /// It replaces the schedule's wait, even if it is shorter:
    /// [`Outcome::RetryIn`](crate::Outcome::RetryIn). The server knows its load best. But all
    /// clients with the same delay come back at the same moment.
    Exact,
    /// The wait is at least this delay: [`Outcome::RetryAfter`](crate::Outcome::RetryAfter). The
    /// jitter spreads the clients with the same delay.
    AtLeast,
}

/// The effect of a server's delay over the ceiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OverMax {
    /// It counts as the ceiling.
    Clamp,
    /// It ends the call: [`Outcome::Fail`](crate::Outcome::Fail).
    GiveUp,
}

/// Whether a request has an `Idempotency-Key` that is not empty.
pub(super) fn has_key(headers: &HeaderMap) -> bool {
    let is_blank = |value: &[u8]| value.iter().all(|byte| matches!(byte, b' ' | b'\t'));
    headers.get_all("idempotency-key").iter().any(|value| !is_blank(value.as_bytes()))
}
