//! SQL error codes and retries: the meaning of a SQLSTATE, an error number of MySQL or a result
//! code of SQLite for the failed statement, with any driver.
//!
//! ```
//! use retry_runtime::Outcome;
//! use retry_runtime::sql::{Access, ErrorKind};
//!
//! // As a driver gives it: the SQLSTATE of tokio-postgres, of sqlx, of diesel.
//! let kind = ErrorKind::postgres("40001");
//! assert_eq!(kind, ErrorKind::Conflict);
//! assert_eq!(kind.outcome(Access::Transaction), Outcome::Repeat);
//!
//! // The connection was lost: perhaps after the statement had been carried out.
//! let kind = ErrorKind::mysql(1159, "08S01");
//! assert_eq!(kind.outcome(Access::Read), Outcome::Retry);
//! assert_eq!(kind.outcome(Access::Write), Outcome::Fail);
//! ```
//!
//! The companion crate `retry-sqlx` applies it to the errors of sqlx, and repeats whole
//! transactions.
//!
//! # Outcomes
//!
//! | the&nbsp;kind&nbsp;of&nbsp;error | the statement | read, idempotent write | any&nbsp;write | whole transaction |
//! |---|---|---|---|---|
//! | [`Conflict`](ErrorKind::Conflict) | undone, with its transaction | `Repeat` | `Repeat` | `Repeat` |
//! | [`Locked`](ErrorKind::Locked) | undone, its transaction still open | `Retry` | `Retry` | `Repeat` |
//! | [`Refused`](ErrorKind::Refused), [`NotReady`](ErrorKind::NotReady), [`OutOfConnections`](ErrorKind::OutOfConnections) | never begun | `Retry` | `Retry` | `Retry` |
//! | [`OutOfResources`](ErrorKind::OutOfResources), [`Cancelled`](ErrorKind::Cancelled) | undone | `Retry` | `Retry` | `Retry` |
//! | [`Terminated`](ErrorKind::Terminated), [`PerhapsCommitted`](ErrorKind::PerhapsCommitted), [`Internal`](ErrorKind::Internal) | perhaps carried out | `Retry` | `Fail` | `Fail` |
//! | [`Unrecognised`](ErrorKind::Unrecognised) | unknown | `Fail` | `Fail` | `Fail` |
//! | [`FailedTransaction`](ErrorKind::FailedTransaction), [`Caller`](ErrorKind::Caller) | refused for its own mistake | `Stop` | `Stop` | `Stop` |
//!
//! A conflict says nothing about the health of the database, so it is free of charge; by
//! PostgreSQL's manual it is repeated unconditionally (13.5, Serialization Failure Handling). Every
//! other temporary failure takes a token. Repeat a transaction from its beginning, reads included.
//!
//! An idempotent transaction, [`Access::IdempotentTransaction`], is judged as an idempotent
//! write, but a lock that was not granted is `Repeat`.
#![doc = include_str!("tables.md")]

mod mysql;
mod sqlite;
mod sqlstate;

use core::fmt;

use crate::outcome::Outcome;

/// The repeatability of a failed statement, which the caller knows and the database does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Access {
    /// A statement that changes nothing, or a transaction of such statements.
    Read,
    /// One statement in autocommit mode that must not be carried out twice: an `INSERT`
    /// without a key of its own, `SET balance = balance + 1`.
    Write,
    /// One statement in autocommit mode whose second run changes nothing more: `SET
    /// name = 'x'`, `DELETE`, `INSERT .. ON CONFLICT DO NOTHING`.
    IdempotentWrite,
    /// A whole transaction, from `BEGIN` to `COMMIT`, that must not be carried out twice.
    Transaction,
    /// A whole transaction whose second run changes nothing more: one that begins by
    /// inserting an idempotency key.
    IdempotentTransaction,
}

/// The kind of a statement's failure, by its error code.
///
/// If two kinds fit an error, it has the one that assumes less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Other transactions were in the way, and the database undid the whole
    /// transaction: a serialization failure, a deadlock.
    Conflict,
    /// A lock was not granted in time. The statement was undone, its transaction is still
    /// open and has to be rolled back.
    Locked,
    /// Refused before it ran, by a server that does not take it now: a replica that
    /// takes no writes, a connection that was not accepted.
    Refused,
    /// The server starts up, shuts down or recovers, and accepts no connection.
    NotReady,
    /// The server has no connection left.
    OutOfConnections,
    /// The server is out of memory, disk space or lock entries. The statement was undone.
    OutOfResources,
    /// The server ended the statement: it took too long, or somebody cancelled it. It was
    /// undone.
    Cancelled,
    /// The server ended the session, because it shuts down or an operator said so. A
    /// commit that was under way may have been carried out.
    Terminated,
    /// The connection was lost, or the database does not know: perhaps carried out.
    PerhapsCommitted,
    /// An error of the server's own: a file that it cannot read, a corrupted index, a bug.
    Internal,
    /// PostgreSQL's 25P02: an earlier statement of the transaction failed, and every other is
    /// refused until it is rolled back. The program ignored the first error, or repeated one
    /// statement instead of the whole transaction.
    FailedTransaction,
    /// The caller's mistake: syntax, a constraint, a value, a permission.
    Caller,
    /// A code that is in no table here.
    Unrecognised,
}

impl ErrorKind {
    /// The kind of a SQLSTATE by the SQL standard and by PostgreSQL. A code that the
    /// [table](crate::sql#postgresql) lacks is judged by its class, its first two characters.
    ///
    /// ```
    /// use retry_runtime::sql::ErrorKind;
    ///
    /// assert_eq!(ErrorKind::postgres("57P03"), ErrorKind::NotReady);
    /// assert_eq!(ErrorKind::postgres("23505"), ErrorKind::Caller);
    /// assert_eq!(ErrorKind::postgres("no code"), ErrorKind::Unrecognised);
    /// ```
    #[must_use]
    pub const fn postgres(sqlstate: &str) -> ErrorKind {
        sqlstate::kind(sqlstate)
    }

    /// The kind of an error of MySQL or MariaDB: by its number, or by its SQLSTATE where
    /// the [table](crate::sql#mysql-and-mariadb) lacks the number. The state may be empty.
    ///
    /// It assumes a transactional engine, InnoDB: in others nothing is undone, and a
    /// write is to be judged as [`Access::Write`] whatever the kind.
    ///
    /// ```
    /// use retry_runtime::sql::ErrorKind;
    ///
    /// assert_eq!(ErrorKind::mysql(1213, "40001"), ErrorKind::Conflict);
    /// // Both have the SQLSTATE "08S01".
    /// assert_eq!(ErrorKind::mysql(1053, "08S01"), ErrorKind::Terminated);
    /// assert_eq!(ErrorKind::mysql(1153, "08S01"), ErrorKind::Caller);
    /// ```
    #[must_use]
    pub const fn mysql(number: u16, sqlstate: &str) -> ErrorKind {
        mysql::kind(number, sqlstate)
    }

    /// The kind of a result code of SQLite, extended or primary. An extended code that the
    /// [table](crate::sql#sqlite) lacks is judged by its primary code, its lower 8 bits.
    ///
    /// ```
    /// use retry_runtime::sql::ErrorKind;
    ///
    /// assert_eq!(ErrorKind::sqlite(5), ErrorKind::Locked); // SQLITE_BUSY
    /// assert_eq!(ErrorKind::sqlite(2067), ErrorKind::Caller); // SQLITE_CONSTRAINT_UNIQUE
    /// ```
    #[must_use]
    pub const fn sqlite(code: i32) -> ErrorKind {
        sqlite::kind(code)
    }

    /// The outcome of the kind for a call; [the table](crate::sql#outcomes) has every case.
    pub const fn outcome(self, access: Access) -> Outcome {
        use Access::{IdempotentTransaction, IdempotentWrite, Read, Transaction};
        match self {
            ErrorKind::Conflict => Outcome::Repeat,
            ErrorKind::Locked if matches!(access, Transaction | IdempotentTransaction) => {
                Outcome::Repeat
            }
            ErrorKind::Locked
            | ErrorKind::Refused
            | ErrorKind::NotReady
            | ErrorKind::OutOfConnections
            | ErrorKind::OutOfResources
            | ErrorKind::Cancelled => Outcome::Retry,
            ErrorKind::Terminated | ErrorKind::PerhapsCommitted | ErrorKind::Internal => {
                match access {
                    Read | IdempotentWrite | IdempotentTransaction => Outcome::Retry,
                    Access::Write | Transaction => Outcome::Fail,
                }
            }
            ErrorKind::Unrecognised => Outcome::Fail,
            ErrorKind::FailedTransaction | ErrorKind::Caller => Outcome::Stop,
        }
    }

    /// The outcome of the kind for a transaction whose `COMMIT` was never sent: whatever
    /// happened to the connection, the database has undone it.
    ///
    /// ```
    /// use retry_runtime::Outcome;
    /// use retry_runtime::sql::{Access, ErrorKind};
    ///
    /// let lost = ErrorKind::PerhapsCommitted;
    /// assert_eq!(lost.outcome(Access::Transaction), Outcome::Fail);
    /// assert_eq!(lost.outcome_before_commit(), Outcome::Retry);
    /// ```
    pub const fn outcome_before_commit(self) -> Outcome {
        self.outcome(Access::IdempotentTransaction)
    }

    /// The name of the kind in `snake_case`: a bounded label for logs and metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            ErrorKind::Conflict => "conflict",
            ErrorKind::Locked => "locked",
            ErrorKind::Refused => "refused",
            ErrorKind::NotReady => "not_ready",
            ErrorKind::OutOfConnections => "out_of_connections",
            ErrorKind::OutOfResources => "out_of_resources",
            ErrorKind::Cancelled => "cancelled",
            ErrorKind::Terminated => "terminated",
            ErrorKind::PerhapsCommitted => "perhaps_committed",
            ErrorKind::Internal => "internal",
            ErrorKind::FailedTransaction => "failed_transaction",
            ErrorKind::Caller => "caller",
            ErrorKind::Unrecognised => "unrecognised",
        }
    }

    /// A sentence for a log, where the code alone misleads: of 25P02 it says where the
    /// mistake is.
    ///
    /// ```
    /// use retry_runtime::sql::ErrorKind;
    ///
    /// let advice = ErrorKind::postgres("25P02").advice().unwrap();
    /// assert!(advice.contains("repeat the whole transaction"));
    /// ```
    #[must_use]
    pub const fn advice(self) -> Option<&'static str> {
        match self {
            ErrorKind::FailedTransaction => Some(
                "an earlier statement of this transaction failed, and its error was not \
                 returned: repeat the whole transaction, not a step of it",
            ),
            ErrorKind::PerhapsCommitted | ErrorKind::Terminated => Some(
                "it may have been carried out: look before it is done again, or give it an \
                 idempotency key",
            ),
            _ => None,
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
