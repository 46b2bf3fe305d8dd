//! What is known of a request that got no answer.

use core::error::Error;
use std::io;

/// Why an attempt got no answer, in the words that a decision needs: was the
/// request sent, and can another attempt help?
///
/// A client's own error is put into one of these by a function
/// (`Fn(&E) -> ErrorKind`); the companion crate `retry-reqwest` has one for
/// reqwest, and [`in_chain`](ErrorKind::in_chain) finds what std's errors tell.
/// When in doubt between two, take the later one: less is known of it.
///
/// | kind | sent | retried |
/// |---|---|---|
/// | `PoolTimeout`, `NotProcessed` | no | whatever the method |
/// | `Connect` | no | as `retry_connection_errors` or `retry_unsent` say |
/// | `ConnectionLost` | perhaps | as `retry_connection_errors` says |
/// | `Timeout` | perhaps | as `retry_timeout_errors` says |
/// | the others | | no: the budget is unchanged |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No connection of a pool came free in time. Nothing was sent.
    PoolTimeout,
    /// The server has said that it did not process the request: HTTP/2
    /// `REFUSED_STREAM`, or a `GOAWAY` before it (RFC 9113 section 8.7).
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
    /// The answer cannot be understood: not HTTP, too many redirects, bad content.
    Response,
    /// A circuit breaker or a limiter of this process let nothing through. It says
    /// nothing new of the dependency, and tells the caller not to call.
    Rejected,
    /// The caller gave up.
    Cancelled,
    /// Something else.
    Other,
}

impl ErrorKind {
    /// What the kind of an [`io::Error`] tells. `connecting`: it came from making the
    /// connection, so that nothing was sent.
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
    pub fn from_io(kind: io::ErrorKind, connecting: bool) -> ErrorKind {
        use io::ErrorKind as Io;
        match kind {
            Io::TimedOut if !connecting => ErrorKind::Timeout,
            Io::ConnectionRefused
            | Io::HostUnreachable
            | Io::NetworkUnreachable
            | Io::NetworkDown
            | Io::AddrNotAvailable
            | Io::TimedOut
            | Io::ConnectionReset
            | Io::ConnectionAborted
            | Io::BrokenPipe
            | Io::NotConnected
            | Io::UnexpectedEof => {
                if connecting {
                    ErrorKind::Connect
                } else {
                    ErrorKind::ConnectionLost
                }
            }
            _ => ErrorKind::Other,
        }
    }

    /// What the [`io::Error`] in the chain of an error tells, if there is one: that
    /// the connection was lost, or timed out. Whether the request was sent is not
    /// known, so it is never `Connect`.
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
        chain(error)
            .filter_map(|error| error.downcast_ref::<io::Error>())
            .map(|error| ErrorKind::from_io(error.kind(), false))
            .find(|kind| *kind != ErrorKind::Other)
            .unwrap_or(ErrorKind::Other)
    }
}

/// The first error of type `T` in the chain of `error`, itself included. Search
/// chains by type, never by depth: clients wrap differently from version to
/// version. No more than 64 errors are looked at, so a chain that goes in circles
/// ends.
///
/// An [`io::Error`] that wraps another error is followed into it.
#[must_use]
pub fn find_source<'e, T: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e T> {
    chain(error).find_map(|error| error.downcast_ref::<T>())
}

fn chain<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    core::iter::successors(Some(error), |error: &&'e (dyn Error + 'static)| {
        let error = *error;
        // The source of an `io::Error` is that of the error in it, which it hides.
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        match wrapped {
            Some(wrapped) => Some(wrapped as &(dyn Error + 'static)),
            None => error.source(),
        }
    })
    .take(64)
}
