//! What the answers and the errors of HTTP mean for a call.
//!
//! [`HttpPolicy`] holds the settings of one client or one kind of request: which
//! statuses are retried, what a server's `Retry-After` counts for, and whether a
//! request may be repeated that has perhaps been carried out. It gives the core's
//! [`Policy`](crate::Policy) and judges answers; the attempts, the budget and the
//! wait are the core's.
//!
//! ```
//! use http::{HeaderMap, Method, StatusCode};
//! use retry_runtime::http::{ErrorKind, HttpPolicy};
//! use retry_runtime::Outcome;
//! use std::time::{Duration, SystemTime};
//!
//! let now = SystemTime::now();
//! let get = HttpPolicy::DEFAULT.for_method(&Method::GET);
//! let post = HttpPolicy::DEFAULT.for_method(&Method::POST);
//!
//! // The server asks for two seconds: exactly that is waited.
//! let mut headers = HeaderMap::new();
//! headers.insert("retry-after", "2".parse()?);
//! let outcome = post.classify(StatusCode::SERVICE_UNAVAILABLE, &headers, now);
//! assert_eq!(outcome, Outcome::RetryIn(Duration::from_secs(2)));
//!
//! // A timeout may have reached the server, so only a request that can be repeated is.
//! assert_eq!(get.classify_error(ErrorKind::Timeout), Outcome::Retry);
//! assert_eq!(post.classify_error(ErrorKind::Timeout), Outcome::Fail);
//! # Ok::<(), http::header::InvalidHeaderValue>(())
//! ```
//!
//! | preset | retried | repeated | a server's delay |
//! |---|---|---|---|
//! | [`HttpPolicy::DEFAULT`] | 408, 429, 500 to 599, of any method | GET, HEAD, OPTIONS | is waited exactly |
//! | [`HttpPolicy::TRANSPORT`] | 429, 502, 503, 504 | every idempotent method | is the least that is waited |
//!
//! *Repeated* is for a request that has perhaps been carried out: after a lost
//! connection or a timeout, and with `TRANSPORT` after a status too. Beyond the
//! method, an `Idempotency-Key` in the request
//! ([`for_request`](HttpPolicy::for_request)) or the caller's word
//! ([`repeatable`](HttpPolicy::repeatable)) allows it.
//!
//! So `DEFAULT` sends a POST again after a 500. Where that is not harmless, take
//! `TRANSPORT`, or set [`retry_statuses`](HttpPolicy::retry_statuses) to
//! [`Switch::Auto`].
//!
//! The clock of dates is an argument (`now: SystemTime`), and so is everything
//! else: nothing here reads the environment, waits or sends.

mod classifier;
mod error_kind;
mod patch;
mod policy;
mod retry_after;
#[cfg(feature = "serde")]
mod section;
mod statuses;

pub use classifier::HttpClassifier;
pub use error_kind::{ErrorKind, find_source};
pub use patch::HttpPatch;
pub use policy::{HttpPolicy, Methods, OverMax, ServerDelay, Switch};
pub use retry_after::retry_after;
pub use statuses::StatusSet;
