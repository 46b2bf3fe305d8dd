//! What the answers and errors of [reqwest] mean for a retry: a classifier for
//! [`retry_runtime`], made of an [`HttpPolicy`] and the request's method.
//!
//! ```
//! use reqwest::{Client, Method, Response};
//! use retry_reqwest::Classifier;
//! use retry_runtime::http::HttpPolicy;
//! use retry_runtime::{Budget, Classify};
//!
//! // One for each dependency, shared by every call to it.
//! static SEARCH: Budget = Budget::new(10, 0.1);
//!
//! async fn find(client: &Client, url: &str) -> Result<Response, reqwest::Error> {
//!     let policy = HttpPolicy::DEFAULT.for_method(&Method::GET);
//!     let classifier = Classifier::new(policy);
//!     let attempts = policy.policy();
//!     let mut call = attempts.call(&SEARCH);
//!     loop {
//!         let result = client.get(url).send().await;
//!         let outcome = classifier.classify(&result);
//!         if !call.again(outcome).await {
//!             break result;
//!         }
//!     }
//! }
//! ```
//!
//! # What is known of a request that failed
//!
//! | reqwest's error | sent | [`ErrorKind`] |
//! |---|---|---|
//! | a bad URL or header, a body of ours that failed | | `Request` |
//! | too many redirects, not HTTP, content that does not parse | yes | `Response` |
//! | an HTTP/2 server said that it did not process it (feature `http2`) | no | `NotProcessed` |
//! | a certificate or handshake of TLS was not accepted | no | `Certificate` |
//! | no connection: refused, no such name, `connect_timeout` | no | `Connect` |
//! | `timeout` or `read_timeout` | perhaps | `Timeout` |
//! | the connection was closed, reset, or cut in the middle of the answer | perhaps | `ConnectionLost` |
//! | anything else | perhaps | `Other` |
//!
//! [`ErrorKind`]: retry_runtime::http::ErrorKind
//!
//! Only `Connect` proves that nothing was sent. A request that runs into `timeout`
//! while it still waits for a connection looks like one whose server is slow: to
//! have slow connections told apart, set `connect_timeout` too.
//!
//! # Classify the response
//!
//! `error_for_status` throws the headers away, and `Retry-After` with them. Let the
//! attempt return the [`Response`], and call `error_for_status` on what the call
//! returns; [`Classifier::classify_error`] knows the status of such an error, but no delay.
//!
//! # An error of your own
//!
//! Most clients have an error of their own, and read the body within the attempt, so that
//! a body that breaks off is retried and an attempt's time limit covers it. Such an
//! error keeps the status and the headers, and its classifier asks the policy:
//!
//! ```
//! use std::time::{Duration, SystemTime};
//!
//! use reqwest::header::HeaderMap;
//! use reqwest::{Method, StatusCode};
//! use retry_reqwest::error_kind;
//! use retry_runtime::http::{ErrorKind, HttpPolicy};
//! use retry_runtime::{Budget, Outcome, retry};
//!
//! static STOCK: Budget = Budget::new(10, 0.1);
//!
//! enum StockError {
//!     Answer(StatusCode, HeaderMap),
//!     Transport(reqwest::Error),
//!     Slow,
//! }
//!
//! impl StockError {
//!     fn outcome(&self, policy: &HttpPolicy) -> Outcome {
//!         match self {
//!             StockError::Answer(status, headers) => {
//!                 policy.classify(*status, headers, SystemTime::now())
//!             }
//!             StockError::Transport(error) => policy.classify_error(error_kind(error)),
//!             StockError::Slow => policy.classify_error(ErrorKind::Timeout),
//!         }
//!     }
//! }
//!
//! impl From<reqwest::Error> for StockError {
//!     fn from(error: reqwest::Error) -> StockError {
//!         StockError::Transport(error)
//!     }
//! }
//!
//! #[retry(
//!     policy = HttpPolicy::TRANSPORT.policy(),
//!     budget = STOCK,
//!     classify_err = |error| error.outcome(&HttpPolicy::TRANSPORT.for_method(&Method::GET)),
//!     attempt_timeout = 2s,
//!     on_timeout = Err(StockError::Slow),
//! )]
//! async fn item(client: &reqwest::Client, url: &str) -> Result<String, StockError> {
//!     let response = client.get(url).send().await?;
//!     if !response.status().is_success() {
//!         return Err(StockError::Answer(response.status(), response.headers().clone()));
//!     }
//!     Ok(response.text().await?)
//! }
//! ```
//!
//! # Retry in one layer
//!
//! reqwest repeats a request that an HTTP/2 server did not process, up to twice, on
//! its own. Layers multiply: `ClientBuilder::retry(reqwest::retry::never())` leaves it
//! to the budget.

mod kind;

use std::time::SystemTime;

use reqwest::header::HeaderMap;
use reqwest::{Error, Request, Response};
use retry_runtime::http::HttpPolicy;
use retry_runtime::{Classify, Outcome};

pub use kind::error_kind;

/// Judges `Result<reqwest::Response, reqwest::Error>` with an [`HttpPolicy`]. `Copy`,
/// and made in a `const`. Dates in `Retry-After` are counted from the system's clock.
///
/// ```
/// use retry_reqwest::Classifier;
/// use retry_runtime::http::HttpPolicy;
/// use retry_runtime::{Budget, Retrier};
///
/// const READS: HttpPolicy = HttpPolicy::DEFAULT.repeatable(true);
/// static SEARCH: Retrier<Classifier> =
///     Retrier::new(READS.policy(), Budget::new(10, 0.1), Classifier::new(READS));
/// assert_eq!(SEARCH.policy().attempts(), 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Classifier {
    policy: HttpPolicy,
}

impl Classifier {
    /// Judges with `policy`, resolved for the requests' method
    /// ([`for_method`](HttpPolicy::for_method), [`repeatable`](HttpPolicy::repeatable)):
    /// a switch that is still `Auto` counts as no, so that a GET whose connection was
    /// lost would not be sent again either.
    #[must_use]
    pub const fn new(policy: HttpPolicy) -> Classifier {
        Classifier { policy }
    }

    /// Judges the results of one request: its method, its `Idempotency-Key`.
    ///
    /// ```
    /// use reqwest::{Method, Request};
    /// use retry_reqwest::Classifier;
    /// use retry_runtime::http::{HttpPolicy, Switch};
    ///
    /// let mut post = Request::new(Method::POST, "http://127.0.0.1/charges".parse().unwrap());
    /// post.headers_mut().insert("idempotency-key", "8e03978e".parse().unwrap());
    /// let classifier = Classifier::for_request(&HttpPolicy::DEFAULT, &post);
    /// assert_eq!(classifier.policy().retry_timeout_errors, Switch::Yes);
    /// ```
    #[must_use]
    pub fn for_request(policy: &HttpPolicy, request: &Request) -> Classifier {
        Classifier::new(policy.for_request(request.method(), request.headers()))
    }

    /// The policy.
    #[must_use]
    pub const fn policy(&self) -> &HttpPolicy {
        &self.policy
    }

    /// What an answer means.
    pub fn classify_response(&self, response: &Response) -> Outcome {
        self.policy.classify(response.status(), response.headers(), SystemTime::now())
    }

    /// What an error means, for `classify_err` and
    /// [`on_err`](retry_runtime::on_err).
    pub fn classify_error(&self, error: &Error) -> Outcome {
        match error.status() {
            Some(status) => self.policy.classify(status, &HeaderMap::new(), SystemTime::now()),
            None => self.policy.classify_error(error_kind(error)),
        }
    }

    /// Judges `Result<T, reqwest::Error>` of any `T`, for attempts that read the body
    /// themselves: `Ok` is a success, whatever it holds.
    ///
    /// ```
    /// use retry_reqwest::Classifier;
    /// use retry_runtime::http::HttpPolicy;
    /// use retry_runtime::{Classify, Outcome};
    ///
    /// let classifier = Classifier::new(HttpPolicy::DEFAULT).errors();
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
}
