//! Errors of h2: resets and GOAWAYs, by who sent them and when.

use h2::Reason;
use retry_runtime::http::ErrorKind;

use crate::{Stage, says};

pub(crate) fn kind(error: &h2::Error, stage: Stage) -> ErrorKind {
    // It is no source of the error, so a search of the chain does not find it.
    if let Some(io) = error.get_io() {
        return match ErrorKind::from_io(io.kind(), false) {
            ErrorKind::Timeout => ErrorKind::Timeout,
            _ => ErrorKind::ConnectionLost,
        };
    }
    if error.reason().is_none() {
        // A mistake of the caller's, but for a connection that has no number left for
        // another stream: a new one does.
        let no_number = says(error, "stream ID");
        return if no_number { ErrorKind::NotProcessed } else { ErrorKind::Request };
    }
    if stage == Stage::Body {
        return ErrorKind::ConnectionLost;
    }
    if error.is_remote() {
        // h2 gives a GOAWAY to the streams above its last one. A stream that it covers
        // ends with the connection.
        let refused = error.is_reset() && error.reason() == Some(Reason::REFUSED_STREAM);
        let unprocessed = refused || error.is_go_away();
        return if unprocessed { ErrorKind::NotProcessed } else { ErrorKind::ConnectionLost };
    }
    if error.is_library() {
        // What the server sent is not HTTP/2, or no answer.
        return ErrorKind::Response;
    }
    if error.is_reset() {
        // Reset on this side, which hyper does when the body of the request fails.
        return ErrorKind::Request;
    }
    ErrorKind::ConnectionLost
}
