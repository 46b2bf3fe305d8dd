//! A `COMMIT` whose answer is lost, and a connection that is lost before it: a proxy cuts
//! where the test says.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use retry_runtime::sql::ErrorKind;
use retry_runtime::{Backoff, Budget, Policy, Retrier};
use retry_sqlx::{Classifier, error_kind, transaction};
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use test_servers::Server;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::shared;

/// Where the proxy cuts a connection, the first time that it can.
#[derive(Clone, Copy)]
enum Cut {
    /// The statement with this text is not passed on.
    Before(&'static str),
    /// It is passed on and carried out, and its answer is not.
    After(&'static str),
}

/// The port of a proxy before `server`, which cuts once.
async fn proxy(server: u16, cut: Cut) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let cuts = Arc::new(AtomicU32::new(1));
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            tokio::spawn(pass(client, server, cut, cuts.clone()));
        }
    });
    port
}

async fn pass(mut client: TcpStream, server: u16, cut: Cut, cuts: Arc<AtomicU32>) {
    let mut server = TcpStream::connect(("127.0.0.1", server)).await.unwrap();
    let (mut from_client, mut from_server) = (vec![0; 65_536], vec![0; 65_536]);
    loop {
        tokio::select! {
            read = client.read(&mut from_client) => {
                let Ok(bytes @ 1..) = read else { return };
                let request = &from_client[..bytes];
                let (Cut::Before(text) | Cut::After(text)) = cut;
                let is_here = request.windows(text.len()).any(|window| window == text.as_bytes());
                let cuts_now = is_here
                    && cuts.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok();
                if cuts_now && matches!(cut, Cut::Before(_)) {
                    return;
                }
                if server.write_all(request).await.is_err() {
                    return;
                }
                if cuts_now {
                    // The answer says that it was carried out; nobody else hears it.
                    let _ = server.read(&mut from_server).await;
                    return;
                }
            }
            read = server.read(&mut from_server) => {
                let Ok(bytes @ 1..) = read else { return };
                if client.write_all(&from_server[..bytes]).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// A pool through a proxy, one that bypasses it, and a table of deposits.
async fn pools(server: &Server, table: &str, cut: Cut) -> (PgPool, PgPool) {
    let direct = PgPool::connect(server.address()).await.unwrap();
    let sql = format!(
        "DROP TABLE IF EXISTS {table}; DROP TABLE IF EXISTS {table}_keys;
         CREATE TABLE {table} (cents BIGINT); CREATE TABLE {table}_keys (key TEXT PRIMARY KEY)"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&direct).await.unwrap();
    let options: PgConnectOptions = server.address().parse().unwrap();
    let options = options.clone().port(proxy(options.get_port(), cut).await);
    (PgPoolOptions::new().max_connections(2).connect_with(options).await.unwrap(), direct)
}

fn retrier(classifier: Classifier) -> Retrier<Classifier> {
    let policy = Policy::new(4).backoff(Backoff::constant(Duration::from_millis(5)));
    Retrier::new(policy, Budget::new(10, 0.1), classifier)
}

async fn rows(pool: &PgPool, table: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table}");
    sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(pool).await.unwrap()
}

#[tokio::test]
async fn a_commit_whose_answer_was_lost_is_not_repeated() {
    let Some(server) = Server::find("postgres") else { return };
    let _shared = shared().await;
    let (pool, direct) = pools(&server, "unsure", Cut::After("COMMIT")).await;
    let retrier = retrier(Classifier::TRANSACTION);
    let result = transaction(&pool)
        .run(&retrier, |tx| {
            Box::pin(async move {
                sqlx::query("INSERT INTO unsure VALUES (500)").execute(&mut **tx).await
            })
        })
        .await;
    let error = result.expect_err("nobody knows");
    assert_eq!(error_kind(&error), ErrorKind::PerhapsCommitted, "{error}");
    assert_eq!(rows(&direct, "unsure").await, 1, "it was carried out");
    assert_eq!(retrier.budget().unwrap().tokens(), 9.0, "a failure is never free");
}

#[tokio::test]
async fn with_an_idempotency_key_it_is_repeated_and_done_once() {
    let Some(server) = Server::find("postgres") else { return };
    let _shared = shared().await;
    let (pool, direct) = pools(&server, "keyed", Cut::After("COMMIT")).await;
    let retrier = retrier(Classifier::IDEMPOTENT_TRANSACTION);
    let mut attempts = 0;
    let result = transaction(&pool)
        .run(&retrier, |tx| {
            attempts += 1;
            Box::pin(async move {
                let stored =
                    sqlx::query("INSERT INTO keyed_keys VALUES ('8e') ON CONFLICT DO NOTHING")
                        .execute(&mut **tx)
                        .await?;
                if stored.rows_affected() == 1 {
                    sqlx::query("INSERT INTO keyed VALUES (500)").execute(&mut **tx).await?;
                }
                Ok::<_, sqlx::Error>(())
            })
        })
        .await;
    assert!(result.is_ok(), "{result:?}");
    assert_eq!((attempts, rows(&direct, "keyed").await), (2, 1));
}

#[tokio::test]
async fn what_is_lost_before_the_commit_is_repeated_without_a_key() {
    let Some(server) = Server::find("postgres") else { return };
    let _shared = shared().await;
    for (table, cut) in [
        ("before_insert", Cut::Before("INSERT")),
        ("after_insert", Cut::After("INSERT")),
        ("before_begin", Cut::Before("BEGIN")),
    ] {
        let (pool, direct) = pools(&server, table, cut).await;
        let retrier = retrier(Classifier::TRANSACTION);
        let insert = &format!("INSERT INTO {table} VALUES (500)");
        let mut attempts = 0;
        let result = transaction(&pool)
            .run(&retrier, |tx| {
                attempts += 1;
                Box::pin(async move {
                    let insert = sqlx::AssertSqlSafe(insert.as_str());
                    sqlx::query(insert).execute(&mut **tx).await
                })
            })
            .await;
        assert!(result.is_ok(), "{table}: {result:?}");
        assert_eq!(rows(&direct, table).await, 1, "{table}");
        assert_eq!(retrier.budget().unwrap().tokens(), 9.1, "{table}");
    }
}
