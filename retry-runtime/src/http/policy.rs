//! The settings of an HTTP client's retries, their presets and what they give.

use core::time::Duration;
use std::time::SystemTime;

use ::http::{HeaderMap, Method};

use super::{StatusSet, retry_after};
use crate::{Backoff, Jitter, Policy};

/// The settings of one HTTP client, or of one kind of request.
///
/// Start from a preset and change fields, or [`merge`](HttpPolicy::merge) layers of
/// [`HttpPatch`](super::HttpPatch) from a configuration. `Copy`, and made in a `const`:
///
/// ```
/// use http::Method;
/// use retry_runtime::http::{HttpPolicy, Switch};
/// use std::time::Duration;
///
/// const SEARCH: HttpPolicy = {
///     let mut policy = HttpPolicy::DEFAULT;
///     policy.max_retries = 3;
///     policy.within = Some(Duration::from_secs(10));
///     policy
/// };
/// let get = SEARCH.for_method(&Method::GET);
/// assert_eq!(get.retry_timeout_errors, Switch::Yes);
/// assert_eq!(get.policy().attempts(), 4);
/// ```
///
/// A field out of its range is read as the nearest value in it;
/// [`validate`](HttpPolicy::validate) names every such field, and `merge` refuses them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct HttpPolicy {
    /// Retries after the first attempt: one less than the policy's attempts. 0 is
    /// one attempt; at most 4294967293. Default 2.
    pub max_retries: u32,
    /// The first delay, doubled after each attempt. Zero: no backoff. Default 500 ms.
    pub backoff_initial: Duration,
    /// The cap of the delay, not less than `backoff_initial`. Zero: no backoff.
    /// Default 5 s.
    pub backoff_max: Duration,
    /// The fraction of each delay that is taken off at random, 0 to 1: a delay `d`
    /// becomes uniform in `[d * (1 - f), d]`. Default 0.25.
    pub backoff_jitter: f64,
    /// The statuses that are retried. Default 408, 429 and 500 to 599. A status
    /// below 400 that is not among them is a success, any other is final.
    pub statuses: StatusSet,
    /// Whether a request is repeated after one of `statuses`. Default yes, whatever
    /// the method: the server has answered. It may have done the work nonetheless: a
    /// 500 does not say how far it came, nor a gateway's 502 or 504 what happened
    /// behind it. For requests that must not be done twice: `Auto`.
    pub retry_statuses: Switch,
    /// Whether `retry-after-ms` and `Retry-After` are read. Default yes.
    pub respect_retry_after: bool,
    /// The least that a server's delay counts as, so that `Retry-After: 0` or a
    /// date that has passed makes no tight loop. Default 100 ms.
    pub retry_after_min: Duration,
    /// The most that a server's delay counts as, so that a long one does not pin
    /// the caller. Default 60 s.
    pub retry_after_max: Duration,
    /// What a delay over `retry_after_max` does. Default `Clamp`. Stricter:
    /// `GiveUp`, because a shorter wait comes back before the server asked.
    pub retry_after_over_max: OverMax,
    /// What a server's delay is to the schedule. Default `Exact`.
    pub retry_after_as: ServerDelay,
    /// Whether a request is repeated when the server could not be reached, or the
    /// connection was lost before the answer. Default `Auto`.
    pub retry_connection_errors: Switch,
    /// Whether a request is repeated when an attempt timed out: of all failures the
    /// likeliest to have reached the server. Default `Auto`.
    pub retry_timeout_errors: Switch,
    /// Whether a request of any method is repeated when it was certainly not sent,
    /// because no connection was made. RFC 9110 section 9.2.2 allows it. Default no.
    pub retry_unsent: bool,
    /// The methods for which `Auto` becomes `Yes`. Default `Safe`.
    pub methods: Methods,
    /// No further attempt starts once this much time has passed since the call
    /// began: the `within` of the policy. A running attempt is not cut short. Zero
    /// is one attempt, `None` no limit. Default 30 s.
    pub within: Option<Duration>,
}

/// A setting that can be left to the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Switch {
    /// Yes for a request that can be repeated, no for another. Until the policy is
    /// resolved ([`HttpPolicy::for_method`] and its kin) it counts as no.
    Auto,
    /// Whatever the request.
    Yes,
    /// Never.
    No,
}

/// The methods whose requests can be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Methods {
    /// GET, HEAD, OPTIONS.
    Safe,
    /// Every idempotent method (RFC 9110 section 9.2.2): TRACE, PUT and DELETE too.
    Idempotent,
}

/// What a server's delay is to the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ServerDelay {
    /// It is waited instead of the schedule's, even if it is shorter:
    /// [`Outcome::RetryIn`](crate::Outcome::RetryIn). The server knows its load best.
    Exact,
    /// At least it is waited: [`Outcome::RetryAfter`](crate::Outcome::RetryAfter).
    AtLeast,
}

/// What a server's delay over the ceiling does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OverMax {
    /// It counts as the ceiling.
    Clamp,
    /// It ends the call: [`Outcome::Fail`](crate::Outcome::Fail).
    GiveUp,
}

impl HttpPolicy {
    /// A careful client of a service that answers for itself: statuses are retried
    /// whatever the method, and a server's delay is obeyed exactly. The fields say
    /// the value of each setting.
    pub const DEFAULT: HttpPolicy = HttpPolicy {
        max_retries: 2,
        backoff_initial: Duration::from_millis(500),
        backoff_max: Duration::from_secs(5),
        backoff_jitter: 0.25,
        statuses: StatusSet::EMPTY.with(408).with(429).with_range(500, 599),
        retry_statuses: Switch::Yes,
        respect_retry_after: true,
        retry_after_min: Duration::from_millis(100),
        retry_after_max: Duration::from_secs(60),
        retry_after_over_max: OverMax::Clamp,
        retry_after_as: ServerDelay::Exact,
        retry_connection_errors: Switch::Auto,
        retry_timeout_errors: Switch::Auto,
        retry_unsent: false,
        methods: Methods::Safe,
        within: Some(Duration::from_secs(30)),
    };

    /// A transport below a client that knows nothing of its requests. Where it
    /// differs from [`DEFAULT`](HttpPolicy::DEFAULT): it retries 429, 502, 503 and
    /// 504 alone; it repeats nothing but a request of an idempotent method or with an
    /// `Idempotency-Key`, after a status too, and any other counts in the budget and
    /// ends ([`Outcome::Fail`](crate::Outcome::Fail)); a server's delay is the least
    /// that is waited; the jitter is full.
    pub const TRANSPORT: HttpPolicy = HttpPolicy {
        statuses: StatusSet::EMPTY.with(429).with_range(502, 504),
        retry_statuses: Switch::Auto,
        methods: Methods::Idempotent,
        retry_after_as: ServerDelay::AtLeast,
        backoff_jitter: 1.0,
        ..HttpPolicy::DEFAULT
    };

    /// The policy for requests of `method`: every `Auto` becomes `Yes` if
    /// [`methods`](HttpPolicy::methods) has the method, and `No` if not. An explicit
    /// `Yes` or `No` is left alone.
    #[must_use]
    pub fn for_method(&self, method: &Method) -> HttpPolicy {
        self.repeatable(self.methods.contains(method))
    }

    /// The policy for one request: as [`for_method`](HttpPolicy::for_method), and a
    /// request with an `Idempotency-Key` that is not empty can be repeated too. Make
    /// the key once for a call, outside of what is repeated: a key for each attempt
    /// protects nothing.
    ///
    /// ```
    /// use http::{HeaderMap, Method};
    /// use retry_runtime::http::{HttpPolicy, Switch};
    ///
    /// let mut headers = HeaderMap::new();
    /// headers.insert("idempotency-key", "8e03978e".parse()?);
    /// let post = HttpPolicy::DEFAULT.for_request(&Method::POST, &headers);
    /// assert_eq!(post.retry_timeout_errors, Switch::Yes);
    /// # Ok::<(), http::header::InvalidHeaderValue>(())
    /// ```
    #[must_use]
    pub fn for_request(&self, method: &Method, headers: &HeaderMap) -> HttpPolicy {
        self.repeatable(self.methods.contains(method) || has_key(headers))
    }

    /// The policy for requests of which the caller knows whether they can be
    /// repeated: every `Auto` becomes `Yes` or `No`.
    #[must_use]
    pub const fn repeatable(mut self, repeatable: bool) -> HttpPolicy {
        self.retry_statuses = self.retry_statuses.resolved(repeatable);
        self.retry_connection_errors = self.retry_connection_errors.resolved(repeatable);
        self.retry_timeout_errors = self.retry_timeout_errors.resolved(repeatable);
        self
    }

    /// The core's policy: `max_retries + 1` attempts, the backoff, and the time
    /// limit.
    #[must_use]
    pub const fn policy(&self) -> Policy {
        let policy = Policy::new(self.max_retries.saturating_add(1)).backoff(self.backoff());
        match self.within {
            Some(limit) => policy.within(limit),
            None => policy,
        }
    }

    /// The schedule alone: exponential, with a fraction taken off.
    ///
    /// ```
    /// use retry_runtime::{Schedule, http::HttpPolicy};
    /// use std::time::Duration;
    ///
    /// let first = HttpPolicy::DEFAULT.backoff().delay(1);
    /// assert!(Duration::from_millis(375) <= first && first <= Duration::from_millis(500));
    /// ```
    #[must_use]
    pub const fn backoff(&self) -> Backoff {
        let (initial, max) = (self.backoff_initial, self.backoff_max);
        if initial.is_zero() || max.is_zero() {
            return Backoff::none();
        }
        let initial = if initial.as_nanos() > max.as_nanos() { max } else { initial };
        let taken = match self.backoff_jitter {
            more if more > 1.0 => 1.0,
            fraction if fraction >= 0.0 => fraction,
            _ => 0.0, // negative, or NaN
        };
        Backoff::exponential(initial, max).jitter(Jitter::Subtract(taken))
    }

    /// The wait that a response asks for, within `retry_after_min` and
    /// `retry_after_max`; `None` if it asks for none, or is not to be asked.
    /// [`retry_after`] gives it as the server said it.
    #[must_use]
    pub fn server_delay(&self, headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
        let asked = self.asked_delay(headers, now)?;
        // Not `clamp`, which panics if the bounds are the wrong way round.
        Some(asked.max(self.retry_after_min).min(self.retry_after_max))
    }

    /// The wait that a response asks for, if this policy listens.
    pub(super) fn asked_delay(&self, headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
        if self.respect_retry_after { retry_after(headers, now) } else { None }
    }
}

impl Default for HttpPolicy {
    fn default() -> HttpPolicy {
        HttpPolicy::DEFAULT
    }
}

impl Switch {
    const fn resolved(self, repeatable: bool) -> Switch {
        match (self, repeatable) {
            (Switch::Auto, true) => Switch::Yes,
            (Switch::Auto, false) => Switch::No,
            (explicit, _) => explicit,
        }
    }

    pub(super) const fn is_yes(self) -> bool {
        matches!(self, Switch::Yes)
    }
}

impl Methods {
    /// Whether a request of `method` can be repeated.
    #[must_use]
    pub fn contains(self, method: &Method) -> bool {
        match self {
            Methods::Safe => [Method::GET, Method::HEAD, Method::OPTIONS].contains(method),
            Methods::Idempotent => method.is_idempotent(),
        }
    }
}

fn has_key(headers: &HeaderMap) -> bool {
    let is_blank = |value: &[u8]| value.iter().all(|byte| matches!(byte, b' ' | b'\t'));
    headers.get_all("idempotency-key").iter().any(|value| !is_blank(value.as_bytes()))
}
