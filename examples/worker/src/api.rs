//! The API that the jobs are for: a client, and a server on loopback that misbehaves.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use retry_runtime::Outcome;
use tokio::net::TcpListener;

/// Sends jobs. Charges carry an idempotency key, the job's name; letters cannot.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    url: String,
}

impl Client {
    pub fn new(url: String) -> reqwest::Result<Client> {
        let http = reqwest::Client::builder()
            .no_proxy()
            .timeout(Duration::from_secs(2))
            // Retries are in one layer: the worker's.
            .retry(reqwest::retry::never())
            .build()?;
        Ok(Client { http, url })
    }

    pub async fn send(&self, job: &str) -> reqwest::Result<StatusCode> {
        let request = self.http.post(format!("{}/{job}", self.url));
        let request =
            if is_idempotent(job) { request.header("idempotency-key", job) } else { request };
        Ok(request.send().await?.status())
    }
}

pub fn is_idempotent(job: &str) -> bool {
    !job.starts_with("letter")
}

/// What the answer to a job means.
pub fn judge(job: &str, result: &reqwest::Result<StatusCode>) -> Outcome {
    let may_repeat = is_idempotent(job);
    match result {
        Ok(status) if status.is_success() => Outcome::Success,
        // It says that it has not done it.
        Ok(StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) => Outcome::Retry,
        Ok(status) if status.is_server_error() && may_repeat => Outcome::Retry,
        Ok(status) if status.is_server_error() => Outcome::Fail,
        Ok(_) => Outcome::Stop,
        Err(error) if error.is_connect() || may_repeat => Outcome::Retry,
        Err(_) => Outcome::Fail,
    }
}

/// What the server did, by job.
pub type Carried = Arc<Mutex<HashMap<String, u32>>>;

/// A server that has a bad day. It returns its address and what it has carried out.
///
/// - `charge-N`: 503 at the first request of every third, 500 at the first of every fifth.
/// - `invalid-N`: 422.
/// - `poison-N`: 500, always.
/// - `letter-N`: carried out, and the connection breaks before the answer.
pub async fn misbehaving(
    metrics: impl Fn() -> String + Clone + Send + Sync + 'static,
) -> std::io::Result<(String, Carried)> {
    let server = Server::default();
    let carried = server.carried.clone();
    let router = Router::new()
        .route("/jobs/{job}", post(answer))
        .route("/metrics", get(async move || metrics()))
        .with_state(server);
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = format!("http://{}", listener.local_addr()?);
    tokio::spawn(async { axum::serve(listener, router).await });
    Ok((address, carried))
}

#[derive(Clone, Default)]
struct Server {
    requests: Carried,
    carried: Carried,
}

async fn answer(State(server): State<Server>, Path(job): Path<String>) -> StatusCode {
    let count = |counts: &Carried| {
        let mut counts = counts.lock().unwrap();
        let count = counts.entry(job.clone()).or_insert(0);
        *count += 1;
        *count
    };
    let is_first = count(&server.requests) == 1;
    let (kind, number) = job.split_once('-').unwrap_or((&job, "0"));
    let number: u32 = number.parse().unwrap_or(0);
    match kind {
        "charge" if is_first && number % 3 == 0 => StatusCode::SERVICE_UNAVAILABLE,
        "charge" if is_first && number % 5 == 0 => StatusCode::INTERNAL_SERVER_ERROR,
        "charge" => {
            count(&server.carried);
            StatusCode::OK
        }
        "letter" => {
            count(&server.carried);
            // As a process that dies would: hyper drops the connection.
            panic!("the server loses the connection of {job}, as it is meant to")
        }
        "poison" => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    }
}
