//! Databases whose transactions can be repeated.

use std::future::{Future, ready};

use sqlx::Database;

/// Databases that [`transaction`](crate::transaction) knows: PostgreSQL, MySQL with
/// MariaDB, SQLite, and `Any`, each with the feature of its name. Another driver implements it
/// for its own.
#[diagnostic::on_unimplemented(
    message = "retry-sqlx does not know transactions of `{Self}`",
    note = "enable the feature `postgres`, `mysql`, `sqlite` or `any` of retry-sqlx"
)]
pub trait Backend: Database {
    /// Fails if `COMMIT` would roll the transaction back without an error.
    fn check(connection: &mut Self::Connection) -> impl Future<Output = sqlx::Result<()>> + Send {
        let _ = connection;
        ready(Ok(()))
    }
}

#[cfg(feature = "postgres")]
impl Backend for sqlx::Postgres {
    /// `COMMIT` of a transaction that has failed is a `ROLLBACK`, and only its command
    /// tag says so (PostgreSQL's manual, COMMIT), which sqlx does not show. A body that
    /// has swallowed an error would seem to have succeeded. Any statement is refused
    /// then, with 25P02.
    async fn check(connection: &mut sqlx::PgConnection) -> sqlx::Result<()> {
        sqlx::Executor::execute(connection, sqlx::raw_sql("SELECT 1")).await.map(drop)
    }
}

#[cfg(feature = "any")]
impl Backend for sqlx::Any {
    /// It may be PostgreSQL.
    async fn check(connection: &mut sqlx::AnyConnection) -> sqlx::Result<()> {
        sqlx::Executor::execute(connection, sqlx::raw_sql("SELECT 1")).await.map(drop)
    }
}

#[cfg(feature = "mysql")]
impl Backend for sqlx::MySql {}

#[cfg(feature = "sqlite")]
impl Backend for sqlx::Sqlite {}
