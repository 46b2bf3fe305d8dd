//! Transport failures, by whether the request may have been sent.

use core::error::Error;
use core::fmt;
use std::io;

use crate::error_chain::ConnectionFault;

/// The reason why an attempt got no answer: was the request sent, and can another attempt help?
///
/// A function (`Fn(&E) -> ErrorKind`) translates a client's own errors. The companion crate
/// `retry-reqwest` has one for reqwest, and [`in_chain`](ErrorKind::in_chain) reads the errors of
/// std. When in doubt between two kinds, take the later one: it assumes less.
///
/// | the&nbsp;kind&nbsp;of&nbsp;error | sent | repeated | otherwise |
/// |---|---|---|---|
/// | `PoolTimeout`, `NotProcessed` | no | whatever the method | |
/// | `Connect` | no | as `retry_unsent` or `retry_connection_errors` say | `Fail` |
/// | `ConnectionLost` | perhaps | as `retry_connection_errors` says | `Fail` |
/// | `Timeout` | perhaps | as `retry_timeout_errors` says | `Fail` |
/// | `Other` | perhaps | as `retry_other_errors` says | `Fail` |
/// | `Response` | yes | no | `Fail` |
/// | `Certificate`, `Request`, `Content`, `Rejected`, `Cancelled` | | no | `Stop` |
///
/// "Whatever the method" holds while an attempt is one request: see
/// [`RequestPolicy`](super::RequestPolicy#attempts-of-several-requests).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No connection of a pool was free in time. Nothing was sent.
    PoolTimeout,
    /// By its own word the server did not process the request: HTTP/2 `REFUSED_STREAM`, or a
    /// `GOAWAY` before it (RFC 9113 section 8.7).
    NotProcessed,
    /// No connection was made: refused, unreachable, name not found, or too slow
    /// to be made. Nothing was sent.
    Connect,
    /// The connection was lost: closed or reset before the whole answer was there.
    ConnectionLost,
    /// The attempt took too long.
    Timeout,
    /// The server's certificate, or ours, was not accepted.
    Certificate,
    /// The request cannot be sent as it is: a bad URL, a body that failed.
    Request,
    /// The answer is invalid: not HTTP, or redirects without end.
    Response,
    /// The answer came whole, but the caller cannot read its content. The server did its work.
    Content,
    /// A circuit breaker or a limiter of this process refused the request. This says nothing new
    /// about the dependency, and the caller should not repeat it.
    Rejected,
    /// The caller gave up.
    Cancelled,
    /// Any other error. It is charged, because nothing is known about it.
    Other,
}

impl ErrorKind {
    /// The kind of an [`io::Error`]. `connecting`: it came from making the connection, so nothing
    /// was sent.
    ///
    /// ```
    /// use retry_runtime::http::ErrorKind;
    /// use std::io;
    ///
    /// let reset = io::ErrorKind::ConnectionReset;
    /// assert_eq!(ErrorKind::from_io(reset, true), ErrorKind::Connect);
    /// assert_eq!(ErrorKind::from_io(reset, false), ErrorKind::ConnectionLost);
    /// assert_eq!(ErrorKind::from_io(io::ErrorKind::NotFound, true), ErrorKind::Other);
    /// ```
    #[must_use]
    pub const fn from_io(kind: io::ErrorKind, connecting: bool) -> ErrorKind {
        match ConnectionFault::of(kind) {
            None => ErrorKind::Other,
            Some(_) if connecting => ErrorKind::Connect,
            Some(ConnectionFault::TimedOut) => ErrorKind::Timeout,
            Some(ConnectionFault::Unreachable | ConnectionFault::Lost) => ErrorKind::ConnectionLost,
        }
    }

    /// The kind of the [`io::Error`] in the chain of an error, if there is one: a lost connection
    /// or a timeout. It is unknown whether the request was sent, so the kind is never `Connect`.
    ///
    /// ```
    /// use retry_runtime::http::ErrorKind;
    /// use std::io;
    ///
    /// let inner = io::Error::from(io::ErrorKind::BrokenPipe);
    /// let outer = io::Error::other(inner); // as a client wraps it
    /// assert_eq!(ErrorKind::in_chain(&outer), ErrorKind::ConnectionLost);
    /// ```
    #[must_use]
    pub fn in_chain(error: &(dyn Error + 'static)) -> ErrorKind {
        match ConnectionFault::in_chain(error) {
            None => ErrorKind::Other,
            Some(ConnectionFault::TimedOut) => ErrorKind::Timeout,
            Some(ConnectionFault::Unreachable | ConnectionFault::Lost) => ErrorKind::ConnectionLost,
        }
    }

    /// The name of the kind in `snake_case`: a bounded label for logs and metrics.
    ///
    /// ```
    /// use retry_runtime::http::ErrorKind;
    ///
    /// assert_eq!(ErrorKind::ConnectionLost.to_string(), "connection_lost");
    /// ```
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            ErrorKind::PoolTimeout => "pool_timeout",
            ErrorKind::NotProcessed => "not_processed",
            ErrorKind::Connect => "connect",
            ErrorKind::ConnectionLost => "connection_lost",
            ErrorKind::Timeout => "timeout",
            ErrorKind::Certificate => "certificate",
            ErrorKind::Request => "request",
            ErrorKind::Response => "response",
            ErrorKind::Content => "content",
            ErrorKind::Rejected => "rejected",
            ErrorKind::Cancelled => "cancelled",
            ErrorKind::Other => "other",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
