//! Accounts in a database. Each method is one call: its attempts, budget and waits are those
//! of a `Retrier` in a field, and SIGTERM ends what waits.

use std::sync::Arc;

use retry_runtime::{Budget, Policy, Retrier, retry};
use retry_sqlx::{Classifier, SqlxError, transaction};
use sqlx::any::{AnyPoolOptions, AnyRow, install_default_drivers};
use sqlx::{Any, AnyPool, Executor, FromRow, Row, Transaction};

use crate::accounts::{Account, Accounts, Error, Result, Transfer};
use crate::settings::Settings;
use crate::shutdown::Shutdown;

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Error {
        match error {
            sqlx::Error::RowNotFound => Error::NotFound,
            error => Error::Database(error),
        }
    }
}

/// What is not the database's error ends the call.
impl SqlxError for Error {
    fn sqlx_error(&self) -> Option<&sqlx::Error> {
        match self {
            Error::Database(error) => Some(error),
            _ => None,
        }
    }
}

impl FromRow<'_, AnyRow> for Account {
    fn from_row(row: &AnyRow) -> sqlx::Result<Account> {
        let (id, name, cents) = (row.try_get("id")?, row.try_get("name")?, row.try_get("cents")?);
        Ok(Account { id, name, cents })
    }
}

impl FromRow<'_, AnyRow> for Transfer {
    fn from_row(row: &AnyRow) -> sqlx::Result<Transfer> {
        let (key, cents) = (row.try_get("key")?, row.try_get("cents")?);
        let (payer, payee) = (row.try_get("payer")?, row.try_get("payee")?);
        Ok(Transfer { key, payer, payee, cents })
    }
}

/// One budget for the database, shared by the retriers of all its calls.
type Shared = Retrier<Classifier, Arc<Budget>>;

/// Accounts in SQLite or PostgreSQL.
#[derive(Clone)]
pub struct Database {
    pool: AnyPool,
    /// How a transaction begins.
    begin: &'static str,
    reads: Arc<Shared>,
    writes: Arc<Shared>,
    moves: Arc<Shared>,
    shutdown: Shutdown,
}

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS accounts (
        id BIGINT PRIMARY KEY, name TEXT NOT NULL, cents BIGINT NOT NULL CHECK (cents >= 0)
    );
    CREATE TABLE IF NOT EXISTS transfers (
        key TEXT PRIMARY KEY, payer BIGINT, payee BIGINT, cents BIGINT NOT NULL
    )";

impl Database {
    /// Opens the database of the settings, and makes its tables.
    pub async fn open(
        settings: &Settings,
        shutdown: Shutdown,
    ) -> std::result::Result<Database, crate::Error> {
        install_default_drivers();
        let pool = AnyPoolOptions::new()
            .max_connections(settings.connections)
            .acquire_timeout(settings.acquire_timeout)
            .connect_lazy(&settings.database_url)?;
        let begin = if settings.database_url.starts_with("sqlite:") {
            // The lock for writing at once: one that is taken in the middle may find its
            // snapshot stale.
            "BEGIN IMMEDIATE"
        } else {
            "BEGIN ISOLATION LEVEL SERIALIZABLE"
        };
        let budget = Arc::new(Budget::from_config(&settings.budget)?.named("ledger"));
        let retrier =
            |policy: Policy, classifier| Arc::new(Retrier::new(policy, budget.clone(), classifier));
        let database = Database {
            pool,
            begin,
            reads: retrier(settings.reads, Classifier::READ),
            writes: retrier(settings.writes, Classifier::IDEMPOTENT_WRITE),
            // Each transfer has a key of its client's.
            moves: retrier(settings.writes, Classifier::IDEMPOTENT_TRANSACTION),
            shutdown,
        };
        database.make_tables().await?;
        Ok(database)
    }

    /// The database may start at the same time: the first call waits for it, like any other.
    #[retry(retrier = self.writes, cancel = self.shutdown.requested(), name = "ledger.make_tables")]
    async fn make_tables(&self) -> Result<()> {
        self.pool.execute(sqlx::raw_sql(TABLES)).await?;
        Ok(())
    }
}

/// The keys of the block are those of each marked method; its own go before.
#[retry(retrier = self.reads, cancel = self.shutdown.requested())]
impl Accounts for Database {
    #[retry(retrier = self.writes, name = "ledger.open")]
    async fn open(&self, id: i64, name: &str) -> Result<Account> {
        sqlx::query("INSERT INTO accounts VALUES ($1, $2, 0) ON CONFLICT (id) DO NOTHING")
            .bind(id)
            .bind(name)
            .execute(&self.pool)
            .await?;
        let sql = "SELECT id, name, cents FROM accounts WHERE id = $1";
        Ok(sqlx::query_as(sql).bind(id).fetch_one(&self.pool).await?)
    }

    #[retry(name = "ledger.all")]
    async fn all(&self) -> Result<Vec<Account>> {
        let sql = "SELECT id, name, cents FROM accounts ORDER BY id LIMIT 1000";
        Ok(sqlx::query_as(sql).fetch_all(&self.pool).await?)
    }

    #[retry(name = "ledger.account")]
    async fn account(&self, id: i64) -> Result<Account> {
        let sql = "SELECT id, name, cents FROM accounts WHERE id = $1";
        Ok(sqlx::query_as(sql).bind(id).fetch_one(&self.pool).await?)
    }

    #[retry(retrier = self.writes, name = "ledger.rename")]
    async fn rename(&self, id: i64, name: &str) -> Result<()> {
        let renamed = sqlx::query("UPDATE accounts SET name = $1 WHERE id = $2")
            .bind(name)
            .bind(id)
            .execute(&self.pool)
            .await?;
        if renamed.rows_affected() == 0 { Err(Error::NotFound) } else { Ok(()) }
    }

    #[retry(retrier = self.writes, name = "ledger.close")]
    async fn close(&self, id: i64) -> Result<()> {
        sqlx::query("DELETE FROM accounts WHERE id = $1 AND cents = 0")
            .bind(id)
            .execute(&self.pool)
            .await?;
        // Whatever the attempts before have done: it is to be gone.
        let left = sqlx::query("SELECT id FROM accounts WHERE id = $1")
            .bind(id)
            .fetch_optional(&self.pool)
            .await?;
        if left.is_some() { Err(Error::Conflict("the account is not empty")) } else { Ok(()) }
    }

    #[retry(name = "ledger.history")]
    async fn history(&self, id: i64) -> Result<Vec<Transfer>> {
        let sql = "SELECT key, payer, payee, cents FROM transfers WHERE payer = $1 OR payee = $1
                   LIMIT 1000";
        Ok(sqlx::query_as(sql).bind(id).fetch_all(&self.pool).await?)
    }

    #[retry(name = "ledger.find")]
    async fn find(&self, key: &str) -> Result<Transfer> {
        let sql = "SELECT key, payer, payee, cents FROM transfers WHERE key = $1";
        Ok(sqlx::query_as(sql).bind(key).fetch_one(&self.pool).await?)
    }

    #[retry(name = "ledger.total")]
    async fn total(&self) -> Result<i64> {
        let sql = "SELECT CAST(COALESCE(SUM(cents), 0) AS BIGINT) FROM accounts";
        Ok(sqlx::query_scalar(sql).fetch_one(&self.pool).await?)
    }

    #[retry(retrier = self.moves, attempt = attempt, name = "ledger.transfer")]
    async fn transfer(&self, transfer: &Transfer) -> Result<()> {
        // The whole transaction is the attempt, and knows what its result means.
        let whole = transaction(&self.pool).begin_with(self.begin);
        let (result, outcome) =
            whole.once(*self.moves.classifier(), |tx| Box::pin(carry_out(tx, transfer))).await;
        attempt.judge(outcome);
        result
    }

    #[retry(attempts = 2, name = "ledger.ping")]
    async fn ping(&self) -> Result<()> {
        self.pool.execute("SELECT 1").await?;
        Ok(())
    }
}

/// The steps of a transfer. None of them is retried by itself.
async fn carry_out(tx: &mut Transaction<'_, Any>, transfer: &Transfer) -> Result<()> {
    let stored =
        sqlx::query("INSERT INTO transfers VALUES ($1, $2, $3, $4) ON CONFLICT (key) DO NOTHING")
            .bind(&transfer.key)
            .bind(transfer.payer)
            .bind(transfer.payee)
            .bind(transfer.cents)
            .execute(&mut **tx)
            .await?;
    if stored.rows_affected() == 0 {
        let sql = "SELECT key, payer, payee, cents FROM transfers WHERE key = $1";
        let before: Transfer = sqlx::query_as(sql).bind(&transfer.key).fetch_one(&mut **tx).await?;
        if before == *transfer {
            return Ok(()); // It was carried out before.
        }
        return Err(Error::Conflict("the key stands for another transfer"));
    }
    for (account, cents) in [(transfer.payer, -transfer.cents), (transfer.payee, transfer.cents)] {
        let Some(id) = account else { continue };
        let sql = "SELECT cents FROM accounts WHERE id = $1";
        let balance: i64 = sqlx::query_scalar(sql).bind(id).fetch_one(&mut **tx).await?;
        if balance + cents < 0 {
            return Err(Error::Overdrawn);
        }
        sqlx::query("UPDATE accounts SET cents = $1 WHERE id = $2")
            .bind(balance + cents)
            .bind(id)
            .execute(&mut **tx)
            .await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
