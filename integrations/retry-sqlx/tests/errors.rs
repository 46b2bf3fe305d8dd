//! Errors of sqlx that need no server, and transactions on SQLite.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::time::Duration;

use retry_runtime::sql::{Access, ErrorKind};
use retry_runtime::{Backoff, Budget, Classify, NoBudget, Outcome, Policy, Retrier};
use retry_sqlx::{Classifier, SqlxError, error_kind, transaction};
use sqlx::Error;
use sqlx::error::DatabaseError;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool, SqlitePoolOptions};

const POLICY: Policy = Policy::new(20).backoff(Backoff::constant(Duration::from_millis(2)));

fn boxed(text: &str) -> Box<dyn std::error::Error + Send + Sync> {
    text.into()
}

/// An error of a driver that is not sqlx's own.
#[derive(Debug)]
struct Foreign(Option<&'static str>);

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("foreign")
    }
}

impl std::error::Error for Foreign {}

impl DatabaseError for Foreign {
    fn message(&self) -> &str {
        "foreign"
    }

    fn code(&self) -> Option<Cow<'_, str>> {
        self.0.map(Cow::Borrowed)
    }

    fn as_error(&self) -> &(dyn std::error::Error + Send + Sync + 'static) {
        self
    }

    fn as_error_mut(&mut self) -> &mut (dyn std::error::Error + Send + Sync + 'static) {
        self
    }

    fn into_error(self: Box<Self>) -> Box<dyn std::error::Error + Send + Sync + 'static> {
        self
    }

    fn kind(&self) -> sqlx::error::ErrorKind {
        sqlx::error::ErrorKind::Other
    }
}

fn foreign(code: Option<&'static str>) -> Error {
    Error::Database(Box::new(Foreign(code)))
}

fn io_error(kind: io::ErrorKind) -> Error {
    Error::Io(kind.into())
}

#[test]
fn every_error_of_sqlx_has_its_kind() {
    for (error, kind) in [
        (Error::PoolTimedOut, ErrorKind::OutOfConnections),
        (Error::Tls(boxed("handshake")), ErrorKind::Refused),
        (Error::BeginFailed, ErrorKind::Refused),
        (io_error(io::ErrorKind::ConnectionRefused), ErrorKind::Refused),
        (io_error(io::ErrorKind::NotFound), ErrorKind::Refused),
        (io_error(io::ErrorKind::AddrNotAvailable), ErrorKind::Refused),
        (io_error(io::ErrorKind::UnexpectedEof), ErrorKind::PerhapsCommitted),
        (io_error(io::ErrorKind::ConnectionReset), ErrorKind::PerhapsCommitted),
        (io_error(io::ErrorKind::BrokenPipe), ErrorKind::PerhapsCommitted),
        (io_error(io::ErrorKind::TimedOut), ErrorKind::PerhapsCommitted),
        (Error::Io(io::Error::other("name not found")), ErrorKind::PerhapsCommitted),
        (Error::Protocol("not the protocol".into()), ErrorKind::PerhapsCommitted),
        (Error::WorkerCrashed, ErrorKind::PerhapsCommitted),
        (Error::Configuration(boxed("url")), ErrorKind::Caller),
        (Error::InvalidArgument("argument".into()), ErrorKind::Caller),
        (Error::RowNotFound, ErrorKind::Caller),
        (Error::ColumnNotFound("cents".into()), ErrorKind::Caller),
        (Error::Decode(boxed("null")), ErrorKind::Caller),
        (Error::Encode(boxed("too large")), ErrorKind::Caller),
        (Error::PoolClosed, ErrorKind::Caller),
        (Error::InvalidSavePointStatement, ErrorKind::Caller),
        (Error::AnyDriverError(boxed("other")), ErrorKind::Unrecognised),
        (foreign(Some("40001")), ErrorKind::Conflict),
        (foreign(Some("5")), ErrorKind::Locked),
        (foreign(Some("")), ErrorKind::Unrecognised),
        (foreign(Some("1205")), ErrorKind::Unrecognised),
        (foreign(None), ErrorKind::Unrecognised),
    ] {
        assert_eq!(error_kind(&error), kind, "{error:?}");
    }
}

#[test]
fn what_an_error_means_depends_on_the_access() {
    let lost = io_error(io::ErrorKind::ConnectionReset);
    assert_eq!(Classifier::READ.classify_error(&lost), Outcome::Retry);
    assert_eq!(Classifier::WRITE.classify_error(&lost), Outcome::Fail);
    assert_eq!(Classifier::IDEMPOTENT_WRITE.classify_error(&lost), Outcome::Retry);
    assert_eq!(Classifier::TRANSACTION.classify_error(&lost), Outcome::Fail);
    assert_eq!(Classifier::IDEMPOTENT_TRANSACTION.classify_error(&lost), Outcome::Retry);
    let conflict = foreign(Some("40P01"));
    assert_eq!(Classifier::WRITE.classify_error(&conflict), Outcome::Repeat);
    assert_eq!(Classifier::READ.classify(&Ok::<u8, Error>(1)), Outcome::Success);
    assert_eq!(Classifier::new(Access::Write), Classifier::WRITE);
}

/// The text of an event's error.
fn explained<T, E: SqlxError>(result: &Result<T, E>) -> String {
    std::fmt::from_fn(|f| Classifier::TRANSACTION.explain(result, f)).to_string()
}

#[test]
fn an_event_says_code_and_kind_and_quotes_nothing() {
    assert_eq!(explained(&Err::<(), _>(foreign(Some("40001")))), "40001, conflict");
    assert_eq!(explained(&Err::<(), _>(Error::PoolTimedOut)), "out_of_connections");
    let text = explained(&Err::<(), _>(foreign(Some("25P02"))));
    assert!(text.starts_with("25P02, failed_transaction: an earlier statement"), "{text}");
    assert_eq!(explained(&Ok::<_, Error>(1)), "");
    assert_eq!(explained(&Err::<(), _>(LedgerError::Overdrawn)), "");
}

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

/// A database in a file, which several pools can open.
struct File {
    folder: tempfile::TempDir,
    pool: SqlitePool,
}

impl File {
    async fn new() -> File {
        let folder = tempfile::tempdir().unwrap();
        let pool = File::open(&folder).await;
        let accounts = "PRAGMA journal_mode = WAL;
                        CREATE TABLE accounts (id INTEGER PRIMARY KEY, cents INTEGER);
                        INSERT INTO accounts VALUES (1, 500), (2, 0)";
        sqlx::raw_sql(accounts).execute(&pool).await.unwrap();
        File { folder, pool }
    }

    /// Without a wait for locks of SQLite's own.
    async fn open(folder: &tempfile::TempDir) -> SqlitePool {
        let options = SqliteConnectOptions::new()
            .filename(folder.path().join("ledger.sqlite"))
            .create_if_missing(true)
            .busy_timeout(Duration::ZERO);
        SqlitePoolOptions::new().max_connections(4).connect_with(options).await.unwrap()
    }

    async fn cents(&self) -> Vec<i64> {
        sqlx::query_scalar("SELECT cents FROM accounts ORDER BY id")
            .fetch_all(&self.pool)
            .await
            .unwrap()
    }
}

fn retrier(classifier: Classifier) -> Retrier<Classifier> {
    Retrier::new(POLICY, Budget::new(10, 0.1), classifier)
}

/// As in the documentation of the crate.
async fn withdraw(
    pool: &SqlitePool,
    retrier: &Retrier<Classifier>,
    cents: i64,
) -> Result<i64, LedgerError> {
    transaction(pool)
        .begin_with("BEGIN IMMEDIATE")
        .run(retrier, |tx| {
            Box::pin(async move {
                sqlx::query("UPDATE accounts SET cents = cents - ? WHERE id = 1")
                    .bind(cents)
                    .execute(&mut **tx)
                    .await?;
                let left: i64 = sqlx::query_scalar("SELECT cents FROM accounts WHERE id = 1")
                    .fetch_one(&mut **tx)
                    .await?;
                if left < 0 { Err(LedgerError::Overdrawn) } else { Ok(left) }
            })
        })
        .await
}

#[tokio::test]
async fn a_transaction_is_committed_and_one_with_an_error_of_its_own_is_rolled_back() {
    let file = File::new().await;
    let retrier = retrier(Classifier::TRANSACTION);
    assert_eq!(withdraw(&file.pool, &retrier, 200).await.unwrap(), 300);
    let overdrawn = withdraw(&file.pool, &retrier, 301).await;
    assert!(matches!(overdrawn, Err(LedgerError::Overdrawn)), "{overdrawn:?}");
    assert_eq!(file.cents().await, [300, 0]);
    assert_eq!(retrier.budget().unwrap().tokens(), 10.0, "the caller's mistake is free");
}

#[tokio::test]
async fn a_locked_database_is_repeated_free_of_charge_in_a_whole_transaction() {
    let file = File::new().await;
    let other = File::open(&file.folder).await;
    let retrier = retrier(Classifier::TRANSACTION);
    let writer = other.begin_with("BEGIN IMMEDIATE").await.unwrap();
    let (result, ()) = tokio::join!(withdraw(&file.pool, &retrier, 200), async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        writer.rollback().await.unwrap();
    });
    assert_eq!(result.unwrap(), 300);
    assert_eq!(retrier.budget().unwrap().tokens(), 10.0);

    // A single statement is no whole transaction: a lock that is held is paid.
    let writer = other.begin_with("BEGIN IMMEDIATE").await.unwrap();
    let result = sqlx::query("DELETE FROM accounts").execute(&file.pool).await;
    assert_eq!(Classifier::WRITE.classify(&result), Outcome::Retry, "{result:?}");
    writer.rollback().await.unwrap();
}

/// A transaction that has read and wants to write, after another has written.
#[tokio::test]
async fn a_stale_snapshot_is_read_anew() {
    let file = File::new().await;
    let other = &File::open(&file.folder).await;
    let retrier = retrier(Classifier::TRANSACTION);
    let mut attempts = 0;
    let result = transaction(&file.pool)
        .run(&retrier, |tx| {
            attempts += 1;
            let is_first = attempts == 1;
            Box::pin(async move {
                let read: i64 = sqlx::query_scalar("SELECT cents FROM accounts WHERE id = 1")
                    .fetch_one(&mut **tx)
                    .await?;
                if is_first {
                    sqlx::query("UPDATE accounts SET cents = 40 WHERE id = 1")
                        .execute(other)
                        .await?;
                }
                sqlx::query("UPDATE accounts SET cents = ? WHERE id = 1")
                    .bind(read + 1)
                    .execute(&mut **tx)
                    .await?;
                Ok::<_, Error>(())
            })
        })
        .await;
    assert!(result.is_ok(), "{result:?}");
    assert_eq!((attempts, file.cents().await), (2, vec![41, 0]));
}

#[tokio::test]
async fn a_transaction_inside_another_is_refused() {
    let file = File::new().await;
    let retrier = &retrier(Classifier::TRANSACTION);
    let pool = &file.pool;
    let mut outer = 0;
    let result = transaction(pool)
        .run(retrier, |_| {
            outer += 1;
            Box::pin(async move { withdraw(pool, retrier, 1).await })
        })
        .await;
    let Err(LedgerError::Database(Error::InvalidArgument(text))) = result else {
        panic!("{result:?}")
    };
    assert!(text.contains("inside the body of another"), "{text}");
    assert_eq!((outer, file.cents().await), (1, vec![500, 0]));
    // The mark is gone with the body.
    assert_eq!(withdraw(pool, retrier, 1).await.unwrap(), 499);
}

#[tokio::test]
async fn a_body_that_panics_leaves_no_mark_and_no_transaction() {
    let file = File::new().await;
    let pool = file.pool.clone();
    let panicked = tokio::spawn(async move {
        let retrier = Retrier::new(POLICY, NoBudget, Classifier::TRANSACTION);
        transaction(&pool)
            .run(&retrier, |tx| {
                Box::pin(async move {
                    sqlx::query("DELETE FROM accounts").execute(&mut **tx).await?;
                    if true {
                        panic!("in the body")
                    }
                    Ok::<_, Error>(())
                })
            })
            .await
    })
    .await;
    assert!(panicked.unwrap_err().is_panic());
    assert_eq!(withdraw(&file.pool, &retrier(Classifier::TRANSACTION), 1).await.unwrap(), 499);
}

/// As a handler of axum needs it: spawned, with a body that borrows what the caller has.
#[tokio::test]
async fn the_future_is_send_and_its_body_borrows() {
    let file = File::new().await;
    async fn handler(pool: SqlitePool, names: Vec<String>) -> Result<u64, LedgerError> {
        let retrier = Retrier::new(POLICY, Budget::new(10, 0.1), Classifier::TRANSACTION);
        let (pool, names) = (&pool, &names);
        transaction(pool)
            .run(&retrier, |tx| {
                Box::pin(async move {
                    let mut rows = 0;
                    for name in names {
                        let inserted = sqlx::query("INSERT INTO accounts (cents) VALUES (?)")
                            .bind(name.len() as i64)
                            .execute(&mut **tx)
                            .await?;
                        rows += inserted.rows_affected();
                    }
                    Ok(rows)
                })
            })
            .await
    }
    let names = vec!["alice".to_owned(), "bob".to_owned()];
    let rows = tokio::spawn(handler(file.pool.clone(), names)).await.unwrap();
    assert_eq!(rows.unwrap(), 2);
    assert_eq!(file.cents().await, [500, 0, 5, 3]);
}
