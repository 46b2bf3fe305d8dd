//! What is known of a request that failed.

use std::error::Error as _;
use std::io;

use reqwest::Error;
use retry_runtime::http::{ErrorKind, find_source};

/// What is known of a request that failed; [the table](crate) says which error is
/// which. In doubt it is the kind of which less is known.
///
/// ```
/// use retry_runtime::http::ErrorKind;
///
/// let error = reqwest::Proxy::http("http://no one's:host").unwrap_err();
/// assert_eq!(retry_reqwest::error_kind(&error), ErrorKind::Request);
/// ```
#[must_use]
pub fn error_kind(error: &Error) -> ErrorKind {
    if error.is_builder() {
        return ErrorKind::Request;
    }
    if error.is_redirect() || error.is_status() || error.is_upgrade() {
        return ErrorKind::Response;
    }
    let hyper = find_source::<hyper::Error>(error);
    if hyper.is_some_and(hyper::Error::is_user) {
        return ErrorKind::Request;
    }
    if was_not_processed(error) {
        return ErrorKind::NotProcessed;
    }
    // Before timeouts: a `connect_timeout` is both.
    if error.is_connect() {
        return connect_kind(error);
    }
    // hyper hands a request back whose connection closed before it was written.
    if hyper.is_some_and(hyper::Error::is_canceled) {
        return ErrorKind::Connect;
    }
    if error.is_timeout() {
        return ErrorKind::Timeout;
    }
    if hyper.is_some_and(hyper::Error::is_incomplete_message) {
        return ErrorKind::ConnectionLost;
    }
    if hyper.is_some_and(hyper::Error::is_parse) {
        return ErrorKind::Response;
    }
    match ErrorKind::in_chain(error) {
        // Content that does not parse has nothing of the connection in its chain.
        ErrorKind::Other if error.is_decode() => ErrorKind::Response,
        kind => kind,
    }
}

/// reqwest calls everything that comes before the request a connect error.
fn connect_kind(error: &Error) -> ErrorKind {
    #[cfg(feature = "native-tls")]
    if find_source::<native_tls::Error>(error).is_some() {
        return ErrorKind::Certificate;
    }
    // A name that is not found has an error of a kind that cannot be matched, so
    // only what certainly cannot mend is picked out.
    match innermost_io(error) {
        // How rustls passes on whatever it does not accept.
        Some(io::ErrorKind::InvalidData) => ErrorKind::Certificate,
        Some(
            io::ErrorKind::PermissionDenied
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::Unsupported,
        ) => ErrorKind::Other,
        _ => ErrorKind::Connect,
    }
}

fn innermost_io(error: &Error) -> Option<io::ErrorKind> {
    // An `io::Error` of kind `Other` may hold the one that tells.
    let source = error.source()?;
    let outer = find_source::<io::Error>(source)?;
    let inner = outer.get_ref().and_then(|inner| find_source::<io::Error>(inner));
    Some(inner.unwrap_or(outer).kind())
}

/// RFC 9113 section 8.7: `REFUSED_STREAM`, and a stream above the last of a `GOAWAY`.
#[cfg(feature = "http2")]
fn was_not_processed(error: &Error) -> bool {
    find_source::<h2::Error>(error).is_some_and(|error| {
        let reason = error.reason();
        error.is_remote()
            && (reason == Some(h2::Reason::REFUSED_STREAM)
                || error.is_go_away() && reason == Some(h2::Reason::NO_ERROR))
    })
}

#[cfg(not(feature = "http2"))]
const fn was_not_processed(_: &Error) -> bool {
    false
}
