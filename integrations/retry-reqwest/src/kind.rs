//! Kinds of reqwest's errors.

use std::error::Error as _;

use reqwest::Error;
#[cfg(feature = "native-tls")]
use retry_runtime::error_chain::find_source;
use retry_runtime::error_chain::sources;
use retry_runtime::http::ErrorKind;

/// The kind of a request's failure; [the table](crate) says which error is
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
    // Before timeouts: a `connect_timeout` is both.
    if error.is_connect() {
        return connect_kind(error);
    }
    // An error of either comes after the head of the answer.
    let in_body = error.is_body() || error.is_decode();
    let kind = match in_body {
        true => retry_hyper::body_error_kind(error),
        false => retry_hyper::error_kind(error),
    };
    match kind {
        // A limit of reqwest's own has nothing of hyper in its chain.
        ErrorKind::Other if error.is_timeout() => ErrorKind::Timeout,
        // And content that does not parse has nothing of the connection.
        ErrorKind::Other if error.is_decode() => ErrorKind::Content,
        kind => kind,
    }
}

/// reqwest calls everything that comes before the request a connect error.
fn connect_kind(error: &Error) -> ErrorKind {
    #[cfg(feature = "native-tls")]
    if let Some(tls) = find_source::<native_tls::Error>(error) {
        return native_tls_kind(tls);
    }
    match error.source() {
        Some(_) if proxy_wants_authorization(error) => ErrorKind::Request,
        Some(source) => retry_hyper::connect_error_kind(source),
        None => ErrorKind::Connect,
    }
}

/// The errors of the system's TLS have no predicates. A connection that broke off, and the alert
/// `internal_error`, which is not about the peer (RFC 8446, 6.2), are told by an `io::Error` or
/// by OpenSSL's words; tests meet them over a socket.
#[cfg(feature = "native-tls")]
fn native_tls_kind(tls: &native_tls::Error) -> ErrorKind {
    let broken = ["unexpected eof", "alert internal error"];
    let broke_off = sources(tls).any(|error| {
        let text = error.to_string().to_lowercase();
        error.is::<std::io::Error>() || broken.iter().any(|words| text.contains(words))
    });
    if broke_off { ErrorKind::Connect } else { ErrorKind::Certificate }
}

/// Whether a proxy has answered CONNECT with 407. The type of this error is hyper-util's own,
/// which nobody can name; a test meets it over a socket, so that other words are noticed. The
/// other statuses of a proxy are all one error, "unsuccessful": they count as a connection that
/// was not made.
fn proxy_wants_authorization(error: &Error) -> bool {
    sources(error).any(|error| error.to_string().contains("proxy authorization required"))
}
