//! Services of any protocol, made for what a server cannot show.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Response};
use retry_runtime::http::{ErrorKind, HttpPolicy, HttpPolicyPatch};
use retry_runtime::tower::RetryLayer;
use retry_runtime::{Backoff, NoBudget, Outcome, Policy, PolicyPatch, Retrier, on_err};
use scripted_server::{Server, Step};
use tokio::time::Instant;
use tower::{Layer, Service, ServiceExt, service_fn};

use super::{SECOND, attempts, budget, client, kind, request};

fn retrier(
    attempts: u32,
) -> Retrier<impl retry_runtime::Classify<Result<u32, &'static str>> + Send + Sync, NoBudget> {
    let policy = Policy::new(attempts).backoff(Backoff::constant(10 * SECOND));
    Retrier::new(
        policy,
        NoBudget,
        on_err(|error: &&'static str| match *error {
            "busy" | "not ready" => Outcome::Retry,
            _ => Outcome::Stop,
        }),
    )
}

/// Refuses to be called unless it was asked first, as a real service may.
struct Strict {
    ready: bool,
    asked: Arc<AtomicUsize>,
    fail_readiness_of: usize,
}

impl Clone for Strict {
    fn clone(&self) -> Strict {
        Strict { ready: false, asked: self.asked.clone(), ..*self }
    }
}

impl Service<u32> for Strict {
    type Response = u32;
    type Error = &'static str;
    type Future = Ready<Result<u32, &'static str>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), &'static str>> {
        if self.asked.fetch_add(1, Ordering::SeqCst) + 1 == self.fail_readiness_of {
            return Poll::Ready(Err("not ready"));
        }
        self.ready = true;
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: u32) -> Self::Future {
        assert!(std::mem::take(&mut self.ready), "called without being asked");
        ready(Err("busy"))
    }
}

#[tokio::test(start_paused = true)]
async fn readiness_is_asked_before_each_attempt() {
    let asked = Arc::new(AtomicUsize::new(0));
    let strict = Strict { ready: false, asked: asked.clone(), fail_readiness_of: 0 };
    let result = RetryLayer::new(retrier(3)).layer(strict).oneshot(1).await;
    assert_eq!((result, asked.load(Ordering::SeqCst)), (Err("busy"), 3));
}

#[tokio::test(start_paused = true)]
async fn a_failed_readiness_is_judged_like_any_result() {
    let asked = Arc::new(AtomicUsize::new(0));
    let strict = Strict { ready: false, asked: asked.clone(), fail_readiness_of: 2 };
    let result = RetryLayer::new(retrier(3)).layer(strict).oneshot(1).await;
    assert_eq!((result, asked.load(Ordering::SeqCst)), (Err("busy"), 3));
}

#[tokio::test(start_paused = true)]
async fn a_failed_response_is_dropped_before_the_wait() {
    let held = Arc::new(());
    let answers = held.clone();
    let service = service_fn(move |(): ()| ready(Ok::<_, Infallible>(answers.clone())));
    let policy = Policy::new(2).backoff(Backoff::constant(10 * SECOND));
    let classify = |_: &Result<Arc<()>, Infallible>| Outcome::Retry;
    let layer = RetryLayer::new(Retrier::new(policy, NoBudget, classify));
    // One is ours and one the service's: the clone in the service is the layer's own.
    let call = tokio::spawn(layer.layer(service).oneshot(()));
    let mut counts = Vec::new();
    for second in [1, 9] {
        tokio::time::sleep(Duration::from_secs(second) - Duration::from_millis(1)).await;
        counts.push(Arc::strong_count(&held));
    }
    let last = call.await.unwrap().unwrap();
    assert_eq!(Arc::strong_count(&held), 2, "ours and the last answer");
    drop(last);
    assert_eq!(counts, [2, 2]);
}

/// A body that announces more and sends none.
struct Stalled;

impl http_body::Body for Stalled {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, Infallible>>> {
        Poll::Pending
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_answer_that_stalls_delays_nothing() {
    for (delay, expected) in [("0.1", 100), ("3", 3000)] {
        let service = service_fn(move |_: Request<()>| {
            ready(Ok::<_, io::Error>(
                Response::builder().status(503).header("retry-after", delay).body(Stalled).unwrap(),
            ))
        });
        let policy = HttpPolicy::ANY_5XX_EXACT.merge(&attempts(2)).unwrap();
        let layer = RetryLayer::http(policy, NoBudget, |_: &io::Error| ErrorKind::Other);
        let started = Instant::now();
        let result = layer.layer(service).oneshot(Request::new(())).await;
        assert_eq!(result.unwrap().status(), 503);
        assert_eq!(started.elapsed().as_millis(), expected);
    }
    let service = service_fn(|_: Request<()>| {
        ready(Ok::<_, io::Error>(Response::builder().status(503).body(Stalled).unwrap()))
    });
    let patch = HttpPolicyPatch::new().policy(PolicyPatch::new().backoff("none"));
    let policy = HttpPolicy::DEFAULT.merge(&patch).unwrap();
    let layer = RetryLayer::http(policy, NoBudget, |_: &io::Error| ErrorKind::Other);
    let started = Instant::now();
    layer.layer(service).oneshot(Request::new(())).await.unwrap();
    assert_eq!(started.elapsed(), Duration::ZERO);
}

/// A body that counts how much of it was read.
struct Counted {
    frames: Vec<Bytes>,
    announced: u64,
    polls: Arc<AtomicUsize>,
}

impl http_body::Body for Counted {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, Infallible>>> {
        self.polls.fetch_add(1, Ordering::SeqCst);
        Poll::Ready(self.frames.pop().map(|frame| Ok(http_body::Frame::data(frame))))
    }

    fn size_hint(&self) -> http_body::SizeHint {
        let mut hint = http_body::SizeHint::new();
        hint.set_lower(self.announced);
        hint
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_answer_is_read_to_its_end_if_that_is_within_four_kibibytes() {
    for (frames, announced, expected) in [
        (vec![1000, 1000, 1000], 0, 4), // to the end
        (vec![3000; 9], 0, 2),          // until it is too much
        (vec![3000, 3000], 6000, 0),    // not at all: it says that it is too much
    ] {
        let polls = Arc::new(AtomicUsize::new(0));
        let counter = polls.clone();
        let service = service_fn(move |_: Request<()>| {
            let frames = frames.iter().map(|length| Bytes::from(vec![0; *length])).collect();
            let body = Counted { frames, announced, polls: counter.clone() };
            ready(Ok::<_, io::Error>(Response::builder().status(503).body(body).unwrap()))
        });
        let policy = HttpPolicy::DEFAULT.merge(&attempts(2)).unwrap();
        let layer = RetryLayer::http(policy, NoBudget, |_: &io::Error| ErrorKind::Other);
        layer.layer(service).oneshot(Request::new(())).await.unwrap();
        // The answer of the second attempt is the caller's, who did not read it.
        assert_eq!(polls.load(Ordering::SeqCst), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_sends_nothing_more() {
    let server = Server::start([Step::status(503)]).await;
    let budget = budget();
    let layer = RetryLayer::http(HttpPolicy::TRANSPORT, budget.clone(), kind);
    let mut service = layer.layer(client());
    let call = service.ready().await.unwrap().call(request(server.url(""), Method::GET));
    assert!(tokio::time::timeout(Duration::ZERO, call).await.is_err());
    tokio::time::sleep(60 * SECOND).await;
    assert!(server.requests() <= 1);
    assert!(budget.tokens() >= 9.0);
}
