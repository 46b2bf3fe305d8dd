//! Classifiers of reqwest's results, made of a policy.

use std::fmt;
use std::time::SystemTime;

use reqwest::header::HeaderMap;
use reqwest::{Error, Request, Response};
use retry_runtime::error_chain::sources;
use retry_runtime::http::{HttpPolicy, RequestPolicy};
use retry_runtime::{Classify, Outcome};

use crate::kind::error_kind;

/// Judges `Result<reqwest::Response, reqwest::Error>` with an [`HttpPolicy`]. `Copy`,
/// and made in a `const`. Dates in `Retry-After` are counted from the answer's `Date`, or the
/// system's clock.
///
/// ```
/// use retry_reqwest::Classifier;
/// use retry_runtime::http::{HttpPolicy, RequestPolicy};
/// use retry_runtime::{Budget, Retrier};
///
/// const READS: RequestPolicy = HttpPolicy::DEFAULT.repeatable(true);
/// static SEARCH: Retrier<Classifier> =
///     Retrier::new(READS.policy(), Budget::new(10, 0.1), Classifier::new(READS));
/// assert_eq!(SEARCH.policy().attempts(), Some(3));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Classifier {
    policy: RequestPolicy,
}

impl Classifier {
    /// Judges with a policy resolved for the requests ([`for_method`](HttpPolicy::for_method),
    /// [`repeatable`](HttpPolicy::repeatable)), of a client which may follow redirects: see [the
    /// crate](crate#redirects).
    #[must_use]
    pub const fn new(policy: RequestPolicy) -> Classifier {
        Classifier { policy: policy.following_redirects(true) }
    }

    /// Judges with a policy as it is.
    pub(crate) const fn resolved(policy: RequestPolicy) -> Classifier {
        Classifier { policy }
    }

    /// The same classifier for a client without redirects (`redirect::Policy::none()`): a request
    /// which was certainly not sent, or not processed, is repeated whatever its method.
    #[must_use]
    pub const fn without_redirects(self) -> Classifier {
        Classifier { policy: self.policy.following_redirects(false) }
    }

    /// Judges the results of one request: its method, its `Idempotency-Key`.
    ///
    /// ```
    /// use reqwest::{Method, Request};
    /// use retry_reqwest::Classifier;
    /// use retry_runtime::http::HttpPolicy;
    ///
    /// let mut post = Request::new(Method::POST, "http://127.0.0.1/charges".parse().unwrap());
    /// post.headers_mut().insert("idempotency-key", "8e03978e".parse().unwrap());
    /// let classifier = Classifier::for_request(&HttpPolicy::DEFAULT, &post);
    /// assert!(classifier.policy().is_repeatable());
    /// ```
    #[must_use]
    pub fn for_request(policy: &HttpPolicy, request: &Request) -> Classifier {
        Classifier::new(policy.for_request(request.method(), request.headers()))
    }

    /// The policy.
    #[must_use]
    pub const fn policy(&self) -> &RequestPolicy {
        &self.policy
    }

    /// The outcome of an answer.
    pub fn classify_response(&self, response: &Response) -> Outcome {
        self.policy.classify(response.status(), response.headers(), SystemTime::now())
    }

    /// The outcome of an error, for `classify_err` and
    /// [`on_err`](retry_runtime::on_err).
    pub fn classify_error(&self, error: &Error) -> Outcome {
        match error.status() {
            Some(status) => self.policy.classify(status, &HeaderMap::new(), SystemTime::now()),
            None => self.policy.classify_error(error_kind(error)),
        }
    }

    /// Judges `Result<T, reqwest::Error>` of any `T`, for attempts which read the body
    /// themselves: `Ok` is a success, whatever it holds. The error of `error_for_status` has no
    /// `Retry-After`: [the whole answer](crate#the-whole-answer) shows how to obey it.
    ///
    /// ```
    /// use retry_reqwest::Classifier;
    /// use retry_runtime::http::HttpPolicy;
    /// use retry_runtime::{Classify, Outcome};
    ///
    /// let classifier = Classifier::new(HttpPolicy::DEFAULT.repeatable(true)).errors();
    /// let text: Result<String, reqwest::Error> = Ok("found".into());
    /// assert_eq!(classifier.classify(&text), Outcome::Success);
    /// ```
    #[must_use]
    pub const fn errors(self) -> ErrorClassifier {
        ErrorClassifier(self)
    }
}

impl Classify<Result<Response, Error>> for Classifier {
    fn classify(&self, result: &Result<Response, Error>) -> Outcome {
        match result {
            Ok(response) => self.classify_response(response),
            Err(error) => self.classify_error(error),
        }
    }

    /// The status, or what happened to the request; never its URL, which may hold a secret.
    fn explain(&self, result: &Result<Response, Error>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match result {
            Ok(response) => write!(f, "status {}", response.status()),
            Err(error) => explain_error(error, f),
        }
    }
}

/// The kind, and the innermost source, which says most: "connect: Connection refused".
fn explain_error(error: &Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if let Some(status) = error.status() {
        return write!(f, "status {status}");
    }
    write!(f, "{}", error_kind(error))?;
    // The first is reqwest's own, which names the URL.
    match sources(error).skip(1).last() {
        Some(source) => write!(f, ": {source}"),
        None => Ok(()),
    }
}

/// Judges errors alone. [`Classifier::errors`] makes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorClassifier(Classifier);

impl<T> Classify<Result<T, Error>> for ErrorClassifier {
    fn classify(&self, result: &Result<T, Error>) -> Outcome {
        match result {
            Ok(_) => Outcome::Success,
            Err(error) => self.0.classify_error(error),
        }
    }

    fn explain(&self, result: &Result<T, Error>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match result {
            Ok(_) => Ok(()),
            Err(error) => explain_error(error, f),
        }
    }
}
