//! Whole transactions, repeated from their beginning.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use retry_runtime::{Event, Outcome, Retrier, SharedBudget};
use sqlx::{Error, Pool, Transaction};

use crate::backend::Backend;
use crate::classifier::{Classifier, SqlxError};

/// The future of a transaction's body: `Box::pin(async move { .. })`.
pub type BoxFuture<'t, R> = Pin<Box<dyn Future<Output = R> + Send + 't>>;

/// A whole transaction on a connection of `pool`: `BEGIN`, a body, `COMMIT`. It is repeated
/// from its beginning, never a step of it. See [the crate](crate#transactions).
///
/// ```
/// # #[cfg(feature = "sqlite")] {
/// use std::time::Duration;
///
/// use retry_runtime::{Backoff, Budget, Policy, Retrier};
/// use retry_sqlx::Classifier;
/// use sqlx::SqlitePool;
///
/// const TRANSACTIONS: Policy = Policy::unlimited()
///     .within(Duration::from_secs(10))
///     .backoff(Backoff::exponential(Duration::from_millis(5), Duration::from_millis(200)));
/// static LEDGER: Retrier<Classifier> =
///     Retrier::new(TRANSACTIONS, Budget::new(100, 0.1), Classifier::TRANSACTION);
///
/// async fn transfer(pool: &SqlitePool, from: i64, to: i64, cents: i64) -> sqlx::Result<()> {
///     retry_sqlx::transaction(pool)
///         // SQLite: take the lock for writing at once, not in the middle.
///         .begin_with("BEGIN IMMEDIATE")
///         .run(&LEDGER, |tx| {
///             Box::pin(async move {
///                 for (account, cents) in [(from, -cents), (to, cents)] {
///                     sqlx::query("UPDATE accounts SET cents = cents + ? WHERE id = ?")
///                         .bind(cents)
///                         .bind(account)
///                         .execute(&mut **tx)
///                         .await?;
///                 }
///                 Ok(())
///             })
///         })
///         .await
/// }
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let pool = SqlitePool::connect("sqlite::memory:").await.unwrap();
/// # let table = "CREATE TABLE accounts (id INTEGER, cents INTEGER);
/// #     INSERT INTO accounts VALUES (1, 500), (2, 0)";
/// # sqlx::raw_sql(table).execute(&pool).await.unwrap();
/// transfer(&pool, 1, 2, 200).await.unwrap();
/// # let cents: i64 = sqlx::query_scalar("SELECT cents FROM accounts WHERE id = 2")
/// #     .fetch_one(&pool).await.unwrap();
/// # assert_eq!(cents, 200);
/// # });
/// # }
/// ```
pub const fn transaction<DB: Backend>(pool: &Pool<DB>) -> WholeTransaction<'_, DB> {
    WholeTransaction { pool, begin: None, name: None, observer: None }
}

/// A whole transaction, which [`transaction`] makes.
#[must_use = "a transaction does nothing until it is run"]
pub struct WholeTransaction<'p, DB: Backend> {
    pool: &'p Pool<DB>,
    begin: Option<&'static str>,
    name: Option<&'p str>,
    observer: Option<&'p (dyn Fn(&Event<'_>) + Sync)>,
}

impl<'p, DB: Backend> WholeTransaction<'p, DB> {
    /// Begins it with `statement` instead of `BEGIN`: `BEGIN ISOLATION LEVEL SERIALIZABLE` of
    /// PostgreSQL, `BEGIN IMMEDIATE` of SQLite. MySQL sets the level of the session
    /// (`SET SESSION TRANSACTION ISOLATION LEVEL ..`) when a connection is made.
    pub const fn begin_with(mut self, statement: &'static str) -> Self {
        self.begin = Some(statement);
        self
    }

    /// Names the calls of [`run`](WholeTransaction::run) in events and telemetry, as the
    /// attribute's key `name` does.
    pub const fn named(mut self, name: &'p str) -> Self {
        self.name = Some(name);
        self
    }

    /// Passes the events of [`run`](WholeTransaction::run) to `observer`, as the attribute's
    /// key `observe` does.
    ///
    /// ```
    /// # #[cfg(feature = "sqlite")] {
    /// use retry_runtime::{Budget, Event, Policy, Retrier};
    /// use retry_sqlx::Classifier;
    /// use sqlx::SqlitePool;
    ///
    /// static LEDGER: Budget = Budget::new(10, 0.1);
    /// static TRANSFERS: Retrier<Classifier, &Budget> =
    ///     Retrier::new(Policy::new(4), &LEDGER, Classifier::TRANSACTION);
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let pool = SqlitePool::connect("sqlite::memory:").await.unwrap();
    /// # let seen = std::sync::Mutex::new(Vec::new());
    /// let observer = |event: &Event<'_>| {
    ///     println!("{}: {}", event.name, event.decision);
    /// #   seen.lock().unwrap().push(format!("{}: {}", event.name, event.decision));
    /// };
    /// let transaction = retry_sqlx::transaction(&pool).named("transfer").observe(&observer);
    /// let none: sqlx::Result<()> =
    ///     transaction.run(&TRANSFERS, |_| Box::pin(async { Err(sqlx::Error::RowNotFound) })).await;
    /// assert!(none.is_err());
    /// # assert_eq!(*seen.lock().unwrap(), ["transfer: stopped"]);
    /// # });
    /// # }
    /// ```
    pub const fn observe(mut self, observer: &'p (dyn Fn(&Event<'_>) + Sync)) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Runs it until it has succeeded, or the classifier, the budget or the limits of
    /// `retrier` end the call; the last result is returned as it is.
    ///
    /// The body is run anew for each attempt, on a transaction of its own. What it does
    /// besides the transaction is done again: no mail from inside.
    ///
    /// # Errors
    ///
    /// The body's, or sqlx's of the connection, `BEGIN` and `COMMIT`. Inside the body of
    /// another transaction it is refused, without an attempt: a conflict of the outer one
    /// would carry out the inner one again.
    pub async fn run<'a, T, E, B, F>(
        &self,
        retrier: &Retrier<Classifier, B>,
        mut body: F,
    ) -> Result<T, E>
    where
        E: SqlxError + From<Error>,
        B: SharedBudget,
        // The transaction's own lifetime bounds what the body borrows: with
        // `Transaction<'static, DB>` here a body could borrow nothing.
        F: for<'t> FnMut(&'t mut Transaction<'a, DB>) -> BoxFuture<'t, Result<T, E>>,
    {
        let mut call = retrier.call();
        if let Some(name) = self.name {
            call = call.named(name);
        }
        if let Some(observer) = self.observer {
            call = call.observe(observer);
        }
        loop {
            let (result, outcome) = self.once(*retrier.classifier(), &mut body).await;
            if !call.again(outcome).await {
                return result;
            }
        }
    }

    /// Runs it once, and says what the result means: one attempt, for a loop by hand and
    /// for an annotated method, which passes the outcome to its `attempt`. It is known
    /// here whether `COMMIT` had been sent when the connection was lost, which the error
    /// does not tell.
    ///
    /// # Errors
    ///
    /// As [`run`](WholeTransaction::run).
    pub async fn once<'a, T, E, F>(
        &self,
        classifier: Classifier,
        body: F,
    ) -> (Result<T, E>, Outcome)
    where
        E: SqlxError + From<Error>,
        F: for<'t> FnOnce(&'t mut Transaction<'a, DB>) -> BoxFuture<'t, Result<T, E>>,
    {
        if INSIDE.get() {
            let error = Error::InvalidArgument(NESTED.to_owned());
            return (Err(error.into()), Outcome::Stop);
        }
        let begun = match self.begin {
            Some(statement) => self.pool.begin_with(statement).await,
            None => self.pool.begin().await,
        };
        let mut transaction: Transaction<'a, DB> = match begun {
            Ok(transaction) => transaction,
            Err(error) => return not_committed(error.into()),
        };
        let value = match Body(body(&mut transaction)).await {
            Ok(value) => value,
            Err(error) => {
                // If it cannot be rolled back, its connection is lost, and that ends it too.
                drop(transaction.rollback().await);
                return not_committed(error);
            }
        };
        if let Err(error) = DB::check(&mut transaction).await {
            drop(transaction.rollback().await);
            return not_committed(error.into());
        }
        match transaction.commit().await {
            Ok(()) => (Ok(value), Outcome::Success),
            Err(error) => {
                let outcome = classifier.classify_error(&error);
                (Err(error.into()), outcome)
            }
        }
    }
}

fn not_committed<T, E: SqlxError>(error: E) -> (Result<T, E>, Outcome) {
    let outcome = Classifier::before_commit(&error);
    (Err(error), outcome)
}

const NESTED: &str = "a transaction was begun inside the body of another, which may be repeated: \
                      use the outer one's connection, or `begin` on it for a savepoint";

thread_local! {
    /// Whether the body of a transaction is polled on this thread.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// A body, which is recognised by what it awaits.
struct Body<'t, R>(BoxFuture<'t, R>);

impl<R> Future for Body<'_, R> {
    type Output = R;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<R> {
        /// Resets the mark also when the body panics.
        struct Inside;
        impl Drop for Inside {
            fn drop(&mut self) {
                INSIDE.set(false);
            }
        }
        INSIDE.set(true);
        let _inside = Inside;
        self.0.as_mut().poll(context)
    }
}
