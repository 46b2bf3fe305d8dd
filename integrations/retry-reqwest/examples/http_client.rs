//! A client of an HTTP service with reqwest: what is repeated, and what must not be.
//!
//! ```text
//! cargo run -p retry-reqwest --example http_client
//! ```
//!
//! The server, in the same process, does the work of a request and then loses the
//! connection, once for each path and method. So the client cannot know what happened.

use std::collections::HashSet;
use std::error::Error;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request as Incoming, State};
use reqwest::{Client, Method, Request, Response};
use retry_reqwest::{Classifier, error_kind};
use retry_runtime::http::HttpPolicy;
use retry_runtime::{Backoff, Budget, Classify, retry};

// One for the dependency, shared by every call to it.
static PAYMENTS: Budget = Budget::new(10, 0.1);

const SETTINGS: HttpPolicy = {
    let mut policy = HttpPolicy::DEFAULT;
    policy.backoff = Backoff::exponential(Duration::from_millis(50), Duration::from_secs(1));
    policy
};

/// Sends a request, and again as far as its method, its `Idempotency-Key` and the
/// budget allow: the classifier sees the request as well as the result.
#[retry(
    policy = SETTINGS.policy(),
    budget = PAYMENTS,
    classify = |result| Classifier::for_request(&SETTINGS, request).classify(result),
)]
async fn send(client: &Client, request: &Request) -> Result<Response, reqwest::Error> {
    // A copy for each attempt. The body of a stream has none: send such a request
    // outside of a retry.
    let copy = request.try_clone().expect("a request with a body in memory");
    client.execute(copy).await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = start_server().await?;
    let _ = rustls::crypto::ring::default_provider().install_default();
    // reqwest's own retries are off: every attempt is one that the budget knows of.
    let client = Client::builder().no_proxy().retry(reqwest::retry::never()).build()?;

    println!("GET can be repeated whatever happened:");
    let request = client.get(format!("{server}/balance")).build()?;
    report(send(&client, &request).await);

    println!("POST cannot. The money may have been moved, so the caller gets the error:");
    let request = client.post(format!("{server}/charges")).body("500 cents").build()?;
    report(send(&client, &request).await);

    println!("POST with a key can, because the server does the work of a key once. The key is");
    println!("made here, once: made for each attempt, it would protect nothing:");
    let request = client
        .request(Method::POST, format!("{server}/keyed-charges"))
        .header("idempotency-key", "8e03978e-40d5-43dd-bc93-6894a57f9324")
        .body("500 cents")
        .build()?;
    report(send(&client, &request).await);

    println!("Tokens left of 10: {}", PAYMENTS.tokens());
    Ok(())
}

fn report(result: Result<Response, reqwest::Error>) {
    match result {
        Ok(response) => println!("  the caller has {}\n", response.status()),
        Err(error) => println!("  the caller has an error: {:?}\n", error_kind(&error)),
    }
}

/// Answers every request but the first of its kind, whose connection it drops.
async fn start_server() -> std::io::Result<String> {
    type Seen = Arc<Mutex<HashSet<String>>>;

    async fn handle(State(seen): State<Seen>, request: Incoming) -> &'static str {
        let kind = format!("{} {}", request.method(), request.uri().path());
        println!("  server: {kind}");
        let is_first = seen.lock().unwrap().insert(kind);
        // A handler that panics takes its connection with it.
        assert!(!is_first, "the connection is lost");
        "done"
    }

    std::panic::set_hook(Box::new(|_| println!("  server: done, and the connection is lost")));
    let app = Router::new().fallback(handle).with_state(Seen::default());
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(async { axum::serve(listener, app).await });
    Ok(format!("http://{address}"))
}
