//! Whole transactions of PostgreSQL, and what ends them.

use std::sync::Mutex;

use retry_runtime::sql::ErrorKind;
use retry_runtime::{Backoff, Decision, Outcome, retry};
use retry_sqlx::{Classifier, error_kind, transaction};
use sqlx::{Executor, PgConnection};
use test_servers::Server;
use tokio::sync::Barrier;

use crate::postgres::{pool, retrier, sum};
use crate::shared;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deadlock_is_repeated_free_of_charge() {
    let Some(server) = Server::find("postgres") else { return };
    let _shared = shared().await;
    let pool = &pool(&server, "deadlocks").await;
    let retrier = &retrier(Classifier::TRANSACTION);
    let both_hold_one = &Barrier::new(2);
    let transfer = async |from: i64, to: i64| {
        let mut is_first = true;
        transaction(pool)
            .run(retrier, |tx| {
                let wait = std::mem::take(&mut is_first);
                Box::pin(async move {
                    for (account, cents) in [(from, -100), (to, 100)] {
                        sqlx::query("UPDATE accounts SET cents = cents + $1 WHERE id = $2")
                            .bind(cents)
                            .bind(account)
                            .execute(&mut **tx)
                            .await?;
                        if wait && account == from {
                            both_hold_one.wait().await;
                        }
                    }
                    Ok::<_, sqlx::Error>(wait)
                })
            })
            .await
    };
    let (there, back) = tokio::join!(transfer(1, 2), transfer(2, 1));
    let first_attempts = [there.unwrap(), back.unwrap()];
    assert!(first_attempts.contains(&false), "no transaction was undone by a deadlock");
    assert_eq!(sum(pool).await, 1000);
    assert_eq!(retrier.budget().unwrap().tokens(), 10.0);
}

#[tokio::test]
async fn a_session_that_is_ended_before_commit_is_repeated_also_for_a_write() {
    let Some(server) = Server::find("postgres") else { return };
    let _shared = shared().await;
    let pool = &pool(&server, "terminated").await;
    let retrier = retrier(Classifier::TRANSACTION);
    let mut attempts = 0;
    let result = transaction(pool)
        .run(&retrier, |tx| {
            attempts += 1;
            let ends = attempts == 1;
            Box::pin(async move {
                sqlx::query("UPDATE accounts SET cents = cents + 1 WHERE id = 1")
                    .execute(&mut **tx)
                    .await?;
                if ends {
                    let pid: i32 =
                        sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut **tx).await?;
                    sqlx::query("SELECT pg_terminate_backend($1)").bind(pid).execute(pool).await?;
                }
                sqlx::query("SELECT 1").execute(&mut **tx).await
            })
        })
        .await;
    assert!(result.is_ok(), "{result:?}");
    assert_eq!((attempts, sum(pool).await), (2, 1001));
    // It was a failure of the server, and is paid like one.
    assert_eq!(retrier.budget().unwrap().tokens(), 9.1);
}

/// A body that swallows an error: `COMMIT` would be a rollback that says nothing.
#[tokio::test]
async fn a_transaction_whose_failure_was_swallowed_is_no_success() {
    let Some(server) = Server::find("postgres") else { return };
    let _shared = shared().await;
    let pool = pool(&server, "swallowed").await;
    let retrier = retrier(Classifier::TRANSACTION);
    let result = transaction(&pool)
        .run(&retrier, |tx| {
            Box::pin(async move {
                sqlx::query("UPDATE accounts SET cents = cents + 1 WHERE id = 1")
                    .execute(&mut **tx)
                    .await?;
                let duplicate =
                    sqlx::query("INSERT INTO accounts VALUES (1, 0)").execute(&mut **tx).await;
                assert!(duplicate.is_err());
                Ok::<_, sqlx::Error>(())
            })
        })
        .await;
    let error = result.expect_err("nothing was committed");
    assert_eq!(error_kind(&error), ErrorKind::FailedTransaction);
    assert_eq!(sum(&pool).await, 1000);
    assert_eq!(retrier.budget().unwrap().tokens(), 10.0);
}

#[tokio::test]
async fn a_step_that_is_retried_in_its_transaction_is_ended_and_explained() {
    let Some(server) = Server::find("postgres") else { return };
    let _shared = shared().await;
    let pool = pool(&server, "steps").await;
    let seen = Mutex::new(Vec::new());

    /// The mistake: the step is repeated, and not the transaction.
    #[retry(
        attempts = 3,
        budget = none,
        schedule = Backoff::none(),
        classify = Classifier::READ,
        observe = |event| seen.lock().unwrap().push((event.decision, event.error.map(|error| error.to_string()))),
    )]
    async fn step(
        tx: &mut PgConnection,
        seen: &Mutex<Vec<(Decision, Option<String>)>>,
    ) -> sqlx::Result<()> {
        sqlx::query("SELECT pg_sleep(10)").execute(tx).await?;
        Ok(())
    }

    let mut tx = pool.begin().await.unwrap();
    tx.execute("SET LOCAL statement_timeout = '20ms'").await.unwrap();
    let result = step(&mut tx, &seen).await;
    assert_eq!(error_kind(&result.unwrap_err()), ErrorKind::FailedTransaction);
    let seen = seen.into_inner().unwrap();
    assert_eq!(seen.len(), 2, "{seen:?}");
    assert_eq!(seen[0].1.as_deref(), Some("57014, cancelled"));
    assert_eq!(seen[1].0, Decision::Stopped);
    let text = seen[1].1.as_deref().unwrap();
    assert!(text.contains("25P02") && text.contains("repeat the whole transaction"), "{text}");
}

#[tokio::test]
async fn a_constraint_that_is_checked_at_commit_is_the_callers() {
    let Some(server) = Server::find("postgres") else { return };
    let _shared = shared().await;
    let pool = pool(&server, "deferred").await;
    let table = "CREATE TABLE owned (account BIGINT REFERENCES accounts
                 DEFERRABLE INITIALLY DEFERRED)";
    sqlx::raw_sql(table).execute(&pool).await.unwrap();
    let retrier = retrier(Classifier::TRANSACTION);
    let (result, outcome) = transaction(&pool)
        .once(*retrier.classifier(), |tx| {
            Box::pin(
                async move { sqlx::query("INSERT INTO owned VALUES (9)").execute(&mut **tx).await },
            )
        })
        .await;
    let error: sqlx::Error = result.unwrap_err();
    assert_eq!(error.as_database_error().unwrap().code().unwrap(), "23503");
    assert_eq!(outcome, Outcome::Stop);
}
