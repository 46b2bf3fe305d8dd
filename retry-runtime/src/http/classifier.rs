//! From an answer or an error to an outcome.

use core::fmt;
use std::time::SystemTime;

use ::http::{HeaderMap, Response, StatusCode};

use super::{ErrorKind, HttpPolicy, OverMax, ServerDelay};
use crate::{Classify, Outcome};

impl HttpPolicy {
    /// What an answer means. Resolve the policy for the request first
    /// ([`for_method`](HttpPolicy::for_method), [`for_request`](HttpPolicy::for_request)):
    /// a switch that is still `Auto` counts as no.
    ///
    /// | status | outcome |
    /// |---|---|
    /// | in `statuses`, and may be repeated | `Retry`, or `RetryIn` or `RetryAfter` the server's delay |
    /// | in `statuses`, but must not be repeated | `Fail` |
    /// | another, below 400 | `Success` |
    /// | another | `Stop` |
    ///
    /// A header never makes a status retryable. `now` is what a date in
    /// `Retry-After` is counted from.
    ///
    /// ```
    /// use http::{HeaderMap, Method, StatusCode};
    /// use retry_runtime::{Outcome, http::HttpPolicy};
    /// use std::time::SystemTime;
    ///
    /// let put = HttpPolicy::TRANSPORT.for_method(&Method::PUT);
    /// let post = HttpPolicy::TRANSPORT.for_method(&Method::POST);
    /// let (none, now) = (HeaderMap::new(), SystemTime::now());
    /// assert_eq!(put.classify(StatusCode::BAD_GATEWAY, &none, now), Outcome::Retry);
    /// assert_eq!(post.classify(StatusCode::BAD_GATEWAY, &none, now), Outcome::Fail);
    /// assert_eq!(put.classify(StatusCode::NOT_FOUND, &none, now), Outcome::Stop);
    /// assert_eq!(put.classify(StatusCode::NOT_MODIFIED, &none, now), Outcome::Success);
    /// ```
    pub fn classify(&self, status: StatusCode, headers: &HeaderMap, now: SystemTime) -> Outcome {
        if !self.statuses.contains(status) {
            let answered = status.as_u16() < 400;
            return if answered { Outcome::Success } else { Outcome::Stop };
        }
        if !self.retry_statuses.is_yes() {
            return Outcome::Fail;
        }
        let over = |asked| asked > self.retry_after_max;
        let give_up = self.retry_after_over_max == OverMax::GiveUp;
        match self.server_delay(headers, now) {
            None => Outcome::Retry,
            Some(_) if give_up && self.asked_delay(headers, now).is_some_and(over) => Outcome::Fail,
            Some(delay) => match self.retry_after_as {
                ServerDelay::Exact => Outcome::RetryIn(delay),
                ServerDelay::AtLeast => Outcome::RetryAfter(delay),
            },
        }
    }

    /// What it means that no answer came: `Retry`, `Fail` if the request must not be
    /// repeated, or `Stop` if another attempt cannot help.
    pub const fn classify_error(&self, kind: ErrorKind) -> Outcome {
        let repeated = match kind {
            ErrorKind::PoolTimeout | ErrorKind::NotProcessed => true,
            ErrorKind::Connect => self.retry_unsent || self.retry_connection_errors.is_yes(),
            ErrorKind::ConnectionLost => self.retry_connection_errors.is_yes(),
            ErrorKind::Timeout => self.retry_timeout_errors.is_yes(),
            _ => return Outcome::Stop,
        };
        if repeated { Outcome::Retry } else { Outcome::Fail }
    }

    /// A classifier of `Result<http::Response<_>, E>`, for clients that speak the
    /// types of the crate `http`: `kind` puts their errors into an [`ErrorKind`].
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

/// What [`HttpPolicy::classifier`] makes. Dates are counted from the system's clock.
#[derive(Clone, Copy)]
pub struct HttpClassifier<K> {
    policy: HttpPolicy,
    kind: K,
}

impl<K> HttpClassifier<K> {
    /// The policy.
    #[must_use]
    pub const fn policy(&self) -> &HttpPolicy {
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
            Ok(response) => {
                self.policy.classify(response.status(), response.headers(), SystemTime::now())
            }
            Err(error) => self.policy.classify_error(self.kind(error)),
        }
    }
}

impl<K> fmt::Debug for HttpClassifier<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClassifier").field("policy", &self.policy).finish_non_exhaustive()
    }
}
