//! An HTTP policy that is resolved for a request, and judges its results.

use core::fmt;
use core::time::Duration;
use std::time::SystemTime;

use ::http::{HeaderMap, Method, Response, StatusCode};

use super::{Answer, ErrorKind, HttpPolicy, OverMax, ServerDelay, Switch, retry_after};
use crate::classify::Classify;
use crate::outcome::Outcome;
use crate::policy::Policy;
use crate::time::date;

/// An [`HttpPolicy`] for requests known to be repeatable or not. It classifies their answers and
/// errors. [`HttpPolicy::for_method`] and similar methods make it. `Copy`, and
/// [`repeatable`](HttpPolicy::repeatable) makes it in a `const`.
///
/// # Attempts of several requests
///
/// If the client follows redirects, an attempt can be several requests, and its result is that of
/// the last: a POST may have been carried out, answered 303, and the GET that followed it refused.
/// See [`follows_redirects`](HttpPolicy::follows_redirects).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RequestPolicy {
    settings: HttpPolicy,
    repeatable: bool,
    keyed: bool,
    bodiless: bool,
}

impl RequestPolicy {
    pub(super) const fn new(settings: HttpPolicy, repeatable: bool, keyed: bool) -> RequestPolicy {
        RequestPolicy { settings, repeatable, keyed, bodiless: false }
    }

    pub(super) fn of_method(mut self, method: &Method) -> RequestPolicy {
        self.bodiless = *method == Method::HEAD;
        self
    }

    /// The settings.
    #[must_use]
    pub const fn settings(&self) -> &HttpPolicy {
        &self.settings
    }

    /// Whether the request can be repeated although it may have been carried out.
    #[must_use]
    pub const fn is_repeatable(&self) -> bool {
        self.repeatable
    }

    /// Whether the request has an `Idempotency-Key`.
    #[must_use]
    pub const fn has_key(&self) -> bool {
        self.keyed
    }

    /// Whether an answer has a body. One to HEAD has none, whatever its `Content-Length`
    /// (RFC 9110, 9.3.2), and neither has a 304.
    ///
    /// ```
    /// use http::{Method, StatusCode};
    /// use retry_runtime::http::HttpPolicy;
    ///
    /// let head = HttpPolicy::DEFAULT.for_method(&Method::HEAD);
    /// assert!(!head.expects_body(StatusCode::OK));
    /// ```
    #[must_use]
    pub fn expects_body(&self, status: StatusCode) -> bool {
        !self.bodiless && status != StatusCode::NOT_MODIFIED
    }

    /// The core's policy: the attempts, the backoff, and the time limit.
    #[must_use]
    pub const fn policy(&self) -> Policy {
        self.settings.policy()
    }

    /// The same policy for a client that follows redirects, or does not:
    /// [`HttpPolicy::follows_redirects`].
    #[must_use]
    pub const fn following_redirects(mut self, follows: bool) -> RequestPolicy {
        self.settings.follows_redirects = follows;
        self
    }

    /// The outcome of an answer.
    ///
    /// | status | outcome |
    /// |---|---|
    /// | in `statuses`, and may be repeated | `Retry`, or `RetryIn` or `RetryAfter` the server's delay |
    /// | in `statuses`, but must not be repeated | `Fail` |
    /// | another, below 400 | `Success` |
    /// | another, below 500 | `Stop`: the caller's mistake |
    /// | another | `Fail` |
    ///
    /// A header never makes a status retryable; a hook
    /// ([`overruled_by`](HttpPolicy::overruled_by)) may. `now` is what a date in
    /// `Retry-After` is counted from, if the answer has no `Date`.
    ///
    /// ```
    /// use http::{HeaderMap, Method, StatusCode};
    /// use retry_runtime::{Outcome, http::HttpPolicy};
    /// use std::time::SystemTime;
    ///
    /// let put = HttpPolicy::DEFAULT.for_method(&Method::PUT);
    /// let post = HttpPolicy::DEFAULT.for_method(&Method::POST);
    /// let (none, now) = (HeaderMap::new(), SystemTime::now());
    /// assert_eq!(put.classify(StatusCode::BAD_GATEWAY, &none, now), Outcome::Retry);
    /// assert_eq!(post.classify(StatusCode::BAD_GATEWAY, &none, now), Outcome::Fail);
    /// assert_eq!(put.classify(StatusCode::NOT_FOUND, &none, now), Outcome::Stop);
    /// assert_eq!(put.classify(StatusCode::NOT_MODIFIED, &none, now), Outcome::Success);
    /// ```
    pub fn classify(&self, status: StatusCode, headers: &HeaderMap, now: SystemTime) -> Outcome {
        let outcome = self.judge(status, headers, now);
        match self.settings.overrule.0 {
            None => outcome,
            Some(hook) => {
                hook(&Answer::new(status, headers, now, outcome, self)).unwrap_or(outcome)
            }
        }
    }

    fn judge(&self, status: StatusCode, headers: &HeaderMap, now: SystemTime) -> Outcome {
        if self.settings.statuses.contains(status) {
            let asked = self.asked_delay(headers, now);
            return self.again(self.repeats(self.settings.retry_statuses), asked);
        }
        match status.as_u16() {
            ..400 => Outcome::Success,
            400..500 => Outcome::Stop,
            _ => Outcome::Fail,
        }
    }

    /// Whether an answered request is repeated.
    pub(super) const fn repeats(&self, switch: Switch) -> bool {
        switch.applies(self.repeatable) && self.proof_holds()
    }

    /// Whether what an answer or an error proves, it proves of the request: if it may be that
    /// of another one, to which a redirect led, a request that cannot be repeated may have
    /// been carried out.
    pub(super) const fn proof_holds(&self) -> bool {
        self.repeatable || !self.settings.follows_redirects
    }

    /// The outcome of an answer after which the request is repeated, or is not. `asked` is the
    /// server's delay as it said it.
    pub(super) fn again(&self, repeated: bool, asked: Option<Duration>) -> Outcome {
        let give_up = self.settings.retry_after_over_max == OverMax::GiveUp;
        match asked {
            _ if !repeated => Outcome::Fail,
            None => Outcome::Retry,
            Some(asked) if give_up && asked > self.settings.retry_after_max => Outcome::Fail,
            Some(asked) => match self.settings.retry_after_as {
                ServerDelay::Exact => Outcome::RetryIn(self.bounded(asked)),
                ServerDelay::AtLeast => Outcome::RetryAfter(self.bounded(asked)),
            },
        }
    }

    /// The outcome of an error instead of an answer: `Retry`; `Fail` if the request must not be
    /// repeated; or `Stop` if the error says nothing about the dependency and another attempt
    /// cannot help. [`ErrorKind`] has the table.
    pub const fn classify_error(&self, kind: ErrorKind) -> Outcome {
        let settings = &self.settings;
        let proof_holds = self.proof_holds();
        let repeated = match kind {
            ErrorKind::PoolTimeout | ErrorKind::NotProcessed => proof_holds,
            ErrorKind::Connect => {
                (settings.retry_unsent && proof_holds)
                    || settings.retry_connection_errors.applies(self.repeatable)
            }
            ErrorKind::ConnectionLost => settings.retry_connection_errors.applies(self.repeatable),
            ErrorKind::Timeout => settings.retry_timeout_errors.applies(self.repeatable),
            ErrorKind::Other => settings.retry_other_errors.applies(self.repeatable),
            ErrorKind::Response => false,
            ErrorKind::Certificate
            | ErrorKind::Request
            | ErrorKind::Content
            | ErrorKind::Rejected
            | ErrorKind::Cancelled => return Outcome::Stop,
        };
        if repeated { Outcome::Retry } else { Outcome::Fail }
    }

    /// The wait asked for by a response, limited to `retry_after_min` and `retry_after_max`; `None`
    /// if it asks for none, or the policy does not read it. [`retry_after`] gives it without these
    /// limits.
    #[must_use]
    pub fn server_delay(&self, headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
        self.asked_delay(headers, now).map(|asked| self.bounded(asked))
    }

    fn bounded(&self, asked: Duration) -> Duration {
        // Not `clamp`, which panics if the bounds are the wrong way round.
        asked.max(self.settings.retry_after_min).min(self.settings.retry_after_max)
    }

    /// The wait that a response asks for, if this policy listens.
    pub(super) fn asked_delay(&self, headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
        if self.settings.respect_retry_after { retry_after(headers, now) } else { None }
    }

    /// A classifier of `Result<http::Response<_>, E>`, for clients with the types of the crate
    /// `http`: `kind` translates their errors to an [`ErrorKind`].
    ///
    /// ```
    /// use http::{Method, Response};
    /// use retry_runtime::http::{ErrorKind, HttpPolicy};
    /// use retry_runtime::{Budget, Classify, Outcome, Retrier};
    ///
    /// let policy = HttpPolicy::DEFAULT.for_method(&Method::GET);
    /// let classifier = policy.classifier(|error: &std::io::Error| ErrorKind::in_chain(error));
    /// let retrier = Retrier::new(policy.policy(), Budget::new(10, 0.1), classifier);
    ///
    /// let busy: Result<Response<()>, std::io::Error> =
    ///     Ok(Response::builder().status(503).body(()).unwrap());
    /// assert_eq!(retrier.classify(&busy), Outcome::Retry);
    /// ```
    #[must_use]
    pub const fn classifier<K>(self, kind: K) -> HttpClassifier<K> {
        HttpClassifier { policy: self, kind }
    }
}

/// A classifier of an HTTP client's results: made by [`RequestPolicy::classifier`]. Dates are
/// counted from the system's clock, if the answer has no `Date`.
#[derive(Clone, Copy)]
pub struct HttpClassifier<K> {
    policy: RequestPolicy,
    kind: K,
}

impl<K> HttpClassifier<K> {
    /// The policy.
    #[must_use]
    pub const fn policy(&self) -> &RequestPolicy {
        &self.policy
    }

    /// The kind of an error.
    pub fn kind<E: ?Sized>(&self, error: &E) -> ErrorKind
    where
        K: Fn(&E) -> ErrorKind,
    {
        (self.kind)(error)
    }
}

impl<B, E, K> Classify<Result<Response<B>, E>> for HttpClassifier<K>
where
    K: Fn(&E) -> ErrorKind,
{
    fn classify(&self, result: &Result<Response<B>, E>) -> Outcome {
        match result {
            Ok(response) => self.policy.classify(response.status(), response.headers(), date()),
            Err(error) => self.policy.classify_error(self.kind(error)),
        }
    }

    /// The status, or the kind of the error; never its text, which may hold a URL.
    fn explain(&self, result: &Result<Response<B>, E>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match result {
            Ok(response) => write!(f, "status {}", response.status()),
            Err(error) => write!(f, "{}", self.kind(error)),
        }
    }
}

impl<K> fmt::Debug for HttpClassifier<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClassifier").field("policy", &self.policy).finish_non_exhaustive()
    }
}
