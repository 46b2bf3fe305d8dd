//! The kinds of sqlx's errors.

use std::io;

use retry_runtime::sql::ErrorKind;
use sqlx::Error;
use sqlx::error::DatabaseError;

/// The kind of an error of sqlx: [the table](crate#errors).
///
/// Of an error that a database has sent it is what
/// [`retry_runtime::sql`] says of its code. In doubt it is the kind of which less is known.
///
/// ```
/// use retry_runtime::sql::ErrorKind;
///
/// assert_eq!(retry_sqlx::error_kind(&sqlx::Error::PoolTimedOut), ErrorKind::OutOfConnections);
/// assert_eq!(retry_sqlx::error_kind(&sqlx::Error::RowNotFound), ErrorKind::Caller);
/// ```
#[must_use]
pub fn error_kind(error: &Error) -> ErrorKind {
    match error {
        Error::Database(error) => database_kind(&**error),
        Error::Io(error) => io_kind(error.kind()),
        // Nothing was sent.
        Error::Tls(_) | Error::BeginFailed => ErrorKind::Refused,
        Error::PoolTimedOut => ErrorKind::OutOfConnections,
        Error::Protocol(_) | Error::WorkerCrashed => ErrorKind::PerhapsCommitted,
        Error::Configuration(_)
        | Error::InvalidArgument(_)
        | Error::RowNotFound
        | Error::TypeNotFound { .. }
        | Error::ColumnIndexOutOfBounds { .. }
        | Error::ColumnNotFound(_)
        | Error::ColumnDecode { .. }
        | Error::Encode(_)
        | Error::Decode(_)
        | Error::PoolClosed
        | Error::InvalidSavePointStatement => ErrorKind::Caller,
        _ => ErrorKind::Unrecognised,
    }
}

/// Only while a connection is made do these come up. A name that is not found has a
/// kind that cannot be matched, and counts as a connection that was lost.
const fn io_kind(kind: io::ErrorKind) -> ErrorKind {
    match kind {
        // `NotFound`: the path of a Unix socket.
        io::ErrorKind::ConnectionRefused
        | io::ErrorKind::AddrNotAvailable
        | io::ErrorKind::NotFound => ErrorKind::Refused,
        _ => ErrorKind::PerhapsCommitted,
    }
}

fn database_kind(error: &dyn DatabaseError) -> ErrorKind {
    #[cfg(feature = "mysql")]
    if let Some(error) = error.try_downcast_ref::<sqlx::mysql::MySqlDatabaseError>() {
        return ErrorKind::mysql(error.number(), error.code().unwrap_or_default());
    }
    let Some(code) = error.code() else { return ErrorKind::Unrecognised };
    // A SQLSTATE has five characters. SQLite's codes are numbers of up to four digits.
    match code.parse() {
        Ok(code_of_sqlite) if code.len() < 5 => ErrorKind::sqlite(code_of_sqlite),
        _ => ErrorKind::postgres(&code),
    }
}
