//! The service without a database: accounts in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::http::{Request, StatusCode};
use tower::ServiceExt;

use super::router;
use crate::accounts::{Account, Accounts, Error, Result, Transfer};

/// Accounts in memory, which can be told to fail.
#[derive(Clone, Default)]
struct InMemory {
    accounts: Arc<Mutex<BTreeMap<i64, Account>>>,
    is_down: bool,
}

impl InMemory {
    fn read<T>(&self, read: impl FnOnce(&mut BTreeMap<i64, Account>) -> Result<T>) -> Result<T> {
        if self.is_down {
            return Err(Error::Database(sqlx::Error::PoolTimedOut));
        }
        read(&mut self.accounts.lock().unwrap())
    }
}

impl Accounts for InMemory {
    async fn open(&self, id: i64, name: &str) -> Result<Account> {
        let account = Account { id, name: name.to_owned(), cents: 500 };
        self.read(|accounts| Ok(accounts.entry(id).or_insert(account).clone()))
    }

    async fn all(&self) -> Result<Vec<Account>> {
        self.read(|accounts| Ok(accounts.values().cloned().collect()))
    }

    async fn account(&self, id: i64) -> Result<Account> {
        self.read(|accounts| accounts.get(&id).cloned().ok_or(Error::NotFound))
    }

    async fn rename(&self, id: i64, name: &str) -> Result<()> {
        self.read(|accounts| {
            accounts.get_mut(&id).ok_or(Error::NotFound)?.name = name.to_owned();
            Ok(())
        })
    }

    async fn close(&self, id: i64) -> Result<()> {
        self.read(|accounts| accounts.remove(&id).map(drop).ok_or(Error::NotFound))
    }

    async fn history(&self, _: i64) -> Result<Vec<Transfer>> {
        Ok(Vec::new())
    }

    async fn find(&self, _: &str) -> Result<Transfer> {
        Err(Error::NotFound)
    }

    async fn total(&self) -> Result<i64> {
        self.read(|accounts| Ok(accounts.values().map(|account| account.cents).sum()))
    }

    async fn transfer(&self, transfer: &Transfer) -> Result<()> {
        self.read(|accounts| {
            let account = transfer.payer.and_then(|payer| accounts.get_mut(&payer));
            let account = account.ok_or(Error::NotFound)?;
            if account.cents < transfer.cents {
                return Err(Error::Overdrawn);
            }
            account.cents -= transfer.cents;
            Ok(())
        })
    }

    async fn ping(&self) -> Result<()> {
        self.read(|_| Ok(()))
    }
}

async fn ask(accounts: &InMemory, method: &str, path: &str, body: &str) -> (StatusCode, String) {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("content-type", "application/json")
        .body(Body::from(body.to_owned()))
        .unwrap();
    let metrics = || "retry_calls 1".to_owned();
    let response = router(accounts.clone(), metrics).oneshot(request).await.unwrap();
    let status = response.status();
    let bytes = axum::body::to_bytes(response.into_body(), 1 << 16).await.unwrap();
    (status, String::from_utf8(bytes.to_vec()).unwrap())
}

#[tokio::test]
async fn accounts_are_opened_renamed_and_closed() {
    let accounts = InMemory::default();
    let (status, body) = ask(&accounts, "PUT", "/accounts/1", r#"{"name":"rent"}"#).await;
    assert_eq!((status, &*body), (StatusCode::OK, r#"{"id":1,"name":"rent","cents":500}"#));
    let renamed = ask(&accounts, "PUT", "/accounts/1/name", r#"{"name":"food"}"#).await;
    assert_eq!(renamed.0, StatusCode::NO_CONTENT);
    assert!(ask(&accounts, "GET", "/accounts/1", "").await.1.contains("food"));
    assert_eq!(ask(&accounts, "DELETE", "/accounts/1", "").await.0, StatusCode::NO_CONTENT);
    assert_eq!(ask(&accounts, "GET", "/accounts/1", "").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_transfer_that_cannot_be_is_a_conflict() {
    let accounts = InMemory::default();
    accounts.open(1, "rent").await.unwrap();
    let transfer = |cents: i64| format!(r#"{{"key":"8e","payer":1,"payee":null,"cents":{cents}}}"#);
    for (cents, status) in [
        (200, StatusCode::NO_CONTENT),
        (301, StatusCode::CONFLICT),
        (0, StatusCode::CONFLICT),
        (-1, StatusCode::CONFLICT),
    ] {
        let answer = ask(&accounts, "POST", "/transfers", &transfer(cents)).await;
        assert_eq!(answer.0, status, "{cents}: {}", answer.1);
    }
}

#[tokio::test]
async fn a_database_that_is_down_is_503_and_says_nothing_of_itself() {
    let accounts = InMemory { is_down: true, ..InMemory::default() };
    let (status, body) = ask(&accounts, "GET", "/accounts", "").await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(!body.contains("pool"), "{body}");
    assert_eq!(ask(&accounts, "GET", "/health", "").await.0, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(ask(&accounts, "GET", "/metrics", "").await.1, "retry_calls 1");
}
