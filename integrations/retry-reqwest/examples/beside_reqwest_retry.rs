//! The same requests by this crate's client and by reqwest-middleware with reqwest-retry,
//! against one server that misbehaves in the same way for both.
//!
//! ```text
//! cargo run -p retry-reqwest --example beside_reqwest_retry
//! ```
//!
//! Both make at most four attempts. What is printed is what reached the server.

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reqwest::{Method, Request, Response, Url};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware};
use reqwest_retry::RetryTransientMiddleware;
use reqwest_retry::policies::ExponentialBackoff;
use retry_reqwest::Client;
use retry_runtime::http::HttpPolicy;
use retry_runtime::{Backoff, Budget};
use scripted_server::{Server, Step};

const FIRST: Duration = Duration::from_millis(10);
const LONGEST: Duration = Duration::from_millis(100);

/// How often each path was asked for, with each method.
type Seen = Arc<Mutex<HashMap<String, u32>>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    busy().await?;
    carried_out().await?;
    redirected().await?;
    outage().await
}

/// 503 with `Retry-After: 1`, once.
async fn busy() -> Result<(), Box<dyn Error>> {
    println!("GET, answered 503 with Retry-After: 1, then 200");
    for client in Either::both()? {
        let (server, seen) = start(|_, times| match times {
            1 => Step::busy("retry-after", "1"),
            _ => Step::status(200),
        })
        .await;
        let started = Instant::now();
        let result = client.send(Method::GET, &server.url("stock")).await;
        let waited = started.elapsed().as_secs_f32();
        client.print(&seen, &format!("{}, after {waited:.1} s", told(&result)));
    }
    Ok(())
}

/// The server moves the money, and the connection breaks before it can say so.
async fn carried_out() -> Result<(), Box<dyn Error>> {
    println!("POST that is carried out, but its answer is lost");
    for client in Either::both()? {
        let (server, seen) = start(|_, times| match times {
            1 => Step::Close,
            _ => Step::status(200),
        })
        .await;
        let result = client.send(Method::POST, &server.url("charges")).await;
        client.print(&seen, &told(&result));
    }
    Ok(())
}

/// The server moves the money and says where to look, which is busy.
async fn redirected() -> Result<(), Box<dyn Error>> {
    println!("POST that is carried out and answered 303; the page it leads to is busy");
    for client in Either::both()? {
        let (server, seen) = start(|asked, _| match asked {
            "POST /charges" => Step::Answer(303, vec![("location", "/charges/7".into())], ""),
            _ => Step::status(503),
        })
        .await;
        let result = client.send(Method::POST, &server.url("charges")).await;
        client.print(&seen, &told(&result));
    }
    Ok(())
}

/// Every answer is 503, for twenty calls one after the other.
async fn outage() -> Result<(), Box<dyn Error>> {
    println!("20 calls of GET while every answer is 503");
    for client in Either::both()? {
        let (server, seen) = start(|_, _| Step::status(503)).await;
        for _ in 0..20 {
            let _refused = client.send(Method::GET, &server.url("stock")).await;
        }
        client.print(&seen, "20 answers of 503");
    }
    Ok(())
}

/// One of the two clients.
enum Either {
    Ours(Client<Budget>),
    Theirs(ClientWithMiddleware),
}

impl Either {
    fn both() -> reqwest::Result<[Either; 2]> {
        let plain = || reqwest::Client::builder().no_proxy().retry(reqwest::retry::never()).build();

        let mut policy = HttpPolicy::DEFAULT;
        policy.attempts = Some(4);
        policy.backoff = Backoff::exponential(FIRST, LONGEST);
        let ours = Client::new(plain()?, policy, Budget::new(10, 0.1));

        let policy =
            ExponentialBackoff::builder().retry_bounds(FIRST, LONGEST).build_with_max_retries(3);
        let theirs = ClientBuilder::new(plain()?)
            .with(RetryTransientMiddleware::new_with_policy(policy))
            .build();
        Ok([Either::Ours(ours), Either::Theirs(theirs)])
    }

    async fn send(&self, method: Method, url: &str) -> Result<Response, Box<dyn Error>> {
        let request = Request::new(method, Url::parse(url)?);
        Ok(match self {
            Either::Ours(client) => client.execute(request).await?,
            Either::Theirs(client) => client.execute(request).await?,
        })
    }

    fn print(&self, seen: &Seen, result: &str) {
        let name = match self {
            Either::Ours(_) => "retry-reqwest",
            Either::Theirs(_) => "reqwest-retry",
        };
        let mut asked: Vec<String> = seen
            .lock()
            .unwrap()
            .iter()
            .map(|(asked, times)| format!("{times} x {asked}"))
            .collect();
        asked.sort();
        println!("  {name}: {}; the caller has {result}", asked.join(", "));
    }
}

fn told(result: &Result<Response, Box<dyn Error>>) -> String {
    match result {
        Ok(response) => response.status().to_string(),
        Err(_) => "an error".to_owned(),
    }
}

/// A server that does what `decide` makes of the method and path, and of how often it came.
async fn start(decide: fn(&str, u32) -> Step) -> (Server, Seen) {
    let seen = Seen::default();
    let counts = Arc::clone(&seen);
    let server = Server::deciding(move |request| {
        let asked: Vec<&str> = request.head.split(' ').take(2).collect();
        let asked = asked.join(" ");
        let mut counts = counts.lock().unwrap();
        let times = counts.entry(asked.clone()).or_default();
        *times += 1;
        decide(&asked, *times)
    })
    .await;
    (server, seen)
}
