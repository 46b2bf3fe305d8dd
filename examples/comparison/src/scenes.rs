//! The scenes: what each crate does in them is counted.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, SystemTime};

use backon::{ExponentialBuilder, Retryable};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use retry_runtime::http::HttpPolicy;
use retry_runtime::{Backoff, Budget, Outcome, Policy};
use tokio::time::{Instant, sleep};
use tokio_retry2::strategy::FixedInterval;
use tokio_retry2::{Retry, RetryError};

use crate::Row;
use crate::peers::{Attempt, Peer, Service, send_by_middleware};

const NONE: &str = "—";
const ASKED: Duration = Duration::from_secs(2);

/// All rows of the table.
pub async fn all() -> Vec<Row> {
    let (early, together) = told_to_wait().await;
    vec![
        ("1,000 calls of up to 4 attempts, all failing: attempts", outage().await),
        ("the same below three layers of up to 3", layers().await),
        ("a POST answered 503: times sent by default", post().await),
        ("100 clients told `Retry-After: 2`: back too early", early),
        ("the largest group within 10 ms", together),
    ]
}

/// An attempt that fails, and how often it was made.
fn failing() -> (Attempt, Arc<AtomicU32>) {
    let count = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&count);
    let attempt: Attempt = Arc::new(move || {
        counted.fetch_add(1, Relaxed);
        Box::pin(std::future::ready(false))
    });
    (attempt, count)
}

/// A hundred calls a second, for ten seconds.
async fn outage() -> [String; 5] {
    let mut cells = Vec::new();
    for peer in Peer::all() {
        let (attempt, count) = failing();
        for _ in 0..1000 {
            assert!(!peer.call(4, Arc::clone(&attempt)).await);
            sleep(Duration::from_millis(10)).await;
        }
        cells.push(count.load(Relaxed).to_string());
    }
    row(cells)
}

/// Each layer calls the next one, with a budget of its own where the crate has one.
async fn layers() -> [String; 5] {
    let mut cells = Vec::new();
    for ((low, middle), high) in Peer::all().into_iter().zip(Peer::all()).zip(Peer::all()) {
        let (attempt, count) = failing();
        let low: Attempt = through(low, attempt);
        let middle = through(middle, low);
        for _ in 0..1000 {
            assert!(!high.call(3, Arc::clone(&middle)).await);
            sleep(Duration::from_millis(10)).await;
        }
        cells.push(count.load(Relaxed).to_string());
    }
    row(cells)
}

/// A call of one layer is the attempt of the layer above it.
fn through(peer: Peer, below: Attempt) -> Attempt {
    Arc::new(move || {
        let (peer, below) = (peer.clone(), Arc::clone(&below));
        Box::pin(async move { peer.call(3, below).await })
    })
}

/// The server may have carried the request out. Those that know no HTTP retry every error.
async fn post() -> [String; 5] {
    let [_, backon, tokio_retry, ..] = Peer::all();
    let mut cells = Vec::new();

    let budget = Budget::new(10, 0.1);
    let classifier = HttpPolicy::DEFAULT.for_method(&Method::POST);
    let mut call = Policy::new(4).backoff(Backoff::none()).call(&budget);
    let mut sent = 1;
    let answer = || classifier.classify(StatusCode::SERVICE_UNAVAILABLE, &HeaderMap::new(), now());
    while call.again(answer()).await {
        sent += 1;
    }
    cells.push(sent.to_string());
    for peer in [backon, tokio_retry] {
        let (attempt, count) = failing();
        assert!(!peer.call(4, attempt).await);
        cells.push(count.load(Relaxed).to_string());
    }
    let (attempt, count) = failing();
    let request = reqwest::Client::new().post("http://service.example/");
    assert!(!send_by_middleware(3, request, Service::of(attempt)).await);
    cells.push(count.load(Relaxed).to_string());
    cells.push(NONE.to_owned());
    row(cells)
}

/// An attempt that is answered 503 with `Retry-After: 2` once.
fn busy_once() -> Attempt {
    let count = AtomicU32::new(0);
    Arc::new(move || {
        let ok = count.fetch_add(1, Relaxed) > 0;
        Box::pin(std::future::ready(ok))
    })
}

/// How many of a hundred clients came back too early, and how many together. The two that
/// read no header are given it by hand.
async fn told_to_wait() -> ([String; 5], [String; 5]) {
    let mut times: [Vec<Duration>; 4] = Default::default();
    for client in 0..100 {
        times[0].push(wait_here(client).await);
        times[1].push(wait_backon().await);
        times[2].push(wait_tokio_retry().await);
        let request = reqwest::Client::new().get("http://service.example/");
        let service = Service::of(busy_once()).retry_after("2");
        let started = Instant::now();
        assert!(send_by_middleware(3, request, service).await);
        times[3].push(started.elapsed());
    }
    let early = times.iter().map(|times| times.iter().filter(|time| **time < ASKED).count());
    let early: Vec<String> = early.map(|count| count.to_string()).collect();
    let together = times.iter().map(|times| {
        // Who comes too early does so at random.
        if times.iter().all(|time| *time < ASKED) { NONE.to_owned() } else { most(times) }
    });
    let together: Vec<String> = together.collect();
    let with_tower = |mut cells: Vec<String>| {
        cells.push(NONE.to_owned());
        row(cells)
    };
    (with_tower(early), with_tower(together))
}

async fn wait_here(client: u64) -> Duration {
    let budget = Budget::new(10, 0.1);
    let mut headers = HeaderMap::new();
    headers.insert("retry-after", HeaderValue::from_static("2"));
    let classifier = HttpPolicy::DEFAULT.for_method(&Method::GET);
    let outcome = classifier.classify(StatusCode::SERVICE_UNAVAILABLE, &headers, now());
    // The jitter of each client, the same in each run.
    let policy = Policy::new(4).backoff(Backoff::DEFAULT.seed(client));
    let mut call = policy.call(&budget);
    let started = Instant::now();
    assert!(call.again(outcome).await);
    let waited = started.elapsed();
    assert!(!call.again(Outcome::Success).await);
    waited
}

async fn wait_backon() -> Duration {
    let attempt = busy_once();
    let started = Instant::now();
    let once = || async { if attempt().await { Ok(()) } else { Err(ASKED) } };
    let waits = ExponentialBuilder::default().with_jitter();
    let result = once.retry(waits).adjust(|asked, wait| wait.map(|_| *asked)).await;
    assert!(result.is_ok());
    started.elapsed()
}

async fn wait_tokio_retry() -> Duration {
    let attempt = busy_once();
    let started = Instant::now();
    let once = || async {
        let busy = RetryError::Transient { err: (), retry_after: Some(ASKED) };
        if attempt().await { Ok(()) } else { Err(busy) }
    };
    let waits = FixedInterval::from_millis(100).take(3);
    assert!(Retry::spawn(waits, once).await.is_ok());
    started.elapsed()
}

/// The most clients within 10 ms of one of them.
fn most(times: &[Duration]) -> String {
    let mut counts = BTreeMap::new();
    for time in times {
        *counts.entry(time.as_millis() / 10).or_insert(0) += 1;
    }
    counts.values().max().map_or_else(|| NONE.to_owned(), i32::to_string)
}

fn now() -> SystemTime {
    SystemTime::now()
}

fn row(cells: Vec<String>) -> [String; 5] {
    cells.try_into().expect("a cell for each crate")
}
