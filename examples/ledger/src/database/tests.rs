//! The ten methods on SQLite, and on PostgreSQL where `.ci/servers` has started it.

use std::time::Duration;

use figment::providers::{Format, Toml};
use test_servers::Server;

use super::Database;
use crate::accounts::{Accounts, Error, Transfer};
use crate::settings::Settings;
use crate::shutdown::Shutdown;

async fn open(url: &str) -> Database {
    let mut settings = Settings::from(Toml::string("")).unwrap();
    settings.database_url = url.to_owned();
    let (sender, shutdown) = Shutdown::by_hand();
    let database = Database::open(&settings, shutdown).await.unwrap();
    drop(sender);
    database
}

fn sqlite() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}?mode=rwc", folder.path().join("ledger.sqlite").display());
    (folder, url)
}

fn transfer(key: &str, payer: Option<i64>, payee: Option<i64>, cents: i64) -> Transfer {
    Transfer { key: key.to_owned(), payer, payee, cents }
}

/// What every database has to do, from account `first` on.
async fn every_method(ledger: &Database, first: i64) {
    let (rent, food) = (first, first + 1);
    let key = |name: &str| format!("{name}-{first}");
    ledger.ping().await.unwrap();
    assert_eq!(ledger.open(rent, "rent").await.unwrap().cents, 0);
    ledger.open(food, "food").await.unwrap();
    ledger.rename(food, "meals").await.unwrap();
    assert!(matches!(ledger.rename(first + 9, "nobody").await, Err(Error::NotFound)));

    let deposit = transfer(&key("deposit"), None, Some(rent), 500);
    ledger.transfer(&deposit).await.unwrap();
    // Asked again with the same key, it is done once.
    ledger.transfer(&deposit).await.unwrap();
    let other = transfer(&deposit.key, None, Some(rent), 501);
    assert!(matches!(ledger.transfer(&other).await, Err(Error::Conflict(_))));
    ledger.transfer(&transfer(&key("move"), Some(rent), Some(food), 200)).await.unwrap();
    let overdrawn = ledger.transfer(&transfer(&key("over"), Some(rent), Some(food), 301)).await;
    assert!(matches!(overdrawn, Err(Error::Overdrawn)), "{overdrawn:?}");
    let unknown = ledger.find(&key("over")).await;
    assert!(matches!(unknown, Err(Error::NotFound)), "it was rolled back: {unknown:?}");

    assert_eq!(ledger.account(rent).await.unwrap().cents, 300);
    assert_eq!(ledger.find(&key("move")).await.unwrap().cents, 200);
    assert_eq!(ledger.history(food).await.unwrap().len(), 1);
    assert_eq!(ledger.history(rent).await.unwrap().len(), 2);
    assert!(matches!(ledger.close(food).await, Err(Error::Conflict(_))));
    ledger.transfer(&transfer(&key("back"), Some(food), None, 200)).await.unwrap();
    ledger.close(food).await.unwrap();
    // Done before: the second time it is gone, too.
    ledger.close(food).await.unwrap();
    let mine = ledger.all().await.unwrap();
    assert!(mine.iter().any(|account| account.id == rent && account.name == "rent"));
    assert!(ledger.total().await.unwrap() >= 300);
    assert_eq!(ledger.reads.budget().unwrap().tokens(), 200.0, "nothing failed");
}

#[tokio::test]
async fn every_method_works_on_sqlite() {
    let (_folder, url) = sqlite();
    every_method(&open(&url).await, 1).await;
}

#[tokio::test]
async fn every_method_works_on_postgres() {
    let Some(server) = Server::find("postgres") else { return };
    let first = i64::from(std::process::id()) * 100;
    every_method(&open(server.address()).await, first).await;
}

/// As a handler spawns them: many at once, on one account.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transfers_at_the_same_time_are_each_done_once() {
    let (_folder, url) = sqlite();
    let ledger = open(&url).await;
    ledger.open(1, "rent").await.unwrap();
    let deposits: Vec<_> = (0..20)
        .map(|number| {
            let ledger = ledger.clone();
            let deposit = transfer(&format!("deposit-{number}"), None, Some(1), 5);
            tokio::spawn(async move { ledger.transfer(&deposit).await })
        })
        .collect();
    for deposit in deposits {
        deposit.await.unwrap().unwrap();
    }
    assert_eq!(ledger.total().await.unwrap(), 100);
}

/// A database that is not there: calls wait, until the service is told to end.
#[tokio::test]
async fn a_shutdown_ends_a_call_that_waits() {
    let mut settings = Settings::from(Toml::string("")).unwrap();
    // A port that nobody listens on.
    settings.database_url = "postgres://nobody@127.0.0.1:9/none".to_owned();
    settings.acquire_timeout = Duration::from_millis(20);
    let (sender, shutdown) = Shutdown::by_hand();
    let opening = tokio::spawn(async move { Database::open(&settings, shutdown).await.map(drop) });
    tokio::time::sleep(Duration::from_millis(50)).await;
    sender.send_replace(true);
    let opened = tokio::time::timeout(Duration::from_secs(2), opening).await;
    let error = opened.expect("it ends").unwrap().unwrap_err();
    assert!(error.to_string().contains("database"), "{error}");
}
