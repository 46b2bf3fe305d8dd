//! Whole transactions on SQLite: locks, stale snapshots, panics.

use std::time::Duration;

use retry_runtime::{Backoff, Budget, Classify, NoBudget, Outcome, Policy, Retrier};
use retry_sqlx::{Classifier, transaction};
use sqlx::Error;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool, SqlitePoolOptions};

use crate::LedgerError;

const POLICY: Policy = Policy::new(20).backoff(Backoff::constant(Duration::from_millis(2)));

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
