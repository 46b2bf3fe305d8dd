//! The settings of one call site or one dependency.

mod patch;
pub(crate) mod rules;
#[cfg(feature = "serde")]
pub(crate) mod section;

use core::time::Duration;
use std::time::Instant;

pub use patch::PolicyPatch;

use crate::{Backoff, Budget, Call, clock};

/// How many attempts a call may make, how long it waits between them, and how
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
/// assert_eq!(POLICY.attempts(), 4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    pub(crate) attempts: u32,
    pub(crate) backoff: Backoff,
    pub(crate) within: Option<Duration>,
}

impl Policy {
    /// As a number of attempts: no limit by count. Something else has to end the
    /// call: a time limit, a deadline or a cancellation.
    pub const UNLIMITED: u32 = u32::MAX;

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
        Policy { attempts, backoff: Backoff::DEFAULT, within: None }
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

    /// How many calls in all, the first included;
    /// [`UNLIMITED`](Policy::UNLIMITED) for no limit.
    #[must_use]
    pub const fn attempts(&self) -> u32 {
        self.attempts
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

    /// Starts a call whose retries `budget` limits, with the settings of this
    /// policy. The clock (tokio's, with the feature `tokio`) is read here only
    /// if the policy has a time limit.
    ///
    /// ```
    /// use retry_runtime::{Budget, Outcome, Policy};
    ///
    /// static PAYMENTS: Budget = Budget::new(10, 0.1);
    /// const POLICY: Policy = Policy::new(4);
    ///
    /// # async fn send() -> Result<(), std::io::Error> { Ok(()) }
    /// # fn classify<T, E>(r: &Result<T, E>) -> Outcome { if r.is_ok() { Outcome::Success } else { Outcome::Retry } }
    /// async fn charge() -> Result<(), std::io::Error> {
    ///     let mut call = POLICY.call(&PAYMENTS);
    ///     loop {
    ///         let result = send().await;
    ///         if !call.again(classify(&result)).await {
    ///             break result;
    ///         }
    ///     }
    /// }
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(charge()).unwrap();
    /// ```
    pub fn call<'b>(&self, budget: &'b Budget) -> Call<'_, 'b> {
        Call::new(self, Some(budget), clock::now)
    }

    /// Starts a call that no budget limits. That is right where one caller
    /// retries and nobody else does, such as a connection made at startup; on the
    /// path of requests, retries without a budget multiply an outage.
    pub fn call_without_budget(&self) -> Call<'_, 'static> {
        Call::new(self, None, clock::now)
    }

    /// As [`call`](Policy::call) or, without a budget,
    /// [`call_without_budget`](Policy::call_without_budget), for an executor with
    /// a clock of its own: the time is an argument, here and in
    /// [`decide_at`](Call::decide_at), and [`again_with`](Call::again_with) waits on its
    /// timer. `now` is std's or tokio's `Instant`.
    pub fn call_at<'b>(&self, budget: Option<&'b Budget>, now: impl Into<Instant>) -> Call<'_, 'b> {
        Call::started(self, budget, Some(now.into()))
    }
}
