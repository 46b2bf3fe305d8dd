//! Accounts, transfers, and what can be done with them: the service's own words.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An account, whose cents are never negative.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Account {
    pub id: i64,
    pub name: String,
    pub cents: i64,
}

/// A transfer that was carried out; a deposit has no `payer`, a withdrawal no `payee`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transfer {
    /// Made by the client before it asks for the first time, and the same each time: what
    /// makes it harmless to ask again.
    pub key: String,
    pub payer: Option<i64>,
    pub payee: Option<i64>,
    pub cents: i64,
}

#[derive(Debug)]
pub enum Error {
    NotFound,
    Overdrawn,
    /// The key stands for another transfer, or the account is not empty.
    Conflict(&'static str),
    Database(sqlx::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotFound => f.write_str("there is no such account or transfer"),
            Error::Overdrawn => f.write_str("the account has not enough"),
            Error::Conflict(why) => f.write_str(why),
            // Its text is for the log, not for the client.
            Error::Database(_) => f.write_str("the database did not answer as it should"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Database(error) => Some(error),
            _ => None,
        }
    }
}

pub type Result<T> = std::result::Result<T, Error>;

/// Where accounts are kept: a database, or a table in memory for a test.
pub trait Accounts: Clone + Send + Sync + 'static {
    fn open(&self, id: i64, name: &str) -> impl Future<Output = Result<Account>> + Send;
    fn all(&self) -> impl Future<Output = Result<Vec<Account>>> + Send;
    fn account(&self, id: i64) -> impl Future<Output = Result<Account>> + Send;
    fn rename(&self, id: i64, name: &str) -> impl Future<Output = Result<()>> + Send;
    fn close(&self, id: i64) -> impl Future<Output = Result<()>> + Send;
    fn history(&self, id: i64) -> impl Future<Output = Result<Vec<Transfer>>> + Send;
    fn find(&self, key: &str) -> impl Future<Output = Result<Transfer>> + Send;
    fn total(&self) -> impl Future<Output = Result<i64>> + Send;
    fn transfer(&self, transfer: &Transfer) -> impl Future<Output = Result<()>> + Send;
    fn ping(&self) -> impl Future<Output = Result<()>> + Send;
}
