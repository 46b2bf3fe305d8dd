//! Retries in a service's dashboards and logs:
//! `cargo run -p retry-metrics --example metrics`.
//!
//! A search server on loopback fails now and then, and goes down. The client below
//! says nothing about telemetry: the features `metrics` and `tracing` of retry-runtime
//! report every attempt to the recorder and the subscriber that `main` installs. At
//! the end the program reads its own `/metrics`, as Prometheus would, and fails if
//! the figures are not those of the story.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder};
use retry_runtime::telemetry::{ATTEMPTS_PER_CALL, describe_metrics};
use retry_runtime::{Backoff, Budget, Outcome, retry};
use tokio::net::TcpListener;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// It has a name, so there is a gauge of its tokens.
static SEARCH: Budget = Budget::new(10, 0.1).named("search");

fn classify(result: &reqwest::Result<reqwest::Response>) -> Outcome {
    match result {
        Ok(response) if response.status().is_success() => Outcome::Success,
        Ok(response) if response.status() == StatusCode::SERVICE_UNAVAILABLE => Outcome::Retry,
        Ok(_) => Outcome::Stop,
        Err(_) => Outcome::Retry,
    }
}

#[retry(
    attempts = 3,
    budget = SEARCH,
    classify = classify,
    schedule = Backoff::exponential(10ms, 100ms),
    name = "search.query",
)]
async fn query(http: &reqwest::Client, url: &str) -> reqwest::Result<reqwest::Response> {
    http.get(url).send().await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    // The log: what is reported at WARN and above.
    tracing_subscriber::fmt().with_max_level(tracing_subscriber::filter::LevelFilter::WARN).init();

    // The figures. Attempts are whole numbers, so each has a bucket.
    let recorder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Full(ATTEMPTS_PER_CALL.into()), &[1.0, 2.0, 3.0])?
        .install_recorder()?;
    describe_metrics();
    let metrics = Router::new().route("/metrics", get(async move || recorder.render()));

    let server = Arc::new(Server::default());
    let (search, metrics) = (serve(server.clone().router()).await?, serve(metrics).await?);
    let http = reqwest::Client::builder().no_proxy().build()?;

    let url = format!("http://{search}/search");
    println!("40 calls while every tenth request fails:");
    for _ in 0..40 {
        query(&http, &url).await?;
    }
    println!("\n10 calls while the server is down:");
    server.is_down.store(true, Relaxed);
    for _ in 0..10 {
        query(&http, &url).await?;
    }

    println!("\nhttp://{metrics}/metrics:\n");
    let text = http.get(format!("http://{metrics}/metrics")).send().await?.text().await?;
    println!("{text}");
    for line in [
        "retry_calls{name=\"search.query\",decision=\"succeeded\"} 40",
        "retry_attempts{name=\"search.query\",decision=\"succeeded\"} 40",
        "retry_budget_tokens{budget=\"search\"} 0",
    ] {
        if !text.lines().any(|found| found == line) {
            return Err(format!("this line is missing: {line}").into());
        }
    }
    Ok(())
}

/// Serves on a free port of loopback, until the program ends.
async fn serve(router: Router) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(async { axum::serve(listener, router).await });
    Ok(address)
}

/// A search server that fails every tenth request, or all of them.
#[derive(Default)]
struct Server {
    requests: AtomicU32,
    is_down: AtomicBool,
}

impl Server {
    fn router(self: Arc<Server>) -> Router {
        Router::new().route("/search", get(async move || self.answer()))
    }

    fn answer(&self) -> StatusCode {
        let number = self.requests.fetch_add(1, Relaxed) + 1;
        if self.is_down.load(Relaxed) || number % 10 == 0 {
            StatusCode::SERVICE_UNAVAILABLE
        } else {
            StatusCode::OK
        }
    }
}
