//! The origin of a status: the server, a proxy, the connection, or tonic itself.
//!
//! tonic puts what happened to the connection into a code too, so the code alone does
//! not tell: a client's timeout is `CANCELLED`, a lost connection `UNKNOWN`. The chain
//! of sources does.

use std::error::Error;

use h2::Reason;
use http::StatusCode;
use retry_runtime::error_chain::find_source;
use retry_runtime::http::ErrorKind;
use tonic::{ConnectError, Status, TimeoutExpired};

/// Who made a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The server sent it.
    Server,
    /// An answer of HTTP came that is not gRPC's: a proxy's.
    Proxy(StatusCode),
    /// tonic could not read the answer.
    Unreadable,
    /// An error of the connection, or of a layer.
    Transport(Failure),
    /// An error that says nothing: somebody's own.
    Unknown,
}

/// An error below gRPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) kind: ErrorKind,
    /// The reason of the server's `RST_STREAM`, if it was one.
    pub(crate) reset: Option<Reason>,
}

/// Who made `status`.
pub(crate) fn of_status(status: &Status) -> Origin {
    if let Some(failure) = failure(status) {
        return Origin::Transport(failure);
    }
    if status.source().is_some() {
        return Origin::Unknown;
    }
    if let Some(code) = http_status(status.message()) {
        return Origin::Proxy(code);
    }
    let tonics =
        ["Unexpected EOF decoding", "Missing response message", "protocol error: received"];
    if tonics.iter().any(|start| status.message().starts_with(start)) {
        return Origin::Unreadable;
    }
    Origin::Server
}

/// What is known of an error; `None` if that is nothing.
pub(crate) fn failure(error: &(dyn Error + 'static)) -> Option<Failure> {
    let kind = if let Some(connect) = find_source::<ConnectError>(error) {
        retry_hyper::connect_error_kind(connect)
    } else if find_source::<TimeoutExpired>(error).is_some() {
        ErrorKind::Timeout
    } else {
        retry_hyper::error_kind(error)
    };
    if kind == ErrorKind::Other && find_source::<hyper::Error>(error).is_none() {
        return None;
    }
    let h2 = find_source::<h2::Error>(error).filter(|h2| h2.is_remote() && h2.is_reset());
    Some(Failure { kind, reset: h2.and_then(h2::Error::reason) })
}

/// The status of HTTP that tonic names in its message: at the end of an answer without
/// `grpc-status`, or when its body is no message of gRPC.
fn http_status(message: &str) -> Option<StatusCode> {
    let after = |words: &str| message.split_once(words).map(|(_, rest)| rest);
    let rest = after("grpc-status header missing, mapped from HTTP status code ")
        .or_else(|| after("while receiving response with status: "))?;
    let status = StatusCode::from_bytes(rest.as_bytes().get(..3)?).ok()?;
    (status != StatusCode::OK).then_some(status)
}
