//! PostgreSQL's errors, as a server sends them, and what becomes of their calls.

use std::time::Duration;

use retry_runtime::sql::ErrorKind;
use retry_runtime::{Backoff, Budget, Outcome, Policy, Retrier};
use retry_sqlx::{Classifier, error_kind};
use sqlx::postgres::PgPoolOptions;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, PgPool};
use test_servers::Server;

use crate::shared;

pub(crate) const POLICY: Policy =
    Policy::new(4).backoff(Backoff::constant(Duration::from_millis(5)));

pub(crate) fn retrier(classifier: Classifier) -> Retrier<Classifier> {
    Retrier::new(POLICY, Budget::new(10, 0.1), classifier)
}

pub(crate) async fn pool(server: &Server, schema: &str) -> PgPool {
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

pub(crate) async fn sum(pool: &PgPool) -> i64 {
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

#[tokio::test]
async fn a_pool_without_a_free_connection_is_worth_a_repetition_of_any_call() {
    let Some(server) = Server::find("postgres") else { return };
    let _shared = shared().await;
    let pool = PgPoolOptions::new()
        .max_connections(1)
        // Long enough to connect while the machine is busy.
        .acquire_timeout(Duration::from_secs(1))
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
