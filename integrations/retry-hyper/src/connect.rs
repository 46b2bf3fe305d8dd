//! Errors of making a connection: nothing was sent.

use std::error::Error;
use std::io;

use retry_runtime::error_chain::find_source;
use retry_runtime::http::ErrorKind;

use crate::says;

/// What an error says that came while a connection was made, by whatever client: TCP,
/// TLS or the preface of HTTP/2. Nothing of the request was sent.
///
/// A handshake of TLS that was not accepted is [`Certificate`](ErrorKind::Certificate):
/// rustls passes that on as an [`io::Error`] of the kind `InvalidData`. The alert
/// `internal_error` is not about the peer (RFC 8446, 6.2) and passes like any other
/// trouble of a server.
///
/// ```
/// use retry_runtime::http::ErrorKind;
/// use std::io;
///
/// let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
/// assert_eq!(retry_hyper::connect_error_kind(&refused), ErrorKind::Connect);
/// ```
#[must_use]
pub fn connect_error_kind(error: &(dyn Error + 'static)) -> ErrorKind {
    // A name that is not found has an error of a kind that cannot be matched, so only
    // what certainly cannot mend is picked out.
    match innermost_io(error).map(io::Error::kind) {
        Some(io::ErrorKind::InvalidData) if is_internal_alert(error) => ErrorKind::Connect,
        Some(io::ErrorKind::InvalidData) => ErrorKind::Certificate,
        Some(
            io::ErrorKind::PermissionDenied
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::Unsupported,
        ) => ErrorKind::Other,
        _ => ErrorKind::Connect,
    }
}

/// rustls: `received fatal alert: InternalError`.
fn is_internal_alert(error: &(dyn Error + 'static)) -> bool {
    innermost_io(error)
        .and_then(io::Error::get_ref)
        .is_some_and(|tls| says(tls, "alert") && says(tls, "InternalError"))
}

/// An `io::Error` of kind `Other` may hold the one that tells.
fn innermost_io<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e io::Error> {
    let mut innermost = find_source::<io::Error>(error)?;
    for _ in 0..64 {
        let Some(inner) = innermost.get_ref() else { break };
        let Some(inner) = find_source::<io::Error>(inner) else { break };
        innermost = inner;
    }
    Some(innermost)
}
