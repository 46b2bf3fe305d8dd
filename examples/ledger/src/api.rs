//! The service over HTTP. It knows nothing of databases and retries.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use serde::Deserialize;

use crate::accounts::{Account, Accounts, Error, Result, Transfer};

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let status = match self {
            Error::NotFound => StatusCode::NOT_FOUND,
            Error::Overdrawn | Error::Conflict(_) => StatusCode::CONFLICT,
            Error::Database(_) => StatusCode::SERVICE_UNAVAILABLE,
        };
        (status, self.to_string()).into_response()
    }
}

#[derive(Deserialize)]
struct Name {
    name: String,
}

/// The service's routes. `metrics` renders `/metrics`.
pub fn router<A: Accounts>(
    accounts: A,
    metrics: impl Fn() -> String + Clone + Send + Sync + 'static,
) -> Router {
    Router::new()
        .route("/accounts", get(all::<A>))
        .route("/accounts/{id}", get(account::<A>).put(open::<A>).delete(close::<A>))
        .route("/accounts/{id}/name", put(rename::<A>))
        .route("/accounts/{id}/transfers", get(history::<A>))
        .route("/transfers", post(transfer::<A>))
        .route("/transfers/{key}", get(find::<A>))
        .route("/total", get(total::<A>))
        .route("/health", get(health::<A>))
        .route("/metrics", get(async move || metrics()))
        .with_state(accounts)
}

async fn all<A: Accounts>(State(accounts): State<A>) -> Result<Json<Vec<Account>>> {
    accounts.all().await.map(Json)
}

async fn account<A: Accounts>(
    State(accounts): State<A>,
    Path(id): Path<i64>,
) -> Result<Json<Account>> {
    accounts.account(id).await.map(Json)
}

async fn open<A: Accounts>(
    State(accounts): State<A>,
    Path(id): Path<i64>,
    Json(body): Json<Name>,
) -> Result<Json<Account>> {
    accounts.open(id, &body.name).await.map(Json)
}

async fn close<A: Accounts>(State(accounts): State<A>, Path(id): Path<i64>) -> Result<StatusCode> {
    accounts.close(id).await.map(|()| StatusCode::NO_CONTENT)
}

async fn rename<A: Accounts>(
    State(accounts): State<A>,
    Path(id): Path<i64>,
    Json(body): Json<Name>,
) -> Result<StatusCode> {
    accounts.rename(id, &body.name).await.map(|()| StatusCode::NO_CONTENT)
}

async fn history<A: Accounts>(
    State(accounts): State<A>,
    Path(id): Path<i64>,
) -> Result<Json<Vec<Transfer>>> {
    accounts.history(id).await.map(Json)
}

async fn transfer<A: Accounts>(
    State(accounts): State<A>,
    Json(transfer): Json<Transfer>,
) -> Result<StatusCode> {
    if transfer.cents <= 0 || (transfer.payer, transfer.payee) == (None, None) {
        return Err(Error::Conflict("a transfer has cents, and a payer or a payee"));
    }
    accounts.transfer(&transfer).await.map(|()| StatusCode::NO_CONTENT)
}

async fn find<A: Accounts>(
    State(accounts): State<A>,
    Path(key): Path<String>,
) -> Result<Json<Transfer>> {
    accounts.find(&key).await.map(Json)
}

async fn total<A: Accounts>(State(accounts): State<A>) -> Result<String> {
    accounts.total().await.map(|cents| cents.to_string())
}

async fn health<A: Accounts>(State(accounts): State<A>) -> Result<StatusCode> {
    accounts.ping().await.map(|()| StatusCode::NO_CONTENT)
}

#[cfg(test)]
mod tests;
