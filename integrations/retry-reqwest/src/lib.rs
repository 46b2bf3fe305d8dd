//! Retries of [reqwest](https://docs.rs/reqwest)'s requests: a classifier for
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
//! # Errors
//!
//! | reqwest's error | sent | the&nbsp;[kind][`ErrorKind`]&nbsp;of&nbsp;error |
//! |---|---|---|
//! | a bad URL or header, a failure of our own body | | `Request` |
//! | too many redirects, not HTTP | yes | `Response` |
//! | content which does not parse | yes | `Content` |
//! | refused by an HTTP/2 server before processing (feature `http2`) | no | `NotProcessed` |
//! | a certificate or handshake of TLS was not accepted | no | `Certificate` |
//! | a proxy answered CONNECT with 407 | no | `Request` |
//! | no connection: refused, no such name, `connect_timeout`, any other answer of a proxy to CONNECT | no | `Connect` |
//! | the connection ended before the request was written to it | no | `NotProcessed` |
//! | `timeout` or `read_timeout` | perhaps | `Timeout` |
//! | the connection was closed, reset, or cut in the middle of the answer | perhaps | `ConnectionLost` |
//! | anything else | perhaps | `Other` |
//!
//! [`ErrorKind`]: retry_runtime::http::ErrorKind
//! [`HttpPolicy`]: retry_runtime::http::HttpPolicy
//! [`Response`]: reqwest::Response
//!
//! The crate `retry-hyper` reads the errors of hyper and h2, and its table has them all.
//!
//! Only `Connect` and `NotProcessed` prove that nothing was done. With `timeout` alone, a wait for
//! a connection looks the same as a slow server: to tell them apart, set `connect_timeout` too.
//!
//! # A whole client
//!
//! [`Client`] retries every request of a `reqwest::Client`, and [`layer`] is the same as a layer of
//! tower. Use a classifier for the other cases: a body read within the attempt, an error of your
//! own.
//!
//! # Redirects
//!
//! reqwest follows redirects, so an attempt may be several requests, and its result is that of the
//! last: a POST carried out and answered 303 ends as the GET after it. Neither the error nor its
//! URL shows this. So an unrepeatable request is not repeated after a refused connection either,
//! unless the client follows no redirects and the classifier knows it:
//!
//! ```
//! use reqwest::{Client, Method, redirect};
//! use retry_reqwest::Classifier;
//! use retry_runtime::http::HttpPolicy;
//!
//! # let _ = rustls::crypto::ring::default_provider().install_default();
//! let client = Client::builder().redirect(redirect::Policy::none()).build()?;
//! let classifier =
//!     Classifier::new(HttpPolicy::DEFAULT.for_method(&Method::POST)).without_redirects();
//! # let _ = (client, classifier);
//! # Ok::<(), reqwest::Error>(())
//! ```
//!
//! # The whole answer
//!
//! A function that reads the body within the attempt has also a body that breaks off repeated.
//! [`Classifier::errors`] judges its result. The error of `error_for_status` has no headers, and so
//! no `Retry-After`: let the attempt judge the response first.
//!
//! ```
//! use retry_reqwest::Classifier;
//! use retry_runtime::http::HttpPolicy;
//! use retry_runtime::{Budget, retry};
//!
//! static STOCK: Budget = Budget::new(10, 0.1);
//! const GET: Classifier = Classifier::new(HttpPolicy::DEFAULT.repeatable(true));
//!
//! #[retry(
//!     policy = GET.policy().policy(),
//!     budget = STOCK,
//!     classify = GET.errors(),
//!     attempt = attempt,
//! )]
//! async fn item(http: &reqwest::Client, url: &str) -> Result<String, reqwest::Error> {
//!     let response = http.get(url).send().await?;
//!     if !response.status().is_success() {
//!         attempt.judge(GET.classify_response(&response));
//!     }
//!     response.error_for_status()?.text().await
//! }
//! ```
//!
//! # An error of your own
//!
//! An error of the client's own keeps the status and the headers, and its classifier asks the
//! policy. With the body read within the attempt, a time limit of the attempt covers it:
//!
//! ```
//! use std::time::SystemTime;
//!
//! use reqwest::header::HeaderMap;
//! use reqwest::{Method, StatusCode};
//! use retry_reqwest::error_kind;
//! use retry_runtime::http::{ErrorKind, HttpPolicy, RequestPolicy};
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
//!     fn outcome(&self, policy: &RequestPolicy) -> Outcome {
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
//! reqwest itself repeats a request which an HTTP/2 server did not process, up to twice. Layers
//! multiply: with `ClientBuilder::retry(reqwest::retry::never())` only this crate retries.
#![warn(unreachable_pub)]

mod classifier;
mod client;
mod kind;
mod layer;

pub use classifier::{Classifier, ErrorClassifier};
pub use client::Client;
pub use kind::error_kind;
pub use layer::{Requests, layer};
