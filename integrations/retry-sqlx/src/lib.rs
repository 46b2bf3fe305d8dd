//! Retries of [sqlx](https://docs.rs/sqlx): a classifier of its errors for [`retry_runtime`], and
//! whole transactions, repeated from their beginning.
//!
//! ```
//! use retry_runtime::{Budget, Policy, Retrier, retry};
//! use retry_sqlx::Classifier;
//!
//! // One for each database, shared by every call to it.
//! static READS: Retrier<Classifier> =
//!     Retrier::new(Policy::new(4), Budget::new(100, 0.1), Classifier::READ);
//!
//! # struct Pool;
//! #[retry(retrier = READS)]
//! async fn balance(pool: &Pool, account: i64) -> sqlx::Result<i64> {
//!     // sqlx::query_scalar("SELECT cents FROM accounts WHERE id = $1")
//!     //     .bind(account).fetch_one(pool).await
//!     # let _ = (pool, account);
//!     # Ok(500)
//! }
//! # tokio::runtime::Builder::new_current_thread().build().unwrap()
//! #     .block_on(balance(&Pool, 1)).unwrap();
//! ```
//!
//! # Errors
//!
//! | sqlx's error | sent | the&nbsp;[kind][`ErrorKind`]&nbsp;of&nbsp;error |
//! |---|---|---|
//! | `Database` | | by its code: [`retry_runtime::sql`] |
//! | `PoolTimedOut` | no | `OutOfConnections` |
//! | `Io`: connection refused, no such socket; `Tls`, `BeginFailed` | no | `Refused` |
//! | `Io` of any other kind, `Protocol`, `WorkerCrashed` | perhaps | `PerhapsCommitted` |
//! | `RowNotFound`, columns, decoding, encoding, configuration, `PoolClosed` | | `Caller` |
//! | any other | perhaps | `Unrecognised` |
//!
//! The [table of `sql`](retry_runtime::sql#outcomes) has the outcome of each kind for a read, a
//! write and a whole transaction: a conflict is `Repeat`, free of charge; a lost connection is
//! `Retry` for a read and `Fail` for a write that is not idempotent.
//!
//! sqlx's pool makes connections itself. While a server refuses them, it tries again until
//! `acquire_timeout` has passed, 30 s by default, and the attempt waits. With retries above it, one
//! or two seconds are enough.
//!
//! [`ErrorKind`]: retry_runtime::sql::ErrorKind
//!
//! # Transactions
//!
//! Repeat the whole transaction, with its reads: after a conflict every statement of it has been
//! undone. With `#[retry]` on a single statement inside it, the next statement fails with
//! PostgreSQL's 25P02, which is final, and which the classifier explains. [`transaction`] takes the
//! body as a closure; its future is `Send`, as handlers of axum need it.
//!
//! | it failed | the transaction | means |
//! |---|---|---|
//! | before `COMMIT` was sent, whatever the error | undone | as of an idempotent transaction: a lost connection is `Retry` |
//! | at `COMMIT`, with an answer | undone, if the answer says so | by its kind: 40001 is `Repeat`, a deferred constraint `Stop` |
//! | at `COMMIT`, and the answer was lost | perhaps committed | `Fail`; `Retry` with [`Classifier::IDEMPOTENT_TRANSACTION`] |
//! | in the body, with an error of its own | rolled back | `Stop` |
//!
//! A conflict is free of charge, and it counts as an attempt and waits by the schedule. So a limit of
//! time (`within`) suits a transaction better than a number of attempts, which conflicts use up in
//! a healthy database, and its waits are about as short as it is. The budget still ends the retries
//! when the database fails.
//!
//! Before `COMMIT`, PostgreSQL gets one more statement (`SELECT 1`): otherwise, if the body had
//! ignored an error, `COMMIT` would roll back without an error.
//!
//! With other keys of the attribute (`cancel`, `observe`, `err`), [`once`] is one attempt, and the
//! body of the method passes its verdict on:
//!
//! ```
//! # #[cfg(feature = "sqlite")] {
//! use std::time::Duration;
//!
//! use retry_runtime::{Backoff, Budget, Policy, Retrier, retry};
//! use retry_sqlx::{Classifier, transaction};
//! use sqlx::SqlitePool;
//!
//! const TRANSACTIONS: Policy = Policy::unlimited()
//!     .within(Duration::from_secs(10))
//!     .backoff(Backoff::exponential(Duration::from_millis(5), Duration::from_millis(200)));
//! static LEDGER: Retrier<Classifier> =
//!     Retrier::new(TRANSACTIONS, Budget::new(100, 0.1), Classifier::TRANSACTION);
//!
//! #[retry(retrier = LEDGER, attempt = attempt, err)]
//! async fn spend(pool: &SqlitePool, cents: i64) -> sqlx::Result<()> {
//!     let whole = transaction(pool).begin_with("BEGIN IMMEDIATE");
//!     let (result, outcome) = whole.once(Classifier::TRANSACTION, |tx| Box::pin(async move {
//!         let spend = "UPDATE accounts SET cents = cents - ?";
//!         sqlx::query(spend).bind(cents).execute(&mut **tx).await.map(drop)
//!     })).await;
//!     attempt.judge(outcome);
//!     result
//! }
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! # let pool = SqlitePool::connect("sqlite::memory:").await.unwrap();
//! # let table = "CREATE TABLE accounts (cents INTEGER); INSERT INTO accounts VALUES (500)";
//! # sqlx::raw_sql(table).execute(&pool).await.unwrap();
//! spend(&pool, 200).await.unwrap();
//! # let cents: i64 =
//! #     sqlx::query_scalar("SELECT cents FROM accounts").fetch_one(&pool).await.unwrap();
//! # assert_eq!(cents, 300);
//! # });
//! # }
//! ```
//!
//! Events have the code and the kind of a failure, not the server's message, which may quote
//! values; with the key `err` they have the message.
//!
//! [`once`]: WholeTransaction::once
//!
//! # A commit whose answer was lost
//!
//! Only the database knows whether it was carried out. An idempotency key finds out: the caller
//! makes a key before the first attempt, and the transaction begins by storing it. If the key is
//! already there, the transaction was carried out before. So a transaction with a key may be
//! repeated after a lost answer:
//!
//! ```
//! # #[cfg(feature = "sqlite")] {
//! use retry_runtime::{Budget, Policy, Retrier};
//! use retry_sqlx::{Classifier, transaction};
//! use sqlx::SqlitePool;
//!
//! # use std::time::Duration;
//! # use retry_runtime::Backoff;
//! # const TRANSACTIONS: Policy = Policy::unlimited()
//! #     .within(Duration::from_secs(10))
//! #     .backoff(Backoff::exponential(Duration::from_millis(5), Duration::from_millis(200)));
//! static LEDGER: Retrier<Classifier> =
//!     Retrier::new(TRANSACTIONS, Budget::new(100, 0.1), Classifier::IDEMPOTENT_TRANSACTION);
//!
//! // `key` comes from the client: the same one each time it asks for the same deposit.
//! async fn deposit(pool: &SqlitePool, key: &str, account: i64, cents: i64) -> sqlx::Result<()> {
//!     transaction(pool).run(&LEDGER, |tx| Box::pin(async move {
//!         let stored = sqlx::query("INSERT INTO keys VALUES (?) ON CONFLICT DO NOTHING")
//!             .bind(key)
//!             .execute(&mut **tx)
//!             .await?;
//!         if stored.rows_affected() == 0 {
//!             return Ok(()); // It was carried out before.
//!         }
//!         sqlx::query("UPDATE accounts SET cents = cents + ? WHERE id = ?")
//!             .bind(cents)
//!             .bind(account)
//!             .execute(&mut **tx)
//!             .await?;
//!         Ok(())
//!     })).await
//! }
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! # let pool = SqlitePool::connect("sqlite::memory:").await.unwrap();
//! # let tables = "CREATE TABLE keys (key TEXT PRIMARY KEY);
//! #     CREATE TABLE accounts (id INTEGER, cents INTEGER); INSERT INTO accounts VALUES (1, 0)";
//! # sqlx::raw_sql(tables).execute(&pool).await.unwrap();
//! deposit(&pool, "8e03978e", 1, 500).await.unwrap();
//! deposit(&pool, "8e03978e", 1, 500).await.unwrap();
//! let cents: i64 =
//!     sqlx::query_scalar("SELECT cents FROM accounts").fetch_one(&pool).await.unwrap();
//! assert_eq!(cents, 500);
//! # });
//! # }
//! ```
//!
//! The keys can be deleted once no client asks for them any more, after a day say.
#![warn(unreachable_pub)]

mod backend;
mod classifier;
mod kind;
mod transaction;

pub use backend::Backend;
pub use classifier::{Classifier, SqlxError};
pub use kind::error_kind;
pub use transaction::{BoxFuture, WholeTransaction, transaction};
