//! The kinds of the errors of redis.

use std::fmt;
use std::io;

use redis::{RedisError, ServerError, ServerErrorKind};
use retry_runtime::Outcome;

/// The kind of a failed command's or pipeline's error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Not carried out: never sent, or refused by a server that does not take it now.
    Refused,
    /// Perhaps carried out, wholly or in part: the connection was lost, or no answer came
    /// in time.
    PerhapsRun,
    /// The caller's mistake: a wrong type, an unknown command, no permission.
    Caller,
    /// Nothing is known of it, or its answer could not be read.
    Unrecognised,
}

impl ErrorKind {
    /// The outcome of the kind for a command whose second run is harmless, or is not.
    pub const fn outcome(self, repeatable: bool) -> Outcome {
        match self {
            ErrorKind::Refused => Outcome::Retry,
            ErrorKind::PerhapsRun if repeatable => Outcome::Retry,
            ErrorKind::PerhapsRun | ErrorKind::Unrecognised => Outcome::Fail,
            ErrorKind::Caller => Outcome::Stop,
        }
    }

    /// The name of the kind in `snake_case`: a bounded label for logs and metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            ErrorKind::Refused => "refused",
            ErrorKind::PerhapsRun => "perhaps_run",
            ErrorKind::Caller => "caller",
            ErrorKind::Unrecognised => "unrecognised",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The kind of an error of redis: [the table](crate#errors).
///
/// ```
/// use redis::{RedisError, ServerErrorKind};
/// use retry_redis::ErrorKind;
///
/// let loading = RedisError::from((ServerErrorKind::BusyLoading.into(), "LOADING"));
/// assert_eq!(retry_redis::error_kind(&loading), ErrorKind::Refused);
///
/// let reset = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
/// assert_eq!(retry_redis::error_kind(&reset.into()), ErrorKind::PerhapsRun);
/// ```
#[must_use]
pub fn error_kind(error: &RedisError) -> ErrorKind {
    use redis::ErrorKind as Redis;
    if let Ok(single) = ServerError::try_from(error.clone()) {
        return server_kind(&single);
    }
    if let Some(errors) = error.clone().into_server_errors() {
        let is_undone = error.kind() == Redis::Server(ServerErrorKind::ExecAbort);
        return pipeline_kind(errors.iter().map(|(_, error)| server_kind(error)), is_undone);
    }
    match error.kind() {
        Redis::Io => io_kind(error),
        // An error of a server that a program made itself, in a test.
        Redis::Server(kind) => known_kind(kind, error.detail().unwrap_or_default()),
        Redis::MasterNameNotFoundBySentinel
        | Redis::NoValidReplicasFoundBySentinel
        | Redis::ClusterConnectionNotFound => ErrorKind::Refused,
        Redis::AuthenticationFailed
        | Redis::UnexpectedReturnType
        | Redis::InvalidClientConfig
        | Redis::EmptySentinelList
        | Redis::RESP3NotSupported => ErrorKind::Caller,
        // `Parse` is an answer that is not the protocol, and one of another Rust type.
        _ => ErrorKind::Unrecognised,
    }
}

/// Only these come up while a connection is made, and at no other time.
fn io_kind(error: &RedisError) -> ErrorKind {
    let io = std::error::Error::source(error).and_then(io_in);
    match io.map(io::Error::kind) {
        // `NotFound`: the path of a Unix socket.
        Some(
            io::ErrorKind::ConnectionRefused
            | io::ErrorKind::AddrNotAvailable
            | io::ErrorKind::NotFound,
        ) => ErrorKind::Refused,
        _ => ErrorKind::PerhapsRun,
    }
}

/// redis has the `io::Error` in an `Arc`.
fn io_in<'e>(source: &'e (dyn std::error::Error + 'static)) -> Option<&'e io::Error> {
    type Shared = std::sync::Arc<dyn std::error::Error + Send + Sync>;
    match source.downcast_ref::<Shared>() {
        Some(shared) => shared.downcast_ref(),
        None => source.downcast_ref(),
    }
}

/// A pipeline's other commands were carried out, but where the whole was a transaction
/// that was discarded (`EXECABORT`).
fn pipeline_kind(kinds: impl Iterator<Item = ErrorKind>, is_undone: bool) -> ErrorKind {
    let mut worst = ErrorKind::Caller;
    for kind in kinds {
        worst = match (worst, kind) {
            (ErrorKind::Unrecognised, _) | (_, ErrorKind::Unrecognised) => ErrorKind::Unrecognised,
            (ErrorKind::PerhapsRun, _) | (_, ErrorKind::PerhapsRun) => ErrorKind::PerhapsRun,
            (ErrorKind::Refused, _) | (_, ErrorKind::Refused) => ErrorKind::Refused,
            (ErrorKind::Caller, ErrorKind::Caller) => ErrorKind::Caller,
        };
    }
    match worst {
        ErrorKind::Refused if !is_undone => ErrorKind::PerhapsRun,
        worst => worst,
    }
}

fn server_kind(error: &ServerError) -> ErrorKind {
    let details = error.details().unwrap_or_default();
    match error.kind() {
        Some(kind) => known_kind(kind, details),
        None => by_code(error.code(), details),
    }
}

fn known_kind(kind: ServerErrorKind, details: &str) -> ErrorKind {
    match kind {
        ServerErrorKind::BusyLoading
        | ServerErrorKind::Moved
        | ServerErrorKind::Ask
        | ServerErrorKind::TryAgain
        | ServerErrorKind::ClusterDown
        | ServerErrorKind::MasterDown
        | ServerErrorKind::ReadOnly => refused(details),
        ServerErrorKind::ResponseError if details.contains("max number of clients") => {
            ErrorKind::Refused
        }
        ServerErrorKind::ResponseError
        | ServerErrorKind::ExecAbort
        | ServerErrorKind::NoScript
        | ServerErrorKind::CrossSlot
        | ServerErrorKind::NotBusy
        | ServerErrorKind::NoSub
        | ServerErrorKind::NoPerm => ErrorKind::Caller,
        _ => ErrorKind::Unrecognised,
    }
}

/// The codes that redis does not know by name.
fn by_code(code: &str, details: &str) -> ErrorKind {
    match code {
        "BUSY" | "OOM" | "MISCONF" | "NOREPLICAS" | "REDIRECT" => refused(details),
        "WRONGTYPE" | "NOAUTH" | "WRONGPASS" | "DENIED" | "BUSYGROUP" | "BUSYKEY" | "NOGROUP"
        | "NOPROTO" | "UNBLOCKED" | "UNKILLABLE" | "INVALIDOBJ" => ErrorKind::Caller,
        "IOERR" => ErrorKind::PerhapsRun,
        _ => ErrorKind::Unrecognised,
    }
}

/// A script that meets such an error has run up to there.
fn refused(details: &str) -> ErrorKind {
    if details.contains("@user_script") { ErrorKind::PerhapsRun } else { ErrorKind::Refused }
}
