//! Single inserts by eight clients, while the server is restarted twice: once in an orderly way,
//! once by a crash.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use backon::Retryable;
use retry_runtime::{Backoff, Budget, NoBudget, Policy, Retrier, SharedBudget};
use retry_sqlx::Classifier;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use test_servers::Server;

const CLIENTS: u32 = 8;
const ATTEMPTS: u32 = 12;
const FIRST_WAIT: Duration = Duration::from_millis(10);
const LONGEST_WAIT: Duration = Duration::from_millis(500);

/// What became of the inserts of one variant.
pub struct Rows {
    variant: &'static str,
    succeeded: u64,
    failed: u64,
    twice: i64,
    tokens: Option<(f64, u32)>,
}

impl Rows {
    pub const HEADING: &str =
        "variant                     succeeded  failed  rows twice  tokens left";
}

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rows { variant, succeeded, failed, twice, tokens } = self;
        write!(f, "{variant:<27} {succeeded:>9}  {failed:>6}  {twice:>10}  ")?;
        match tokens {
            Some((left, of)) => write!(f, "{left:>5.1} of {of}"),
            None => write!(f, "          -"),
        }
    }
}

/// Every variant under two restarts each.
pub async fn compare(server: &Server) -> Vec<Rows> {
    // Twice the calls in flight times the attempts: no call is throttled by the others.
    let budget = Budget::new(2 * CLIENTS * ATTEMPTS, 0.1);
    let mut all = vec![retried(server, "write", budget, Classifier::WRITE).await];
    all.push(retried(server, "write, no budget", NoBudget, Classifier::WRITE).await);
    all.push(backon(server).await);
    all
}

/// As retry-sqlx has it: what may have been carried out ends the call.
async fn retried(
    server: &Server,
    variant: &'static str,
    budget: impl SharedBudget,
    classifier: Classifier,
) -> Rows {
    let policy = Policy::new(ATTEMPTS).backoff(Backoff::exponential(FIRST_WAIT, LONGEST_WAIT));
    let retrier = Retrier::new(policy, budget, classifier);
    let rows = under_restarts(server, variant, async |pool, number| {
        let mut call = retrier.call();
        loop {
            let result = insert(pool, number).await;
            if !call.again(retrier.classify(&result)).await {
                break result;
            }
        }
    })
    .await;
    let tokens = retrier.budget().map(|budget| (budget.tokens(), budget.max_tokens()));
    Rows { tokens, ..rows }
}

/// Every error is repeated, as without a classifier.
async fn backon(server: &Server) -> Rows {
    let waits = backon::ExponentialBuilder::default()
        .with_min_delay(FIRST_WAIT)
        .with_max_delay(LONGEST_WAIT)
        .with_max_times(ATTEMPTS as usize - 1)
        .with_jitter();
    under_restarts(server, "backon, every error", async |pool, number| {
        (async || insert(pool, number).await).retry(waits).await
    })
    .await
}

async fn insert(pool: &PgPool, number: u64) -> sqlx::Result<()> {
    sqlx::query("INSERT INTO restarts VALUES ($1)").bind(number as i64).execute(pool).await?;
    Ok(())
}

async fn under_restarts(
    server: &Server,
    variant: &'static str,
    call: impl AsyncFn(&PgPool, u64) -> sqlx::Result<()>,
) -> Rows {
    let pool = &PgPoolOptions::new()
        .max_connections(CLIENTS)
        .acquire_timeout(LONGEST_WAIT)
        .connect(server.address())
        .await
        .expect("the server answers");
    sqlx::raw_sql("DROP TABLE IF EXISTS restarts; CREATE TABLE restarts (number BIGINT)")
        .execute(pool)
        .await
        .expect("a table");
    let (stop, next) = (&AtomicBool::new(false), &AtomicU64::new(0));
    let (succeeded, failed) = (&AtomicU64::new(0), &AtomicU64::new(0));
    let client = async || {
        while !stop.load(Ordering::Relaxed) {
            let result = call(pool, next.fetch_add(1, Ordering::Relaxed)).await;
            let counter = if result.is_ok() { succeeded } else { failed };
            counter.fetch_add(1, Ordering::Relaxed);
        }
    };
    let clients = futures_util::future::join_all((0..CLIENTS).map(|_| client()));
    let restarts = async {
        for crash in [false, true] {
            tokio::time::sleep(Duration::from_millis(500)).await;
            let server = server.clone();
            let restart = move || {
                if crash {
                    server.kill()
                } else {
                    server.stop()
                }
                server.start();
            };
            tokio::task::spawn_blocking(restart).await.expect("the server is started");
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
        stop.store(true, Ordering::Relaxed);
    };
    tokio::join!(clients, restarts);
    let twice = sqlx::query_scalar("SELECT count(*) - count(DISTINCT number) FROM restarts")
        .fetch_one(pool)
        .await
        .expect("a count");
    let (succeeded, failed) = (succeeded.load(Ordering::Relaxed), failed.load(Ordering::Relaxed));
    Rows { variant, succeeded, failed, twice, tokens: None }
}
