//! The settings of one call site or one dependency.

mod merge;
mod patch;
pub(crate) mod rules;
#[cfg(feature = "serde")]
pub(crate) mod section;

use core::num::NonZeroU32;
use core::time::Duration;

pub use patch::PolicyPatch;

use crate::backoff::Backoff;

/// The attempts of a call, the waits between them, and how
/// long it may go on. A policy holds no state: it is `Copy`, made in a `const`
/// or merged from configuration with [`merge`](Policy::merge).
///
/// ```
/// use retry_runtime::{Backoff, Policy};
/// use std::time::Duration;
///
/// const POLICY: Policy = Policy::new(4)
///     .backoff(Backoff::exponential(Duration::from_millis(50), Duration::from_secs(2)))
///     .within(Duration::from_secs(30));
/// assert_eq!(POLICY.attempts(), Some(4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// `None` is no limit.
    pub(crate) attempts: Option<NonZeroU32>,
    pub(crate) backoff: Backoff,
    pub(crate) within: Option<Duration>,
}

impl Policy {
    /// At most `attempts` calls in all, the first included; schedule
    /// [`Backoff::DEFAULT`], no time limit.
    ///
    /// # Panics
    ///
    /// If `attempts` is 0: a compile-time error in a `const`.
    #[must_use]
    #[track_caller]
    pub const fn new(attempts: u32) -> Policy {
        assert!(
            attempts > 0,
            "`attempts` must be at least 1: it counts every call, the first included"
        );
        Policy { attempts: NonZeroU32::new(attempts), ..Policy::unlimited() }
    }

    /// No limit by count. Something else has to end the call: a time limit, a deadline, a
    /// cancellation, or the classifier. A budget does not end a call: it only refuses
    /// retries while the dependency fails.
    ///
    /// ```
    /// use retry_runtime::Policy;
    /// use std::time::Duration;
    ///
    /// const POLL: Policy = Policy::unlimited().within(Duration::from_secs(600));
    /// assert_eq!(POLL.attempts(), None);
    /// ```
    #[must_use]
    pub const fn unlimited() -> Policy {
        Policy { attempts: None, backoff: Backoff::DEFAULT, within: None }
    }

    /// As `Policy::new(retries + 1)`, for configurations that count retries: the first
    /// attempt is none.
    ///
    /// # Panics
    ///
    /// If `retries` is `u32::MAX`.
    ///
    /// ```
    /// use retry_runtime::Policy;
    ///
    /// assert_eq!(Policy::with_retries(3), Policy::new(4));
    /// ```
    #[must_use]
    #[track_caller]
    pub const fn with_retries(retries: u32) -> Policy {
        assert!(retries < u32::MAX, "`retries` must be at most 4294967294");
        Policy::new(retries + 1)
    }

    /// The same policy with another schedule.
    #[must_use]
    pub const fn backoff(mut self, backoff: Backoff) -> Policy {
        self.backoff = backoff;
        self
    }

    /// The same policy with a time limit: no further attempt starts once this
    /// much time has passed since the call began. A running attempt is never cut
    /// short. A zero limit means one attempt.
    #[must_use]
    pub const fn within(mut self, limit: Duration) -> Policy {
        self.within = Some(limit);
        self
    }

    /// The number of attempts, the first included; `None` is no limit.
    #[must_use]
    pub const fn attempts(&self) -> Option<u32> {
        match self.attempts {
            Some(attempts) => Some(attempts.get()),
            None => None,
        }
    }

    /// The schedule.
    #[must_use]
    pub const fn schedule(&self) -> Backoff {
        self.backoff
    }

    /// The time limit, if there is one.
    #[must_use]
    pub const fn time_limit(&self) -> Option<Duration> {
        self.within
    }
}
