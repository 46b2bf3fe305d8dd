//! MariaDB's errors, as a server sends them.

use std::time::Duration;

use retry_runtime::sql::ErrorKind;
use retry_runtime::{Backoff, Budget, Policy, Retrier};
use retry_sqlx::{Classifier, error_kind, transaction};
use sqlx::mysql::{MySqlConnection, MySqlDatabaseError, MySqlPoolOptions};
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlPool};
use test_servers::Server;
use tokio::sync::Barrier;

use crate::shared;

async fn pool(server: &Server, table: &str) -> MySqlPool {
    let pool = MySqlPoolOptions::new().max_connections(4).connect(server.address()).await.unwrap();
    let sql = format!(
        "DROP TABLE IF EXISTS {table}; CREATE TABLE {table} (id BIGINT PRIMARY KEY, cents BIGINT);
         INSERT INTO {table} VALUES (1, 500), (2, 500)"
    );
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(&pool).await.expect("a table");
    pool
}

async fn fails(connection: &mut MySqlConnection, sql: &'static str) -> (ErrorKind, u16) {
    let error = connection.execute(sqlx::raw_sql(sql)).await.expect_err(sql);
    let number = error
        .as_database_error()
        .and_then(|error| error.try_downcast_ref::<MySqlDatabaseError>())
        .map_or(0, MySqlDatabaseError::number);
    (error_kind(&error), number)
}

#[tokio::test]
async fn statements_that_a_server_ends_or_refuses_have_their_kinds() {
    let Some(server) = Server::find("mariadb") else { return };
    let _shared = shared().await;
    let pool = pool(&server, "kinds").await;
    let mut connection = pool.acquire().await.unwrap();

    let timeout = "SET STATEMENT max_statement_time = 0.02 FOR SELECT * FROM kinds a, kinds b
                   WHERE SLEEP(5) = 0";
    assert_eq!(fails(&mut connection, timeout).await, (ErrorKind::Cancelled, 1969));
    let duplicate = "INSERT INTO kinds VALUES (1, 0)";
    assert_eq!(fails(&mut connection, duplicate).await, (ErrorKind::Caller, 1062));
    let syntax = "SELECT FROM WHERE";
    assert_eq!(fails(&mut connection, syntax).await, (ErrorKind::Caller, 1064));
    let read_only = "START TRANSACTION READ ONLY; DELETE FROM kinds";
    assert_eq!(fails(&mut connection, read_only).await, (ErrorKind::Caller, 1792));
    connection.execute("ROLLBACK").await.unwrap();

    let mut holder = pool.begin().await.unwrap();
    holder.execute("UPDATE kinds SET cents = 1 WHERE id = 1").await.unwrap();
    let waits = "SET innodb_lock_wait_timeout = 0; DELETE FROM kinds WHERE id = 1";
    assert_eq!(fails(&mut connection, waits).await, (ErrorKind::Locked, 1205));
    let nowait = "SELECT * FROM kinds WHERE id = 1 FOR UPDATE NOWAIT";
    assert_eq!(fails(&mut connection, nowait).await, (ErrorKind::Locked, 1205));
    holder.rollback().await.unwrap();
}

#[tokio::test]
async fn a_replica_and_a_user_without_connections_refuse() {
    let Some(server) = Server::find("mariadb") else { return };
    let _shared = crate::alone().await;
    let pool = pool(&server, "refusals").await;
    let users = "CREATE OR REPLACE USER limited@'%' WITH MAX_USER_CONNECTIONS 1;
                 GRANT ALL ON retry.* TO limited@'%'";
    sqlx::raw_sql(users).execute(&pool).await.unwrap();
    let address = server.address().replace("retry@", "limited@");
    let mut only = MySqlConnection::connect(&address).await.unwrap();
    let error = MySqlConnection::connect(&address).await.expect_err("one is the limit");
    assert_eq!(error_kind(&error), ErrorKind::OutOfConnections, "{error}");

    pool.execute("SET GLOBAL read_only = 1").await.unwrap();
    let refused = fails(&mut only, "INSERT INTO refusals VALUES (3, 0)").await;
    pool.execute("SET GLOBAL read_only = 0").await.unwrap();
    assert_eq!(refused, (ErrorKind::Refused, 1290));
    only.close().await.unwrap();
}

#[tokio::test]
async fn a_connection_that_is_killed_may_have_done_its_work() {
    let Some(server) = Server::find("mariadb") else { return };
    let _shared = shared().await;
    let pool = pool(&server, "killed").await;
    let mut connection = MySqlConnection::connect(server.address()).await.unwrap();
    let id: u64 =
        sqlx::query_scalar("SELECT CONNECTION_ID()").fetch_one(&mut connection).await.unwrap();
    let kill = format!("KILL {id}");
    sqlx::raw_sql(AssertSqlSafe(kill)).execute(&pool).await.unwrap();
    let error = connection.execute("INSERT INTO killed VALUES (3, 0)").await.unwrap_err();
    let kind = error_kind(&error);
    let unsure = [ErrorKind::Terminated, ErrorKind::PerhapsCommitted];
    assert!(unsure.contains(&kind), "{kind}: {error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deadlock_is_repeated_free_of_charge() {
    let Some(server) = Server::find("mariadb") else { return };
    let _shared = shared().await;
    let pool = &pool(&server, "deadlocks").await;
    let policy = Policy::new(4).backoff(Backoff::constant(Duration::from_millis(5)));
    let retrier = &Retrier::new(policy, Budget::new(10, 0.1), Classifier::TRANSACTION);
    let both_hold_one = &Barrier::new(2);
    let transfer = async |from: i64, to: i64| {
        let mut is_first = true;
        transaction(pool)
            .run(retrier, |tx| {
                let wait = std::mem::take(&mut is_first);
                Box::pin(async move {
                    for (account, cents) in [(from, -100), (to, 100)] {
                        sqlx::query("UPDATE deadlocks SET cents = cents + ? WHERE id = ?")
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
    let cents: Vec<i64> =
        sqlx::query_scalar("SELECT cents FROM deadlocks").fetch_all(pool).await.unwrap();
    assert_eq!(cents.iter().sum::<i64>(), 1000);
    assert_eq!(retrier.budget().unwrap().tokens(), 10.0);
}
