//! The chain of an error's sources, searched by type.
//!
//! Clients wrap errors differently from version to version, so what a classifier looks for is
//! found by its type, never by its depth.

use core::error::Error;
use std::io;

/// No more errors of a chain are looked at, so that one that goes in circles ends.
const LONGEST: usize = 64;

/// The errors of a chain, `error` itself first; at most 64. An [`io::Error`] that wraps another
/// error is followed into it.
pub fn sources<'e>(
    error: &'e (dyn Error + 'static),
) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    core::iter::successors(Some(error), |error: &&'e (dyn Error + 'static)| {
        let error = *error;
        // The source of an `io::Error` is that of the error in it, which it hides.
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        match wrapped {
            Some(wrapped) => Some(wrapped as &(dyn Error + 'static)),
            None => error.source(),
        }
    })
    .take(LONGEST)
}

/// The first error of type `T` in the chain of `error`, itself included.
///
/// ```
/// use retry_runtime::error_chain::find_source;
/// use std::{io, num::ParseIntError};
///
/// let inner: ParseIntError = "four".parse::<u8>().unwrap_err();
/// let outer = io::Error::other(inner); // as a client wraps it
/// assert!(find_source::<ParseIntError>(&outer).is_some());
/// ```
#[must_use]
pub fn find_source<'e, T: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e T> {
    sources(error).find_map(|error| error.downcast_ref::<T>())
}

/// Failures of a connection, as the kinds of [`io::Error`] tell them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConnectionFault {
    /// The peer was not reached: refused, no route, no network, no address.
    Unreachable,
    /// The connection was closed or reset.
    Lost,
    /// The operating system gave up waiting, or the socket's own time limit passed, which Unix
    /// reports as `WouldBlock` (`TcpStream::set_read_timeout`).
    TimedOut,
}

impl ConnectionFault {
    /// The fault of a kind of [`io::Error`]; `None` if the kind says nothing about a connection.
    ///
    /// ```
    /// use retry_runtime::error_chain::ConnectionFault;
    /// use std::io::ErrorKind;
    ///
    /// assert_eq!(ConnectionFault::of(ErrorKind::BrokenPipe), Some(ConnectionFault::Lost));
    /// assert_eq!(ConnectionFault::of(ErrorKind::WouldBlock), Some(ConnectionFault::TimedOut));
    /// assert_eq!(ConnectionFault::of(ErrorKind::NotFound), None);
    /// ```
    #[must_use]
    pub const fn of(kind: io::ErrorKind) -> Option<ConnectionFault> {
        use io::ErrorKind as Io;
        Some(match kind {
            Io::ConnectionRefused
            | Io::HostUnreachable
            | Io::NetworkUnreachable
            | Io::NetworkDown
            | Io::AddrNotAvailable => ConnectionFault::Unreachable,
            Io::ConnectionReset
            | Io::ConnectionAborted
            | Io::BrokenPipe
            | Io::NotConnected
            | Io::UnexpectedEof => ConnectionFault::Lost,
            Io::TimedOut | Io::WouldBlock => ConnectionFault::TimedOut,
            _ => return None,
        })
    }

    /// The first fault of an [`io::Error`] in the chain of `error`.
    ///
    /// ```
    /// use retry_runtime::error_chain::ConnectionFault;
    /// use std::io;
    ///
    /// let outer = io::Error::other(io::Error::from(io::ErrorKind::TimedOut));
    /// assert_eq!(ConnectionFault::in_chain(&outer), Some(ConnectionFault::TimedOut));
    /// ```
    #[must_use]
    pub fn in_chain(error: &(dyn Error + 'static)) -> Option<ConnectionFault> {
        sources(error)
            .filter_map(|error| error.downcast_ref::<io::Error>())
            .find_map(|error| ConnectionFault::of(error.kind()))
    }
}
