//! The classifier of results that fail with an error of sqlx.

use std::fmt;

use retry_runtime::sql::Access;
use retry_runtime::{Classify, Outcome};
use sqlx::Error;

use crate::kind::error_kind;

/// Errors that may hold one of sqlx: `sqlx::Error` itself, and the error of your own
/// crate, which says where it keeps it.
///
/// ```
/// use retry_runtime::{Classify, Outcome};
/// use retry_sqlx::{Classifier, SqlxError};
///
/// enum LedgerError {
///     Overdrawn,
///     Database(sqlx::Error),
/// }
///
/// impl SqlxError for LedgerError {
///     fn sqlx_error(&self) -> Option<&sqlx::Error> {
///         match self {
///             LedgerError::Overdrawn => None,
///             LedgerError::Database(error) => Some(error),
///         }
///     }
/// }
///
/// let overdrawn: Result<(), _> = Err(LedgerError::Overdrawn);
/// assert_eq!(Classifier::TRANSACTION.classify(&overdrawn), Outcome::Stop);
/// let busy: Result<(), _> = Err(LedgerError::Database(sqlx::Error::PoolTimedOut));
/// assert_eq!(Classifier::TRANSACTION.classify(&busy), Outcome::Retry);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say where it keeps an error of sqlx",
    note = "implement `retry_sqlx::SqlxError` for it: `None` for its own errors, which end the call"
)]
pub trait SqlxError {
    /// The error of sqlx, or `None` if this is an error of the caller's own: the call
    /// ends, and the budget is unchanged.
    fn sqlx_error(&self) -> Option<&Error>;
}

impl SqlxError for Error {
    fn sqlx_error(&self) -> Option<&Error> {
        Some(self)
    }
}

/// Judges results that fail with an error of sqlx, by [what is known](retry_runtime::sql)
/// of the statement and by the [`Access`]. `Copy`, and made in a `const`.
///
/// ```
/// use std::time::Duration;
///
/// use retry_runtime::{Backoff, Budget, Policy, Retrier};
/// use retry_sqlx::Classifier;
///
/// const TRANSACTIONS: Policy = Policy::unlimited()
///     .within(Duration::from_secs(10))
///     .backoff(Backoff::exponential(Duration::from_millis(5), Duration::from_millis(200)));
///
/// // One budget for the database, shared by reads and writes.
/// static LEDGER: Budget = Budget::new(100, 0.1);
/// static READS: Retrier<Classifier, &Budget> =
///     Retrier::new(Policy::new(4), &LEDGER, Classifier::READ);
/// static TRANSFERS: Retrier<Classifier, &Budget> =
///     Retrier::new(TRANSACTIONS, &LEDGER, Classifier::TRANSACTION);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classifier {
    access: Access,
}

impl Classifier {
    /// For statements that change nothing.
    pub const READ: Classifier = Classifier::new(Access::Read);
    /// For one statement that must not be carried out twice.
    pub const WRITE: Classifier = Classifier::new(Access::Write);
    /// For one statement whose second run changes nothing more.
    pub const IDEMPOTENT_WRITE: Classifier = Classifier::new(Access::IdempotentWrite);
    /// For a whole transaction that must not be carried out twice.
    pub const TRANSACTION: Classifier = Classifier::new(Access::Transaction);
    /// For a whole transaction whose second run changes nothing more.
    pub const IDEMPOTENT_TRANSACTION: Classifier = Classifier::new(Access::IdempotentTransaction);

    /// Judges by `access`.
    #[must_use]
    pub const fn new(access: Access) -> Classifier {
        Classifier { access }
    }

    /// The repeatability of a failed statement.
    #[must_use]
    pub const fn access(&self) -> Access {
        self.access
    }

    /// The outcome of an error, for `classify_err`.
    pub fn classify_error(&self, error: &Error) -> Outcome {
        error_kind(error).outcome(self.access)
    }

    /// The outcome of an error that came before `COMMIT` was sent: nothing was carried out.
    pub(crate) fn before_commit(error: &impl SqlxError) -> Outcome {
        match error.sqlx_error().map(error_kind) {
            None => Outcome::Stop,
            Some(kind) => kind.outcome_before_commit(),
        }
    }
}

impl<T, E: SqlxError> Classify<Result<T, E>> for Classifier {
    fn classify(&self, result: &Result<T, E>) -> Outcome {
        match result {
            Ok(_) => Outcome::Success,
            Err(error) => match error.sqlx_error() {
                Some(error) => self.classify_error(error),
                None => Outcome::Stop,
            },
        }
    }

    /// The code of the database, the kind, and what they do not say by themselves. The
    /// message of a server is left out, because it may quote values: the key `err` has it.
    fn explain(&self, result: &Result<T, E>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(error) = result.as_ref().err().and_then(SqlxError::sqlx_error) else {
            return Ok(());
        };
        if let Some(code) = error.as_database_error().and_then(|error| error.code()) {
            write!(f, "{code}, ")?;
        }
        let kind = error_kind(error);
        write!(f, "{kind}")?;
        match kind.advice() {
            Some(advice) => write!(f, ": {advice}"),
            None => Ok(()),
        }
    }
}
