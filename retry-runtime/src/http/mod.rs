//! Meanings of the answers and the errors of HTTP.
//!
//! [`HttpPolicy`] holds the settings of one client: which statuses are retried, how a server's
//! `Retry-After` counts, and whether a request is repeated that may have been carried out. Resolved
//! for a request it is a [`RequestPolicy`], which gives the core's [`Policy`](crate::Policy) and
//! judges answers and errors; the attempts, the budget and the wait are the core's.
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
//! // The server asks for two seconds: at least that is waited.
//! let mut headers = HeaderMap::new();
//! headers.insert("retry-after", "2".parse()?);
//! let busy = StatusCode::SERVICE_UNAVAILABLE;
//! assert_eq!(get.classify(busy, &headers, now), Outcome::RetryAfter(Duration::from_secs(2)));
//! // It may have done the work, so a request that cannot be repeated is not.
//! assert_eq!(post.classify(busy, &headers, now), Outcome::Fail);
//!
//! // A timeout may have reached the server, a connection that was never made did not.
//! assert_eq!(post.classify_error(ErrorKind::Timeout), Outcome::Fail);
//! assert_eq!(post.classify_error(ErrorKind::Connect), Outcome::Retry);
//! # Ok::<(), http::header::InvalidHeaderValue>(())
//! ```
//!
//! | preset | statuses | repeated | a server's delay |
//! |---|---|---|---|
//! | [`HttpPolicy::DEFAULT`] | 408, 429, 500, 502 to 504, 520 to 524, 529 | every idempotent method | is the least that is waited |
//! | [`HttpPolicy::TRANSPORT`] | 429, 502, 503, 504 | every idempotent method | is the least that is waited |
//! | [`HttpPolicy::ANY_5XX_EXACT`] | 408, 429, 500 to 599 | after a status any method, else the safe ones | is waited exactly |
//!
//! Beyond the method, an `Idempotency-Key` in the request
//! ([`for_request`](HttpPolicy::for_request)) or the caller's word
//! ([`repeatable`](HttpPolicy::repeatable)) allows a repeat. A hook decides by other headers, or by
//! the rules of one service: see [`Answer`] and [`hooks`].
//!
//! The clock of dates is an argument (`now: SystemTime`), and so is everything
//! else: nothing here reads the environment, waits or sends.

mod answer;
mod date;
mod error_kind;
pub mod hooks;
mod options;
mod patch;
mod policy;
mod request_policy;
mod retry_after;
mod rules;
#[cfg(feature = "serde")]
mod section;
mod statuses;

pub use answer::Answer;
pub use error_kind::ErrorKind;
pub use options::{Methods, OverMax, ServerDelay, Switch};
pub use patch::HttpPolicyPatch;
pub use policy::HttpPolicy;
pub use request_policy::{HttpClassifier, RequestPolicy};
pub use retry_after::retry_after;
pub use statuses::StatusSet;
