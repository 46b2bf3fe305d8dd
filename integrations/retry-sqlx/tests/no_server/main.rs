//! Tests without a server: the kinds of sqlx's errors, and transactions on SQLite.

mod errors;
mod transactions;

use retry_sqlx::SqlxError;
use sqlx::Error;

/// The error of a program of its own.
#[derive(Debug)]
enum LedgerError {
    Overdrawn,
    Database(Error),
}

impl From<Error> for LedgerError {
    fn from(error: Error) -> LedgerError {
        LedgerError::Database(error)
    }
}

impl SqlxError for LedgerError {
    fn sqlx_error(&self) -> Option<&Error> {
        match self {
            LedgerError::Overdrawn => None,
            LedgerError::Database(error) => Some(error),
        }
    }
}
