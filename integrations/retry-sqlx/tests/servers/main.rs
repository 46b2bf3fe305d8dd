//! The classifiers and transactions against real servers: `.ci/servers run cargo test -p
//! retry-sqlx`. Times are limits that only a fault reaches; what is asserted are counts.

mod commit;
mod contention;
mod mariadb;
mod postgres;
mod restart;
mod transactions;

use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Tests that restart a server are alone with it.
static SERVERS: RwLock<()> = RwLock::const_new(());

async fn shared() -> RwLockReadGuard<'static, ()> {
    SERVERS.read().await
}

async fn alone() -> RwLockWriteGuard<'static, ()> {
    SERVERS.write().await
}
