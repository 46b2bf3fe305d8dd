//! A layer that retries the requests of any tower service: hyper's clients, tonic's
//! channels, or a client of your own.
//!
//! [`RetryLayer`] makes the attempts with the same [`Policy`](crate::Policy),
//! [`Budget`](crate::Budget) and classifier as everything else. For a service of
//! HTTP, [`RetryLayer::http`] decides with an [`HttpPolicy`](crate::http::HttpPolicy)
//! that it resolves for each request; for any other, [`RetryLayer::new`] takes a
//! [`Retrier`](crate::Retrier).
//!
//! ```
//! use http::{Request, Response};
//! use http_body_util::BodyExt;
//! use retry_runtime::Budget;
//! use retry_runtime::http::{ErrorKind, HttpPolicy};
//! use retry_runtime::tower::RetryLayer;
//! use std::io;
//! use std::sync::Arc;
//! use tower::{Layer, ServiceExt, service_fn};
//!
//! // Shared by every client of the same dependency.
//! let budget = Arc::new(Budget::new(10, 0.1));
//! let kind = |error: &io::Error| ErrorKind::in_chain(error);
//! let layer = RetryLayer::http(HttpPolicy::TRANSPORT, budget, kind);
//!
//! // Stands for a hyper client.
//! let client = service_fn(|_: Request<String>| async {
//!     Ok::<_, io::Error>(Response::new(String::from("hello")))
//! });
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let response = layer.layer(client).oneshot(Request::new(String::new())).await?;
//! let body = response.into_body().collect().await.expect("a text never breaks off");
//! assert_eq!(body.to_bytes(), "hello");
//! # Ok::<_, io::Error>(()) }).unwrap();
//! ```
//!
//! The layer's work for each request:
//!
//! * It asks the service whether it is ready before every attempt. An error of its readiness is the
//!   attempt's result, judged, charged and observed like any other, at the first attempt too.
//! * It copies the request before an attempt, if another could follow. One that
//!   cannot be copied (its body is a stream) is sent once: its failure counts in the
//!   budget like that of any request that must not be repeated
//!   ([`Outcome::Fail`](crate::Outcome::Fail)), and the answer goes to the caller.
//! * If another attempt follows, the response is dropped before the wait. A small body is read to
//!   its end first, so that its connection can be used again.
//! * The last answer or error goes to the caller untouched. A success of HTTP credits the budget
//!   when its body is complete, and a body that breaks off is charged: [`ResponseBody`] wraps the
//!   service's own body for this. The layer does not repeat the request then; to have it repeated,
//!   read the body in a function under `#[retry]`.
//!
//! # Settings of one request
//!
//! Put [`CallSettings`] into the extensions of a request of HTTP if its call differs from the
//! layer's: a deadline, a signal to give it up, other attempts, another budget. For all requests
//! [`RetryLayer::settings_for`] takes a function of the request (a budget for each host), and
//! [`RetryLayer::cancel`] a signal. Each attempt is sent with an [`Attempt`](crate::Attempt) in its
//! extensions, and the last response has a [`CallEnd`] in its own: why the call ended, and after
//! how many attempts. An error has no extensions; the observer is told in both cases.
//!
//! For another rule, wrap [`Http`] in an exchange of your own, and forward the methods that you do
//! not change.
//!
//! # Order
//!
//! The order of layers, from the outside in: total timeout, **retry**, circuit breaker, timeout of
//! an attempt, client. A breaker inside sees every attempt; its rejection is an
//! [`ErrorKind::Rejected`](crate::http::ErrorKind::Rejected), which ends the call. Retry in one
//! layer only: layers multiply.
//!
//! The response future is boxed, one allocation for each request: the type of an `async` block has
//! no name, and a future by hand would need `unsafe`, here or in another crate.

mod attempts;
mod ending;
mod exchange;
mod http;
mod layer;
mod per_request;
mod response_body;
mod service;
mod settings;

pub use self::ending::{CallEnd, Ending, OpenCall};
pub use self::exchange::{Cloned, Exchange};
pub use self::http::{CloneBody, CopyBody, HeadOfAnswer, Http, Judged, KnownError, WholeAnswer};
pub use self::layer::RetryLayer;
pub use self::per_request::PerRequest;
pub use self::response_body::ResponseBody;
pub use self::service::Retry;
pub use self::settings::CallSettings;
