//! A server that is restarted under load: no write is done twice.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use retry_runtime::{Backoff, Budget, Outcome, Policy, Retrier, retry};
use retry_sqlx::{Classifier, transaction};
use sqlx::mysql::MySqlPoolOptions;
use sqlx::postgres::PgPoolOptions;
use sqlx::{Connection, MySqlPool, PgConnection, PgPool};
use test_servers::Server;

use crate::alone;

const CLIENTS: u32 = 8;

fn policy() -> Policy {
    Policy::new(12)
        .backoff(Backoff::exponential(Duration::from_millis(10), Duration::from_millis(500)))
}

/// Twice the calls in flight times the attempts: no call is throttled by the others.
fn budget() -> Budget {
    Budget::new(2 * CLIENTS * 12, 0.1)
}

/// What eight clients saw, each of whom wrote rows until the servers had been restarted.
#[derive(Debug, Default)]
struct Seen {
    succeeded: AtomicU64,
    /// Ended as failed, because it may have been carried out.
    unsure: AtomicU64,
    /// Ended otherwise without success.
    lost: AtomicU64,
    /// The next row's number, which no row has twice.
    next: AtomicU64,
}

impl Seen {
    fn record<T: std::fmt::Debug, E: std::fmt::Debug>(
        &self,
        result: &Result<T, E>,
        outcome: Outcome,
    ) {
        let counter = match outcome {
            Outcome::Success => &self.succeeded,
            Outcome::Fail => &self.unsure,
            other => {
                eprintln!("{other}: {result:?}");
                &self.lost
            }
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Each number at most once; all that succeeded, and none that were refused.
    fn audit(&self, rows: i64, different: i64) {
        let (succeeded, unsure) =
            (self.succeeded.load(Ordering::Relaxed), self.unsure.load(Ordering::Relaxed));
        assert_eq!(rows, different, "a row was written twice: {self:?}");
        assert!(rows as u64 >= succeeded, "a row was lost: {rows} of {self:?}");
        assert!(rows as u64 <= succeeded + unsure, "{rows} rows, but {self:?}");
        assert_eq!(self.lost.load(Ordering::Relaxed), 0, "{self:?}");
        assert!(succeeded > 20, "{self:?}");
    }
}

/// Runs `client` on eight tasks while the server is restarted twice: in an orderly way,
/// and by a crash.
async fn under_restarts(server: &Server, client: impl AsyncFn(&AtomicBool)) {
    let stop = AtomicBool::new(false);
    let clients = futures_util::future::join_all((0..CLIENTS).map(|_| client(&stop)));
    let restarts = async {
        for crash in [false, true] {
            tokio::time::sleep(Duration::from_millis(300)).await;
            let server = server.clone();
            tokio::task::spawn_blocking(move || {
                if crash {
                    server.kill()
                } else {
                    server.stop()
                }
                server.start();
            })
            .await
            .expect("the server is started");
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
        stop.store(true, Ordering::Relaxed);
    };
    tokio::join!(clients, restarts);
}

/// A pool of a server's, and a table in it for the numbers of rows: made by a pool that waits
/// longer, since a busy machine may need that to connect. The types of the two databases have
/// no bound in common that would be shorter than this.
macro_rules! numbers {
    ($options:ty, $server:expr, $table:expr) => {{
        let patient = <$options>::new().connect($server.address()).await.expect("it answers");
        let table =
            concat!("DROP TABLE IF EXISTS ", $table, "; CREATE TABLE ", $table, " (number BIGINT)");
        sqlx::raw_sql(table).execute(&patient).await.expect("a table");
        patient.close().await;
        <$options>::new()
            .max_connections(CLIENTS)
            .acquire_timeout(Duration::from_millis(500))
            .connect_lazy($server.address())
            .expect("it is an address")
    }};
}

/// Audits what was seen by what is in the table.
macro_rules! audit {
    ($seen:expr, $pool:expr, $table:expr) => {{
        let count = concat!("SELECT count(*), count(DISTINCT number) FROM ", $table);
        let (rows, different): (i64, i64) =
            sqlx::query_as(count).fetch_one(&$pool).await.expect("a count");
        println!("{rows} rows; {:?}", $seen);
        $seen.audit(rows, different);
    }};
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn single_writes_of_postgres_are_never_done_twice() {
    let Some(server) = Server::find("postgres") else { return };
    let _alone = alone().await;
    let pool = numbers!(PgPoolOptions, server, "single_writes");
    let retrier = Retrier::new(policy(), budget(), Classifier::WRITE);

    #[retry(retrier = retrier)]
    async fn write(retrier: &Retrier<Classifier>, pool: &PgPool, number: i64) -> sqlx::Result<()> {
        sqlx::query("INSERT INTO single_writes VALUES ($1)").bind(number).execute(pool).await?;
        Ok(())
    }

    let seen = Seen::default();
    under_restarts(&server, async |stop| {
        while !stop.load(Ordering::Relaxed) {
            let number = seen.next.fetch_add(1, Ordering::Relaxed);
            let result = write(&retrier, &pool, number as i64).await;
            seen.record(&result, retrier.classify(&result));
        }
    })
    .await;
    audit!(seen, pool, "single_writes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transactions_and_reads_of_postgres_go_on_after_a_restart() {
    let Some(server) = Server::find("postgres") else { return };
    let _alone = alone().await;
    let pool = numbers!(PgPoolOptions, server, "transactions");
    let budget = budget();
    let writes = Retrier::new(policy(), &budget, Classifier::TRANSACTION);
    let reads = Retrier::new(policy(), &budget, Classifier::READ);

    #[retry(retrier = reads)]
    async fn count(reads: &Retrier<Classifier, &Budget>, pool: &PgPool) -> sqlx::Result<i64> {
        sqlx::query_scalar("SELECT count(*) FROM transactions").fetch_one(pool).await
    }

    let seen = Seen::default();
    under_restarts(&server, async |stop| {
        while !stop.load(Ordering::Relaxed) {
            let number = seen.next.fetch_add(1, Ordering::Relaxed);
            let mut call = writes.call();
            loop {
                let (result, outcome) = transaction(&pool)
                    .once(Classifier::TRANSACTION, |tx| {
                        Box::pin(async move {
                            sqlx::query("INSERT INTO transactions VALUES ($1)")
                                .bind(number as i64)
                                .execute(&mut **tx)
                                .await
                        })
                    })
                    .await;
                if !call.again(outcome).await {
                    seen.record::<_, sqlx::Error>(&result, outcome);
                    break;
                }
            }
            count(&reads, &pool).await.expect("a read is repeated until the server is back");
        }
    })
    .await;
    audit!(seen, pool, "transactions");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn single_writes_of_mariadb_are_never_done_twice() {
    let Some(server) = Server::find("mariadb") else { return };
    let _alone = alone().await;
    let pool: MySqlPool = numbers!(MySqlPoolOptions, server, "single_writes");
    let retrier = Retrier::new(policy(), budget(), Classifier::WRITE);
    let seen = Seen::default();
    under_restarts(&server, async |stop| {
        while !stop.load(Ordering::Relaxed) {
            let number = seen.next.fetch_add(1, Ordering::Relaxed);
            let mut call = retrier.call();
            loop {
                let result = sqlx::query("INSERT INTO single_writes VALUES (?)")
                    .bind(number as i64)
                    .execute(&pool)
                    .await;
                let outcome = retrier.classify(&result);
                if !call.again(outcome).await {
                    seen.record(&result, outcome);
                    break;
                }
            }
        }
    })
    .await;
    audit!(seen, pool, "single_writes");
}

/// Who connects while the server starts is refused, or told that it starts; each is
/// repeated until it answers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_waits_for_a_server_that_starts() {
    let Some(server) = Server::find("postgres") else { return };
    let _alone = alone().await;
    server.kill();
    let launched = server.clone();
    let launch = tokio::task::spawn_blocking(move || {
        std::thread::sleep(Duration::from_millis(200));
        launched.start();
    });
    let policy = Policy::unlimited()
        .within(Duration::from_secs(30))
        .backoff(Backoff::constant(Duration::from_millis(5)));
    let retrier = Retrier::new(policy, Budget::new(65_536, 1.0), Classifier::WRITE);
    let mut call = retrier.call();
    let connection = loop {
        let result = PgConnection::connect(server.address()).await;
        if !call.again(retrier.classify(&result)).await {
            break result;
        }
    };
    connection.expect("it is repeated until the server answers").close().await.ok();
    assert!(call.attempt() > 10, "the server was not down: {} attempts", call.attempt());
    launch.await.expect("the server is started");
}
