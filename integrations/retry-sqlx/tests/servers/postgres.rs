//! PostgreSQL's errors, as a server sends them, and what becomes of their calls.

use std::sync::Mutex;
use std::time::Duration;

use retry_runtime::sql::ErrorKind;
use retry_runtime::{Backoff, Budget, Decision, Outcome, Policy, Retrier, retry};
use retry_sqlx::{Classifier, error_kind, transaction};
use sqlx::postgres::PgPoolOptions;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, PgPool};
use test_servers::Server;
use tokio::sync::Barrier;

use crate::shared;

const POLICY: Policy = Policy::new(4).backoff(Backoff::constant(Duration::from_millis(5)));

fn retrier(classifier: Classifier) -> Retrier<Classifier> {
    Retrier::new(POLICY, Budget::new(10, 0.1), classifier)
}

async fn pool(server: &Server, schema: &str) -> PgPool {
    let in_schema = format!("SET search_path TO {schema}");
    let pool = PgPoolOptions::new()
        .max_connections(4)
        .after_connect(move |connection, _| {
            let in_schema = in_schema.clone();
            Box::pin(async move {
                connection.execute(sqlx::raw_sql(AssertSqlSafe(in_schema))).await?;
                Ok(())
            })
        })
        .connect(server.address())
        .await
        .expect("the server answers");
    let sql = format!(
        "DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema};
         CREATE TABLE {schema}.accounts (id BIGINT PRIMARY KEY, cents BIGINT NOT NULL CHECK (cents >= 0));
         INSERT INTO {schema}.accounts VALUES (1, 500), (2, 500)"
    );
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(&pool).await.expect("tables");
    pool
}

async fn sum(pool: &PgPool) -> i64 {
    sqlx::query_scalar("SELECT sum(cents)::BIGINT FROM accounts").fetch_one(pool).await.unwrap()
}

/// The error of a statement, and its SQLSTATE.
async fn fails(connection: &mut PgConnection, sql: &'static str) -> (ErrorKind, String) {
    let error = connection.execute(sqlx::raw_sql(sql)).await.expect_err(sql);
    let code = error.as_database_error().and_then(|error| error.code()).unwrap_or_default();
    (error_kind(&error), code.into_owned())
}

#[tokio::test]
async fn statements_that_a_server_ends_or_refuses_have_their_kinds() {
    let Some(server) = Server::find("postgres") else { return };
    let _shared = shared().await;
    let pool = pool(&server, "kinds").await;
    let mut connection = pool.acquire().await.unwrap();
    let expected = |kind, code: &str| (kind, code.to_owned());

    let timeout = "SET LOCAL statement_timeout = '20ms'; SELECT pg_sleep(10)";
    assert_eq!(fails(&mut connection, timeout).await, expected(ErrorKind::Cancelled, "57014"));
    let duplicate = "INSERT INTO accounts VALUES (1, 0)";
    assert_eq!(fails(&mut connection, duplicate).await, expected(ErrorKind::Caller, "23505"));
    let syntax = "SELECT FROM WHERE";
    assert_eq!(fails(&mut connection, syntax).await, expected(ErrorKind::Caller, "42601"));
    let own = "DO $$ BEGIN RAISE 'no more' USING ERRCODE = 'MY001'; END $$";
    assert_eq!(fails(&mut connection, own).await, expected(ErrorKind::Unrecognised, "MY001"));
    let read_only = "BEGIN READ ONLY; DELETE FROM accounts";
    assert_eq!(fails(&mut connection, read_only).await, expected(ErrorKind::Refused, "25006"));
    // The transaction that has just failed is still open.
    let failed = fails(&mut connection, "SELECT 1").await;
    assert_eq!(failed, expected(ErrorKind::FailedTransaction, "25P02"));
    connection.execute("ROLLBACK").await.unwrap();

    let mut holder = pool.begin().await.unwrap();
    holder.execute("UPDATE accounts SET cents = 1 WHERE id = 1").await.unwrap();
    let nowait = "SELECT * FROM accounts WHERE id = 1 FOR UPDATE NOWAIT";
    assert_eq!(fails(&mut connection, nowait).await, expected(ErrorKind::Locked, "55P03"));
    let waits = "SET LOCAL lock_timeout = '20ms'; DELETE FROM accounts WHERE id = 1";
    assert_eq!(fails(&mut connection, waits).await, expected(ErrorKind::Locked, "55P03"));
    holder.rollback().await.unwrap();
}

#[tokio::test]
async fn a_statement_that_times_out_is_a_failure_and_repeated() {
    let Some(server) = Server::find("postgres") else { return };
    let _shared = shared().await;
    let pool = pool(&server, "timeouts").await;
    let retrier = retrier(Classifier::WRITE);
    let mut call = retrier.call();
    // The first two attempts take too long.
    let result = loop {
        let nap = if call.attempt() < 3 { 10 } else { 0 };
        let sql = format!("SET LOCAL statement_timeout = '20ms'; SELECT pg_sleep({nap})");
        let result = sqlx::raw_sql(AssertSqlSafe(sql)).execute(&pool).await;
        if !call.again(retrier.classify(&result)).await {
            break result;
        }
    };
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(call.attempt(), 3);
    assert_eq!(retrier.budget().unwrap().tokens(), 8.1);
}

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
async fn a_pool_without_a_free_connection_is_worth_a_repetition_of_any_call() {
    let Some(server) = Server::find("postgres") else { return };
    let _shared = shared().await;
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .acquire_timeout(Duration::from_millis(20))
        .connect(server.address())
        .await
        .unwrap();
    let mut held = Some(pool.acquire().await.unwrap());
    let retrier = retrier(Classifier::WRITE);
    let mut call = retrier.call();
    let result = loop {
        if call.attempt() == 3 {
            held = None;
        }
        let result = sqlx::query("SELECT 1").execute(&pool).await;
        if !call.again(retrier.classify(&result)).await {
            break result;
        }
    };
    drop(held);
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(call.attempt(), 3);
}

#[tokio::test]
async fn a_server_without_a_connection_for_the_user_refuses() {
    let Some(server) = Server::find("postgres") else { return };
    let _shared = shared().await;
    let pool = pool(&server, "limited").await;
    let role = "DROP ROLE IF EXISTS limited; CREATE ROLE limited LOGIN CONNECTION LIMIT 1";
    sqlx::raw_sql(role).execute(&pool).await.unwrap();
    let address = server.address().replace("retry@", "limited@");
    let only = PgConnection::connect(&address).await.unwrap();
    let error = PgConnection::connect(&address).await.expect_err("one is the limit");
    assert_eq!(error_kind(&error), ErrorKind::OutOfConnections, "{error}");
    assert_eq!(Classifier::WRITE.classify_error(&error), Outcome::Retry);
    only.close().await.unwrap();
}

#[tokio::test]
async fn a_replica_refuses_a_write_and_it_may_be_repeated_elsewhere() {
    let Some(primary) = Server::find("postgres") else { return };
    let Some(replica) = Server::find("postgres_replica") else { return };
    let _shared = shared().await;
    let on_primary = pool(&primary, "replicated").await;
    let on_replica = PgPool::connect(replica.address()).await.unwrap();
    let retrier = retrier(Classifier::WRITE);
    let mut call = retrier.call();
    let result = loop {
        // The first attempt still goes to what was the primary before.
        let pool = if call.attempt() == 1 { &on_replica } else { &on_primary };
        let result = sqlx::query("CREATE TABLE written (id BIGINT)").execute(pool).await;
        if call.attempt() == 1 {
            assert_eq!(error_kind(result.as_ref().unwrap_err()), ErrorKind::Refused);
        }
        if !call.again(retrier.classify(&result)).await {
            break result;
        }
    };
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(call.attempt(), 2);
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
