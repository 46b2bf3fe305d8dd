//! Errors of hyper, for both versions of the protocol.

use std::error::Error;

use hyper::Error as HyperError;
#[cfg(feature = "http2")]
use retry_runtime::error_chain::find_source;
use retry_runtime::http::ErrorKind;

use crate::{Stage, says};

pub(crate) fn kind(error: &HyperError, stage: Stage) -> ErrorKind {
    let stage = if says(error, "reading a body") { Stage::Body } else { stage };
    if error.is_user() {
        return user_kind(error, stage);
    }
    // The connection closed before the request was written: it was handed back.
    if error.is_canceled() {
        return ErrorKind::NotProcessed;
    }
    if error.is_timeout() {
        return ErrorKind::Timeout;
    }
    if error.is_parse() {
        return ErrorKind::Response;
    }
    #[cfg(feature = "http2")]
    if let Some(h2) = find_source::<h2::Error>(error) {
        return crate::http2::kind(h2, stage);
    }
    // Whatever is left happened to the connection.
    match ErrorKind::in_chain(error) {
        ErrorKind::Timeout => ErrorKind::Timeout,
        _ => ErrorKind::ConnectionLost,
    }
}

/// hyper counts a request as the user's error that waited for its turn on a connection
/// when that ended: nothing has a sender for the answer any more.
fn user_kind(error: &HyperError, stage: Stage) -> ErrorKind {
    if !says(error, "dispatch task is gone") {
        return ErrorKind::Request;
    }
    let panicked = error.source().is_some_and(|source| says(source, "panicked"));
    match stage {
        _ if panicked => ErrorKind::Other,
        Stage::Head => ErrorKind::NotProcessed,
        Stage::Body => ErrorKind::ConnectionLost,
    }
}
