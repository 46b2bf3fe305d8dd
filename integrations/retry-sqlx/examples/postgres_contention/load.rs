//! Serializable transfers between few accounts, by many clients, and what becomes of them.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use backon::Retryable;
use retry_runtime::sql::ErrorKind;
use retry_runtime::{Backoff, Budget, NoBudget, Outcome, Policy, Retrier, SharedBudget};
use retry_sqlx::{BoxFuture, Classifier, WholeTransaction, error_kind, transaction};
use sqlx::postgres::PgPoolOptions;
use sqlx::{PgPool, Postgres, Transaction};
use tokio::time::Instant;

const CLIENTS: u64 = 20;
const ACCOUNTS: u64 = 10;
const OPENING: i64 = 1_000_000;
/// How long the clients begin new calls.
const LOAD: Duration = Duration::from_secs(2);
const TOKENS: u32 = 100;
const FIRST_WAIT: Duration = Duration::from_millis(10);
const LONGEST_WAIT: Duration = Duration::from_millis(500);

/// The policy of every variant, with the waits of this load.
pub const fn of(policy: Policy) -> Policy {
    policy.backoff(Backoff::exponential(FIRST_WAIT, LONGEST_WAIT))
}

/// How a conflict is retried.
#[derive(Clone, Debug)]
pub enum Retries {
    /// As retry-sqlx has it: free of charge.
    Free(Policy),
    /// Like any other failure: a token each.
    Paid(Policy),
    /// Without a budget.
    Unlimited(Policy),
    /// By backon, with as many attempts and the same waits.
    Backon(u32),
}

/// What became of the calls of one variant.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    pub variant: &'static str,
    pub succeeded: u64,
    pub failed: u64,
    pub conflicts: u64,
    pub tokens: f64,
    pub tokens_left: f64,
}

impl Figures {
    pub const HEADING: &str =
        "variant                     succeeded  failed  share  conflicts  tokens left";

    pub const fn calls(&self) -> u64 {
        self.succeeded + self.failed
    }

    pub fn failed_share(&self) -> f64 {
        self.failed as f64 / self.calls().max(1) as f64
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:<27} {:>9}  {:>6}  {:>4.1}%  {:>9}  ",
            self.variant,
            self.succeeded,
            self.failed,
            100.0 * self.failed_share(),
            self.conflicts,
        )?;
        if self.tokens == 0.0 {
            return write!(f, "          -");
        }
        write!(f, "{:>5.1} of {}", self.tokens_left, self.tokens)
    }
}

/// Accounts, and a row for each transfer that was carried out.
pub struct Ledger {
    pool: PgPool,
    schema: String,
}

impl Ledger {
    pub async fn open(address: &str, schema: &str) -> Ledger {
        let in_schema = format!("SET search_path TO {schema}");
        let pool = PgPoolOptions::new()
            .max_connections(CLIENTS as u32)
            .after_connect(move |connection, _| {
                let in_schema = in_schema.clone();
                Box::pin(async move {
                    sqlx::raw_sql(sqlx::AssertSqlSafe(in_schema)).execute(connection).await?;
                    Ok(())
                })
            })
            .connect(address)
            .await
            .expect("the server answers");
        let tables = format!(
            "DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema};
             CREATE TABLE {schema}.accounts (id BIGINT PRIMARY KEY, cents BIGINT NOT NULL);
             CREATE TABLE {schema}.transfers (client BIGINT NOT NULL, number BIGINT NOT NULL);
             INSERT INTO {schema}.accounts SELECT n, {OPENING} FROM generate_series(0, {}) n",
            ACCOUNTS - 1,
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(tables)).execute(&pool).await.expect("tables are made");
        Ledger { pool, schema: schema.to_owned() }
    }

    /// Lets the clients transfer for a while, and waits until their last calls have ended.
    pub async fn load(&self, retries: &Retries) -> Figures {
        match *retries {
            Retries::Free(policy) => self.retried("free", policy, budget(), 0).await,
            Retries::Paid(policy) => self.retried("paid", policy, budget(), 1).await,
            Retries::Unlimited(policy) => self.retried("no budget", policy, NoBudget, 2).await,
            Retries::Backon(attempts) => self.backon(attempts).await,
        }
    }

    async fn retried(
        &self,
        variant: &'static str,
        policy: Policy,
        budget: impl SharedBudget + Send + Sync,
        run: u64,
    ) -> Figures {
        let retrier = Retrier::new(policy, budget, Classifier::TRANSACTION);
        let conflicts = AtomicU64::new(0);
        let is_paid = variant == "paid";
        let (succeeded, failed) = self
            .clients(run, async |client, number| {
                let mut call = retrier.call();
                loop {
                    let (result, outcome) = self
                        .serializable()
                        .once(*retrier.classifier(), |tx| transfer(tx, client, number))
                        .await;
                    count(&conflicts, &result);
                    let outcome =
                        if is_paid && outcome.asks_again() { Outcome::Retry } else { outcome };
                    if !call.again(outcome).await {
                        break result;
                    }
                }
            })
            .await;
        let budget = retrier.budget();
        Figures {
            variant,
            succeeded,
            failed,
            conflicts: conflicts.into_inner(),
            tokens: budget.map_or(0.0, |budget| f64::from(budget.max_tokens())),
            tokens_left: budget.map_or(0.0, Budget::tokens),
        }
    }

    async fn backon(&self, attempts: u32) -> Figures {
        let waits = backon::ExponentialBuilder::default()
            .with_min_delay(FIRST_WAIT)
            .with_max_delay(LONGEST_WAIT)
            .with_max_times(attempts as usize - 1)
            .with_jitter();
        let conflicts = AtomicU64::new(0);
        let (succeeded, failed) = self
            .clients(3, async |client, number| {
                let attempt = async || {
                    let once = self.serializable();
                    let (result, _) =
                        once.once(Classifier::TRANSACTION, |tx| transfer(tx, client, number)).await;
                    count(&conflicts, &result);
                    result
                };
                attempt
                    .retry(waits)
                    .when(|error| Classifier::TRANSACTION.classify_error(error).asks_again())
                    .await
            })
            .await;
        Figures {
            variant: "backon",
            succeeded,
            failed,
            conflicts: conflicts.into_inner(),
            ..Figures::default()
        }
    }

    fn serializable(&self) -> WholeTransaction<'_, Postgres> {
        transaction(&self.pool).begin_with("BEGIN ISOLATION LEVEL SERIALIZABLE")
    }

    /// Calls that succeeded and failed. `run` tells the rows of the variants apart.
    async fn clients(
        &self,
        run: u64,
        call: impl AsyncFn(u64, u64) -> sqlx::Result<()>,
    ) -> (u64, u64) {
        let end = Instant::now() + LOAD;
        let mut clients = Vec::new();
        for client in run * CLIENTS..(run + 1) * CLIENTS {
            let call = &call;
            clients.push(async move {
                let (mut succeeded, mut failed) = (0, 0);
                while Instant::now() < end {
                    match call(client, succeeded + failed).await {
                        Ok(()) => succeeded += 1,
                        Err(_) => failed += 1,
                    }
                }
                (succeeded, failed)
            });
        }
        let all = futures_util::future::join_all(clients).await;
        all.iter().fold((0, 0), |(s, f), (succeeded, failed)| (s + succeeded, f + failed))
    }

    /// No cent was lost, and each call that succeeded was carried out once, no other.
    pub async fn audit(&self, runs: &[Figures]) {
        let cents: i64 = sqlx::query_scalar("SELECT sum(cents)::BIGINT FROM accounts")
            .fetch_one(&self.pool)
            .await
            .expect("a sum");
        assert_eq!(cents, OPENING * ACCOUNTS as i64, "{}", self.schema);
        let (rows, different): (i64, i64) =
            sqlx::query_as("SELECT count(*), count(DISTINCT (client, number)) FROM transfers")
                .fetch_one(&self.pool)
                .await
                .expect("a count");
        assert_eq!(rows, different, "a transfer was carried out twice");
        let succeeded: u64 = runs.iter().map(|figures| figures.succeeded).sum();
        assert_eq!(rows as u64, succeeded, "a call that failed was carried out, or one was lost");
    }
}

fn budget() -> Budget {
    Budget::new(TOKENS, 0.1)
}

fn count(conflicts: &AtomicU64, result: &sqlx::Result<()>) {
    if result.as_ref().is_err_and(|error| error_kind(error) == ErrorKind::Conflict) {
        conflicts.fetch_add(1, Ordering::Relaxed);
    }
}

fn transfer<'t>(
    tx: &'t mut Transaction<'_, Postgres>,
    client: u64,
    number: u64,
) -> BoxFuture<'t, sqlx::Result<()>> {
    // Two different accounts, spread over all of them.
    let from = (client * 7 + number * 3) % ACCOUNTS;
    let to = (from + 1 + (client + number) % (ACCOUNTS - 1)) % ACCOUNTS;
    Box::pin(async move {
        for (account, cents) in [(from, -1), (to, 1)] {
            let balance: i64 = sqlx::query_scalar("SELECT cents FROM accounts WHERE id = $1")
                .bind(account as i64)
                .fetch_one(&mut **tx)
                .await?;
            sqlx::query("UPDATE accounts SET cents = $1 WHERE id = $2")
                .bind(balance + cents)
                .bind(account as i64)
                .execute(&mut **tx)
                .await?;
        }
        sqlx::query("INSERT INTO transfers VALUES ($1, $2)")
            .bind(client as i64)
            .bind(number as i64)
            .execute(&mut **tx)
            .await?;
        Ok(())
    })
}
