//! The settings of an HTTP client's retries, and their presets.

use core::time::Duration;

use ::http::{HeaderMap, Method};

use super::options::has_key;
use super::{Answer, Methods, OverMax, RequestPolicy, ServerDelay, StatusSet, Switch};
use crate::backoff::{Backoff, Jitter};
use crate::outcome::Outcome;
use crate::policy::Policy;

/// The settings of one HTTP client, or of one kind of request.
///
/// It does not classify by itself: [`for_method`](HttpPolicy::for_method),
/// [`for_request`](HttpPolicy::for_request) or [`repeatable`](HttpPolicy::repeatable) makes a
/// [`RequestPolicy`] from it, which does.
///
/// ```compile_fail,E0599
/// use retry_runtime::http::{ErrorKind, HttpPolicy};
///
/// HttpPolicy::DEFAULT.classify_error(ErrorKind::Timeout); // of a request that may be repeated?
/// ```
///
/// Start from a preset and change fields, or [`merge`](HttpPolicy::merge) layers of
/// [`HttpPolicyPatch`](super::HttpPolicyPatch) from a configuration. `Copy`, and made in a
/// `const`:
///
/// ```
/// use http::Method;
/// use retry_runtime::Outcome;
/// use retry_runtime::http::{ErrorKind, HttpPolicy};
/// use std::time::Duration;
///
/// const SEARCH: HttpPolicy = {
///     let mut policy = HttpPolicy::DEFAULT;
///     policy.attempts = Some(4);
///     policy.within = Some(Duration::from_secs(10));
///     policy
/// };
/// let get = SEARCH.for_method(&Method::GET);
/// assert_eq!(get.classify_error(ErrorKind::Timeout), Outcome::Retry);
/// ```
///
/// A field out of its range is read as the nearest value in it;
/// [`validate`](HttpPolicy::validate) names every such field, and `merge` refuses them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct HttpPolicy {
    /// Total calls, the first included; `None` for no limit by count. 1 and more. Default 3.
    pub attempts: Option<u32>,
    /// The schedule. Default exponential from 500 ms to 5 s, full jitter.
    pub backoff: Backoff,
    /// No further attempt starts once this much time has passed since the call
    /// began: the `within` of the policy. A running attempt is not cut short. Zero
    /// is one attempt, `None` no limit. Default 30 s.
    pub within: Option<Duration>,
    /// The retried statuses. Default 408, 429, 500, 502, 503, 504, and 520 to 524 and 529, statuses
    /// of some gateways: temporary failures. Of the others, one below 400 is a success, one below
    /// 500 the caller's mistake ([`Stop`](crate::Outcome::Stop)), and the rest are final failures
    /// ([`Fail`](crate::Outcome::Fail)).
    pub statuses: StatusSet,
    /// Whether a request is repeated after one of `statuses`. Default `Auto`: the server has
    /// answered, but it may have done the work nonetheless. A 500 does not say how far it
    /// came, nor a gateway's 502 or 504 what happened behind it.
    pub retry_statuses: Switch,
    /// Whether `retry-after-ms` and `Retry-After` are read. Default yes.
    pub respect_retry_after: bool,
    /// The minimum for a server's delay, so `Retry-After: 0` or a past date makes no tight loop.
    /// Default 100 ms.
    pub retry_after_min: Duration,
    /// The maximum for a server's delay, so a long one does not hold the caller. Default 60 s. A
    /// delay longer than the rest of `within` ends the call: with the default of 30 s,
    /// `Retry-After: 40` ends it at once ([`Expired`](crate::Decision::Expired)).
    pub retry_after_max: Duration,
    /// The effect of a delay over `retry_after_max`. Default `Clamp`. Stricter:
    /// `GiveUp`, because a shorter wait comes back before the server asked.
    pub retry_after_over_max: OverMax,
    /// The relation of a server's delay to the schedule. Default `AtLeast`, with the spread of the
    /// schedule's jitter.
    pub retry_after_as: ServerDelay,
    /// Whether a request is repeated when the connection was lost before the answer, or the
    /// server could not be reached. Default `Auto`.
    pub retry_connection_errors: Switch,
    /// Whether a request is repeated when an attempt timed out: of all failures the
    /// likeliest to have reached the server. Default `Auto`.
    pub retry_timeout_errors: Switch,
    /// Whether a request is repeated after an unknown error
    /// ([`ErrorKind::Other`](super::ErrorKind::Other)). Default `No`.
    pub retry_other_errors: Switch,
    /// Whether a request of any method is repeated when it was certainly not sent,
    /// because no connection was made. RFC 9110 section 9.2.2 allows it. Default yes.
    pub retry_unsent: bool,
    /// The methods for which `Auto` is yes. Default `Idempotent`.
    pub methods: Methods,
    /// Whether an attempt may be several requests, because the client follows redirects. Default
    /// no. An answer or an error proves something about the last request alone: the POST before it
    /// may have been carried out. So with yes, a request that must not be repeated is repeated
    /// neither after a status nor after a failure to connect. The crate `retry-reqwest` sets it,
    /// since reqwest follows redirects unless it is told not to.
    pub follows_redirects: bool,
    pub(super) overrule: Overrule,
}

/// The hook of [`HttpPolicy::overruled_by`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Overrule(pub(super) Option<fn(&Answer<'_>) -> Option<Outcome>>);

impl PartialEq for Overrule {
    fn eq(&self, other: &Overrule) -> bool {
        match (self.0, other.0) {
            (None, None) => true,
            (Some(one), Some(other)) => core::ptr::fn_addr_eq(one, other),
            _ => false,
        }
    }
}

impl HttpPolicy {
    /// The recommended settings: a request is repeated only if its method, or its
    /// `Idempotency-Key`, says that this is harmless, or if it was certainly not processed.
    /// Temporary statuses are retried, and the wait is at least the server's delay, spread by the
    /// jitter. The documentation of each field has its value.
    pub const DEFAULT: HttpPolicy = HttpPolicy {
        attempts: Some(3),
        backoff: Backoff::exponential(Duration::from_millis(500), Duration::from_secs(5)),
        within: Some(Duration::from_secs(30)),
        statuses: StatusSet::EMPTY
            .with(408)
            .with(429)
            .with(500)
            .with_range(502, 504)
            .with_range(520, 524)
            .with(529),
        retry_statuses: Switch::Auto,
        respect_retry_after: true,
        retry_after_min: Duration::from_millis(100),
        retry_after_max: Duration::from_secs(60),
        retry_after_over_max: OverMax::Clamp,
        retry_after_as: ServerDelay::AtLeast,
        retry_connection_errors: Switch::Auto,
        retry_timeout_errors: Switch::Auto,
        retry_other_errors: Switch::No,
        retry_unsent: true,
        methods: Methods::Idempotent,
        follows_redirects: false,
        overrule: Overrule(None),
    };

    /// For a transport below a client, which knows nothing about the requests: as
    /// [`DEFAULT`](HttpPolicy::DEFAULT), but it retries 429, 502, 503 and 504 alone, the statuses
    /// of the specification of OTLP.
    pub const TRANSPORT: HttpPolicy = HttpPolicy {
        statuses: StatusSet::EMPTY.with(429).with_range(502, 504),
        ..HttpPolicy::DEFAULT
    };

    /// Every 408, 429 and 5xx is retried, of any method, and a server's delay is waited exactly:
    /// the usual table of an API's own client libraries. It is for a service which certainly did
    /// not carry out a request with such an answer. After lost connections and timeouts only GET,
    /// HEAD, OPTIONS and TRACE are repeated. The jitter takes up to a quarter off the backoff.
    ///
    /// It sends a POST again after a 500, retries permanent statuses (501, 505) in vain, and lets
    /// clients with the same delay come back together.
    pub const ANY_5XX_EXACT: HttpPolicy = HttpPolicy {
        backoff: HttpPolicy::DEFAULT.backoff.jitter(Jitter::Subtract(0.25)),
        statuses: StatusSet::EMPTY.with(408).with(429).with_range(500, 599),
        retry_statuses: Switch::Yes,
        retry_after_as: ServerDelay::Exact,
        retry_unsent: false,
        methods: Methods::Safe,
        ..HttpPolicy::DEFAULT
    };

    /// The policy for requests of `method`.
    #[must_use]
    pub fn for_method(&self, method: &Method) -> RequestPolicy {
        self.repeatable(self.methods.contains(method)).of_method(method)
    }

    /// The policy for one request: as [`for_method`](HttpPolicy::for_method), and a request with a
    /// non-empty `Idempotency-Key` can be repeated too. Make the key once for a call, outside of
    /// the attempt: a key for each attempt protects nothing.
    ///
    /// ```
    /// use http::{HeaderMap, Method};
    /// use retry_runtime::Outcome;
    /// use retry_runtime::http::{ErrorKind, HttpPolicy};
    ///
    /// let mut headers = HeaderMap::new();
    /// headers.insert("idempotency-key", "8e03978e".parse()?);
    /// let post = HttpPolicy::DEFAULT.for_request(&Method::POST, &headers);
    /// assert_eq!(post.classify_error(ErrorKind::Timeout), Outcome::Retry);
    /// # Ok::<(), http::header::InvalidHeaderValue>(())
    /// ```
    #[must_use]
    pub fn for_request(&self, method: &Method, headers: &HeaderMap) -> RequestPolicy {
        let keyed = has_key(headers);
        let repeatable = keyed || self.methods.contains(method);
        RequestPolicy::new(*self, repeatable, keyed).of_method(method)
    }

    /// The policy for requests known by the caller to be repeatable or not.
    #[must_use]
    pub const fn repeatable(&self, repeatable: bool) -> RequestPolicy {
        RequestPolicy::new(*self, repeatable, false)
    }

    /// This policy with a hook, which sees each answer and its outcome by the policy, and may
    /// overrule it: see [`Answer`]. It replaces an earlier hook.
    #[must_use]
    pub const fn overruled_by(mut self, hook: fn(&Answer<'_>) -> Option<Outcome>) -> HttpPolicy {
        self.overrule = Overrule(Some(hook));
        self
    }

    /// The core's policy: the attempts, the backoff, and the time limit.
    #[must_use]
    pub const fn policy(&self) -> Policy {
        let policy = match self.attempts {
            Some(0) => Policy::new(1),
            Some(attempts) => Policy::new(attempts),
            None => Policy::unlimited(),
        };
        let policy = policy.backoff(self.backoff);
        match self.within {
            Some(limit) => policy.within(limit),
            None => policy,
        }
    }
}

impl Default for HttpPolicy {
    fn default() -> HttpPolicy {
        HttpPolicy::DEFAULT
    }
}
