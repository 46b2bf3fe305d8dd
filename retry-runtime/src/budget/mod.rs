//! The token bucket that all calls to one dependency share (gRFC A6).
//!
//! Why it is shaped like this: the count is an integer in thousandths of a
//! token in one atomic, so there is no lock and no drift, and the decision uses
//! the value that the same atomic update wrote. On the two rails nothing is
//! written at all: a success that finds the bucket full and a failure that finds
//! it empty are a relaxed load, so that a healthy fleet and a dead dependency
//! keep the cache line shared between cores. Relaxed ordering is enough: the
//! count publishes no other data, and a read-modify-write always sees the newest
//! value. A stale load on a rail can lose one credit or deny one retry, never
//! grant one.

mod config;
#[cfg(retry_loom)]
mod model;
mod reserve;
#[cfg(feature = "serde")]
mod section;
mod suspension;

use core::fmt;
use core::sync::atomic::AtomicBool;
#[cfg(not(retry_loom))]
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
#[cfg(not(retry_loom))]
use core::time::Duration;

pub use config::BudgetConfig;
#[cfg(retry_loom)]
use model::AtomicU32;
use reserve::Reserve;

/// How many units of the atomic make one token.
const TOKEN: u32 = 1000;

/// A limit on the retries of all calls which share it: one per dependency.
///
/// It is gRPC's retry throttling (gRFC A6). The bucket starts full. Each attempt classified as a
/// retry, or as [`Fail`](crate::Outcome::Fail), takes one token, down to zero; each success adds
/// `token_ratio`, up to `max_tokens`; [`Stop`](crate::Outcome::Stop) and
/// [`Repeat`](crate::Outcome::Repeat) change nothing. A retry is allowed only while the bucket
/// holds **more than half** of `max_tokens` after its token is taken. First attempts are never
/// limited, so no call is refused for lack of tokens.
///
/// While the dependency answers, calls retry. Once more than about
/// `token_ratio / (1 + token_ratio)` of the attempts fail, the bucket drains and
/// each call makes one attempt, until successes have filled it again.
///
/// Declare one `static` for each dependency and share it. A `Budget` is not
/// `Clone`: a copy would be a second allowance. Where budgets are made at run
/// time (one for each host, say), keep them in an `Arc`.
///
/// ```
/// use retry_runtime::{Budget, Decision, Outcome, Policy};
///
/// static PAYMENTS: Budget = Budget::new(10, 0.1);
///
/// // A dependency that is down: the first call may retry, soon none may.
/// let policy = Policy::new(3);
/// let mut attempts = Vec::new();
/// for _ in 0..4 {
///     let mut call = policy.call(&PAYMENTS);
///     let mut made = 1;
///     while let Decision::Again { .. } = call.decide(Outcome::Retry) {
///         made += 1;
///     }
///     attempts.push(made);
/// }
/// assert_eq!(attempts, [3, 2, 1, 1]);
/// ```
// Padded to a cache line, so that a neighbouring static that is written often
// does not slow the read-only paths.
#[repr(align(64))]
pub struct Budget {
    /// Thousandths of a token.
    tokens: AtomicU32,
    max: u32,
    ratio: u32,
    name: Option<&'static str>,
    /// Set by an operator. It stands apart from the count, so that only a retry reads it.
    suspended: AtomicBool,
    reserve: Option<Reserve>,
}

impl Budget {
    /// The largest `max_tokens` and `token_ratio`. The bound turns a typo in a configuration into
    /// an error and keeps the count of tokens exact.
    pub const TOKEN_LIMIT: u32 = 1 << 16;

    /// A full bucket of `max_tokens` tokens, to which each success adds
    /// `token_ratio` tokens.
    ///
    /// `max_tokens` is 3 to [`TOKEN_LIMIT`](Budget::TOKEN_LIMIT): a bucket of 1
    /// or 2 is at its half after the first failure and could never grant a
    /// retry. `token_ratio` is 0.001 to `TOKEN_LIMIT`, rounded to the nearest
    /// thousandth.
    ///
    /// How to choose: `token_ratio` sets *where* retries stop, at a share of
    /// failing attempts of `r / (1 + r)` (9 % for 0.1), and bounds the extra load
    /// to `r` of the calls. `max_tokens` sets *how sharply*, and the burst that
    /// an outage costs: `ceil(max_tokens / 2) - 1` retries for each process.
    ///
    /// # Panics
    ///
    /// On a value out of range, with a sentence that names every bad argument.
    /// In a `static` that is a compile-time error. For values from a
    /// configuration use [`from_config`](Budget::from_config).
    ///
    /// ```
    /// use retry_runtime::Budget;
    ///
    /// static PAYMENTS: Budget = Budget::new(10, 0.1);
    /// assert_eq!(PAYMENTS.tokens(), 10.0);
    /// ```
    ///
    /// ```compile_fail
    /// use retry_runtime::Budget;
    ///
    /// static NEVER: Budget = Budget::new(2, 0.1);
    /// ```
    #[cfg(not(retry_loom))]
    #[must_use]
    #[track_caller]
    pub const fn new(max_tokens: u32, token_ratio: f64) -> Budget {
        config::assert_valid(max_tokens, token_ratio);
        Budget {
            tokens: AtomicU32::new(max_tokens * TOKEN),
            max: max_tokens * TOKEN,
            ratio: config::thousandths(token_ratio),
            name: None,
            suspended: AtomicBool::new(false),
            reserve: None,
        }
    }

    /// The same budget with a reserve for quiet services: if there are too few tokens for a retry,
    /// the reserve allows it, once in each period `every`. (Finagle, Linkerd and tower have the
    /// same as a minimum of retries per second.) Without it, a queue of ten jobs an hour waits for
    /// six hours after an outage until `Budget::new(10, 0.1)` allows a retry again.
    ///
    /// `every` is 1 ms and more. The reserve is open at first. A retry claims it last, when
    /// attempts, deadline and everything else allow it, so no call spends it without a retry; and
    /// only if the tokens refuse, so the healthy path does not touch it. Over any time `T`, with
    /// `S` successes, the number `R` of retries obeys
    /// `R < max_tokens / 2 + token_ratio * S + 1 + T / every`.
    ///
    /// The time is that of the call: tokio's, or its `timer`'s. Let all calls of one
    /// budget use one clock. A time before the last one counts as no time passed.
    ///
    /// # Panics
    ///
    /// If `every` is less than 1 ms: a compile-time error in a `static`.
    ///
    /// ```
    /// use retry_runtime::{Budget, Decision, Outcome, Policy};
    /// use std::time::{Duration, Instant};
    ///
    /// static JOBS: Budget = Budget::new(3, 0.1).one_retry_every(Duration::from_secs(60));
    ///
    /// let start = Instant::now();
    /// let retries = |after: u64| {
    ///     let now = start + Duration::from_secs(after);
    ///     matches!(
    ///         Policy::new(2).call(&JOBS).decide_at(Outcome::Retry, now),
    ///         Decision::Again { .. }
    ///     )
    /// };
    /// assert!(retries(0)); // by a token
    /// assert!(retries(0)); // by the reserve
    /// assert!(!retries(59));
    /// assert!(retries(60));
    /// ```
    #[cfg(not(retry_loom))]
    #[must_use]
    #[track_caller]
    pub const fn one_retry_every(mut self, every: Duration) -> Budget {
        config::assert_period_valid(every);
        self.reserve = Some(Reserve::new(every));
        self
    }

    /// The same budget with a name, which events and gauges carry.
    ///
    /// ```
    /// use retry_runtime::Budget;
    ///
    /// static PAYMENTS: Budget = Budget::new(10, 0.1).named("payments");
    /// assert_eq!(PAYMENTS.name(), Some("payments"));
    /// ```
    #[must_use]
    pub const fn named(mut self, name: &'static str) -> Budget {
        self.name = Some(name);
        self
    }

    /// The name given with [`named`](Budget::named), if any.
    #[must_use]
    pub const fn name(&self) -> Option<&'static str> {
        self.name
    }

    /// The tokens in the bucket now, 0 to `max_tokens`: a pure read,
    /// for a gauge. By the time the caller looks at it, it may have changed.
    #[must_use]
    pub fn tokens(&self) -> f64 {
        f64::from(self.tokens.load(Relaxed)) / f64::from(TOKEN)
    }

    /// The tokens of a full bucket.
    #[must_use]
    pub fn max_tokens(&self) -> u32 {
        self.max / TOKEN
    }

    /// The tokens added by each success, as rounded to the thousandth.
    #[must_use]
    pub fn token_ratio(&self) -> f64 {
        f64::from(self.ratio) / f64::from(TOKEN)
    }

    /// A success: adds the ratio, up to the maximum. Writes nothing when full.
    #[inline]
    pub(crate) fn refill(&self) {
        if self.tokens.load(Relaxed) != self.max {
            self.refill_below_max();
        }
    }

    /// Apart from [`refill`](Budget::refill), so that only the load and the
    /// comparison are inlined into a caller.
    #[cold]
    fn refill_below_max(&self) {
        let update = |tokens| (tokens != self.max).then(|| self.max.min(tokens + self.ratio));
        // `Err` means that another thread filled it in between: nothing to do.
        let _full: Result<u32, u32> = self.tokens.fetch_update(Relaxed, Relaxed, update);
    }

    /// A failure: takes one token, down to zero, and says whether a retry may
    /// follow. Writes nothing when empty.
    pub(crate) fn take(&self) -> bool {
        let update = |tokens: u32| (tokens != 0).then(|| tokens.saturating_sub(TOKEN));
        match self.tokens.fetch_update(Relaxed, Relaxed, update) {
            Ok(before) => before.saturating_sub(TOKEN) > self.max / 2 && !self.is_suspended(),
            Err(_empty) => false,
        }
    }

    /// What may allow a retry that the tokens refuse.
    pub(crate) fn reserve(&self) -> Option<&Reserve> {
        self.reserve.as_ref().filter(|_| !self.is_suspended())
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget")
            .field("name", &self.name)
            .field("tokens", &self.tokens())
            .field("max_tokens", &self.max_tokens())
            .field("token_ratio", &self.token_ratio())
            .field("suspended", &self.is_suspended())
            .field("one_retry_every", &self.reserve.as_ref().map(Reserve::every))
            .finish()
    }
}
