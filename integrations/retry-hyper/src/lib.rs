//! The meaning of errors of [hyper](https://docs.rs/hyper), [h2] and [hyper-util]'s legacy client
//! for a request: an [`ErrorKind`] of [`retry_runtime`].
//!
//! [`kind`] is for the layer over a hyper client:
//!
//! ```
//! use bytes::Bytes;
//! use http::Request;
//! use http_body_util::Full;
//! use hyper_util::client::legacy::{Client, Error};
//! use hyper_util::rt::TokioExecutor;
//! use retry_runtime::Budget;
//! use retry_runtime::http::HttpPolicy;
//! use retry_runtime::tower::RetryLayer;
//! use tower::{Layer, ServiceExt};
//!
//! // Shared by every client of the same dependency.
//! static STOCK: Budget = Budget::new(10, 0.1);
//!
//! async fn stock(request: Request<Full<Bytes>>) -> Result<bool, Error> {
//!     let client = Client::builder(TokioExecutor::new()).build_http();
//!     let layer = RetryLayer::http(HttpPolicy::DEFAULT, &STOCK, retry_hyper::kind);
//!     let response = layer.layer(client).oneshot(request).await?;
//!     Ok(response.status().is_success())
//! }
//! ```
//!
//! [`error_kind`] takes any error with one of these in its chain. [`body_error_kind`] is for an
//! error while the body of an answer is read: then the server has answered, and may have done the
//! work.
//!
//! # Kinds of errors
//!
//! Errors are searched by type through the whole chain. The first matching row decides.
//!
//! | error | the request | the&nbsp;[kind](ErrorKind)&nbsp;of&nbsp;error |
//! |---|---|---|
//! | tower's `Elapsed` (feature `tower`) | perhaps processed | `Timeout` |
//! | tower's `Overloaded` (feature `tower`) | never left this process | `Rejected` |
//! | no connection was made: refused, no such name, a broken handshake, TLS's alert `internal_error` | not sent | `Connect` |
//! | a rejected handshake of TLS | not sent | `Certificate` |
//! | `RST_STREAM` with `REFUSED_STREAM` before the answer | not processed (RFC 9113, 8.7) | `NotProcessed` |
//! | `GOAWAY` with any code, whose last stream is below this one | not processed (RFC 9113, 6.8) | `NotProcessed` |
//! | the connection ended while the request was queued for it | never written | `NotProcessed` |
//! | `RST_STREAM` with another code | perhaps processed | `ConnectionLost` |
//! | a ping of keep-alive without an answer | perhaps processed | `Timeout` |
//! | the connection was closed, reset or cut (`IncompleteMessage`, an `io::Error`, also one hidden by `h2::Error`) | perhaps processed | `ConnectionLost` |
//! | any error of these while a body is read | answered in part | `ConnectionLost`, or `Timeout` |
//! | the answer is not HTTP, or breaks its rules | perhaps processed | `Response` |
//! | the request's own body failed, or the request cannot be sent as it is | | `Request` |
//! | none of these | unknown | `Other` |
//!
//! # Queued requests
//!
//! hyper has one error (`dispatch task is gone`) for two cases: a request was queued when its
//! connection ended, or the *runtime* of the connection was shut down. In the second case the
//! request may have been sent. If a program shuts down one runtime while another still uses its
//! connections, it must retry only idempotent requests.
//!
//! # A body cut without an error
//!
//! A server may end the body of an answer by `RST_STREAM` with `NO_ERROR` (RFC 9113, 8.1). hyper
//! then reports the end of the body and no error, after a `GOAWAY` with that code too: compare the
//! length with `content-length` if that matters. The layer of tower does
//! (`retry_runtime::tower::ResponseBody`), and charges a body of a shorter length.
//!
//! [h2]: https://docs.rs/h2
//! [hyper-util]: https://docs.rs/hyper-util
#![warn(unreachable_pub)]

mod connect;
#[cfg(feature = "http2")]
mod http2;
mod hyper_error;

use std::error::Error;

use retry_runtime::error_chain::find_source;
use retry_runtime::http::ErrorKind;

/// The progress of an exchange when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// No answer has begun.
    Head,
    /// An answer has begun, and its body is read.
    Body,
}

/// What an error says of the request: see [the table](crate). For
/// `RetryLayer::http` of [`retry_runtime`], and wherever a
/// `Fn(&E) -> ErrorKind` is asked for.
///
/// A boxed error is no [`Error`] itself: `|error: &BoxError| retry_hyper::error_kind(&**error)`.
///
/// ```
/// use retry_runtime::http::ErrorKind;
/// use std::io;
///
/// let reset = io::Error::from(io::ErrorKind::ConnectionReset);
/// assert_eq!(retry_hyper::kind(&reset), ErrorKind::ConnectionLost);
/// ```
pub fn kind<E: Error + 'static>(error: &E) -> ErrorKind {
    error_kind(error)
}

/// What an error says of the request, if it came before the answer: see
/// [the table](crate). Where hyper's own error tells that a body was being read, it is
/// read as by [`body_error_kind`].
///
/// ```
/// use retry_runtime::http::ErrorKind;
///
/// // What an `h2` client gives for a stream that the server refused is remote; this one
/// // was made here, and says nothing of the server.
/// let error = h2::Error::from(h2::Reason::REFUSED_STREAM);
/// assert_eq!(retry_hyper::error_kind(&error), ErrorKind::ConnectionLost);
/// ```
#[must_use]
pub fn error_kind(error: &(dyn Error + 'static)) -> ErrorKind {
    read(error, Stage::Head)
}

/// What an error says of the request, if it came while the body of its answer was
/// read. It is never [`NotProcessed`](ErrorKind::NotProcessed) or
/// [`Connect`](ErrorKind::Connect): a server that has begun to answer may have done the
/// work, whatever it says later.
#[must_use]
pub fn body_error_kind(error: &(dyn Error + 'static)) -> ErrorKind {
    match read(error, Stage::Body) {
        ErrorKind::NotProcessed | ErrorKind::Connect => ErrorKind::ConnectionLost,
        kind => kind,
    }
}

fn read(error: &(dyn Error + 'static), stage: Stage) -> ErrorKind {
    #[cfg(feature = "tower")]
    {
        if find_source::<tower::timeout::error::Elapsed>(error).is_some() {
            return ErrorKind::Timeout;
        }
        if find_source::<tower::load_shed::error::Overloaded>(error).is_some() {
            return ErrorKind::Rejected;
        }
    }
    #[cfg(feature = "legacy")]
    if let Some(client) = find_source::<hyper_util::client::legacy::Error>(error) {
        if client.is_connect() {
            return connect::connect_error_kind(client);
        }
        // `client error (UserAbsoluteUriRequired)` and the like have no predicate.
        if says(client, "(User") {
            return ErrorKind::Request;
        }
    }
    if let Some(hyper) = find_source::<hyper::Error>(error) {
        return hyper_error::kind(hyper, stage);
    }
    #[cfg(feature = "http2")]
    if let Some(h2) = find_source::<h2::Error>(error) {
        return http2::kind(h2, stage);
    }
    ErrorKind::in_chain(error)
}

/// Whether the text of one error, without its sources, has `words` in it. For what its
/// type has no predicate for; the tests meet each of these errors over a real
/// connection, so that a version that words it otherwise is noticed.
fn says(error: &dyn Error, words: &str) -> bool {
    error.to_string().contains(words)
}

pub use connect::connect_error_kind;
