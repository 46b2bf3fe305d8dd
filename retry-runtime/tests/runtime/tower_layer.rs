//! The tower layer, over a real client against a server on loopback, and over
//! services made for what a server cannot show.

use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use failsafe::failure_policy::{ConsecutiveFailures, consecutive_failures};
use failsafe::{StateMachine, backoff};
use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use retry_runtime::http::{ErrorKind, HttpPolicy, HttpPolicyPatch};
use retry_runtime::tower::RetryLayer;
use retry_runtime::{
    Backoff, Budget, Decision, NoBudget, Outcome, Policy, PolicyPatch, Retrier, on_err,
};
use scripted_server::{Server, Step};
use tokio::time::Instant;
use tower::{Layer, Service, ServiceExt, service_fn};

type Body = Full<Bytes>;
type HyperError = hyper_util::client::legacy::Error;

const SECOND: Duration = Duration::from_secs(1);

fn client() -> Client<HttpConnector, Body> {
    Client::builder(TokioExecutor::new()).build_http()
}

fn kind(error: &HyperError) -> ErrorKind {
    if error.is_connect() { ErrorKind::Connect } else { ErrorKind::ConnectionLost }
}

fn attempts(attempts: u32) -> HttpPolicyPatch {
    HttpPolicyPatch::new().policy(PolicyPatch::new().attempts(attempts))
}

fn budget() -> Arc<Budget> {
    Arc::new(Budget::new(10, 0.1))
}

fn request(url: String, method: Method) -> Request<Body> {
    let body = Full::from("every byte of it");
    Request::builder().method(method).uri(url).body(body).unwrap()
}

#[tokio::test(start_paused = true)]
async fn an_idempotent_request_is_repeated_with_the_same_head_and_body() {
    let server = Server::start([Step::status(503), Step::status(502), Step::status(200)]).await;
    let budget = budget();
    let layer = RetryLayer::http(HttpPolicy::TRANSPORT, budget.clone(), kind);
    let mut request = request(server.url("thing?a=1"), Method::PUT);
    request.headers_mut().insert("x-trace", "7".parse().unwrap());

    let response = layer.layer(client()).oneshot(request).await.unwrap();

    assert_eq!(response.status(), 200);
    assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), "body");
    let received = server.received();
    assert_eq!(received.len(), 3);
    assert!(received.iter().all(|again| *again == received[0]));
    assert_eq!(received[0].body, b"every byte of it");
    assert_eq!(received[0].header("x-trace"), Some("7"));
    assert_eq!(budget.tokens(), 8.1);
}

#[tokio::test(start_paused = true)]
async fn the_connection_of_a_failed_answer_is_used_again() {
    let server = Server::start([Step::status(503), Step::status(503), Step::status(200)]).await;
    let layer = RetryLayer::http(HttpPolicy::TRANSPORT, NoBudget, kind);
    let response = layer.layer(client()).oneshot(request(server.url(""), Method::GET)).await;
    assert_eq!(response.unwrap().status(), 200);
    assert_eq!((server.requests(), server.connections()), (3, 1));
}

#[tokio::test(start_paused = true)]
async fn a_long_failed_answer_is_not_read_for_the_sake_of_its_connection() {
    let long: &'static str = Box::leak("x".repeat(3 << 20).into_boxed_str());
    let server = Server::start([Step::Answer(503, Vec::new(), long), Step::status(200)]).await;
    let layer = RetryLayer::http(HttpPolicy::TRANSPORT, NoBudget, kind);
    let response = layer.layer(client()).oneshot(request(server.url(""), Method::GET)).await;
    assert_eq!(response.unwrap().status(), 200);
    assert_eq!((server.requests(), server.connections()), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn a_post_reaches_the_server_once_and_counts_in_the_budget() {
    for step in [Step::status(503), Step::Close, Step::Reset] {
        let server = Server::start([step.clone()]).await;
        let budget = budget();
        let layer = RetryLayer::http(HttpPolicy::TRANSPORT, budget.clone(), kind);
        let result = layer.layer(client()).oneshot(request(server.url(""), Method::POST)).await;
        assert_eq!(
            result.is_ok_and(|answer| answer.status() == 503),
            matches!(step, Step::Answer(..))
        );
        assert_eq!(server.requests(), 1, "{step:?}");
        assert_eq!(budget.tokens(), 9.0, "{step:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_post_with_a_key_is_repeated_with_the_same_key() {
    let server = Server::start([Step::Close, Step::status(200)]).await;
    let layer = RetryLayer::http(HttpPolicy::TRANSPORT, budget(), kind);
    let mut request = request(server.url(""), Method::POST);
    request.headers_mut().insert("idempotency-key", "8e03978e".parse().unwrap());
    let response = layer.layer(client()).oneshot(request).await.unwrap();
    assert_eq!(response.status(), 200);
    let keys: Vec<_> = server
        .received()
        .iter()
        .map(|one| one.header("idempotency-key").map(String::from))
        .collect();
    assert_eq!(keys, [Some("8e03978e".into()), Some("8e03978e".into())]);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_cannot_be_copied_is_sent_once_and_counts_in_the_budget() {
    let server = Server::start([Step::status(503)]).await;
    let budget = budget();
    let decisions = Arc::new(Mutex::new(Vec::new()));
    let seen = decisions.clone();
    let layer = RetryLayer::http(HttpPolicy::TRANSPORT, budget.clone(), kind)
        .copy_bodies(|_: &mut Body| None)
        .named("thing.get")
        .observe(move |event| {
            seen.lock().unwrap().push((event.name.to_string(), event.outcome, event.decision));
        });
    let response = layer.layer(client()).oneshot(request(server.url(""), Method::GET)).await;
    assert_eq!(response.unwrap().status(), 503);
    assert_eq!(server.requests(), 1);
    assert_eq!(budget.tokens(), 9.0);
    let expected = [("thing.get".to_string(), Outcome::Fail, Decision::Failed)];
    assert_eq!(*decisions.lock().unwrap(), expected);
}

#[tokio::test(start_paused = true)]
async fn the_last_answer_reaches_the_caller_with_its_body() {
    let server = Server::start([Step::status(503)]).await;
    let budget = budget();
    let layer = RetryLayer::http(HttpPolicy::TRANSPORT, budget.clone(), kind);
    let response =
        layer.layer(client()).oneshot(request(server.url(""), Method::GET)).await.unwrap();
    assert_eq!(response.status(), 503);
    assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), "body");
    assert_eq!(server.requests(), 3);
    assert_eq!(budget.tokens(), 7.0);
}

#[tokio::test(start_paused = true)]
async fn a_budget_that_is_empty_lets_first_attempts_through_alone() {
    let server = Server::start([Step::status(503)]).await;
    let layer = RetryLayer::http(HttpPolicy::TRANSPORT, budget(), kind);
    let service = layer.layer(client());
    for requests in [3, 5, 6, 7] {
        let result = service.clone().oneshot(request(server.url(""), Method::GET)).await;
        assert_eq!(result.unwrap().status(), 503);
        assert_eq!(server.requests(), requests);
    }
}

#[tokio::test(start_paused = true)]
async fn a_servers_delay_is_waited_exactly_if_the_policy_says_so() {
    let server = Server::start([Step::busy("retry-after", "7"), Step::status(200)]).await;
    let layer = RetryLayer::http(HttpPolicy::ANY_5XX_EXACT, NoBudget, kind);
    let started = Instant::now();
    let response = layer.layer(client()).oneshot(request(server.url(""), Method::GET)).await;
    assert_eq!(response.unwrap().status(), 200);
    let waited = started.elapsed();
    assert!(waited >= 7 * SECOND && waited < 7 * SECOND + Duration::from_millis(5), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_for_more_than_the_limit_is_answered_at_once() {
    let server = Server::start([Step::busy("retry-after", "45")]).await;
    let layer = RetryLayer::http(HttpPolicy::DEFAULT, NoBudget, kind);
    let started = Instant::now();
    let response = layer.layer(client()).oneshot(request(server.url(""), Method::GET)).await;
    assert_eq!(response.unwrap().status(), 503);
    assert_eq!(server.requests(), 1);
    assert!(started.elapsed() < SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_refused_port_is_tried_again_for_a_post_if_the_policy_allows_it() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", closed.local_addr().unwrap());
    drop(closed);
    let strict = HttpPolicyPatch::new().retry_unsent(false);
    let strict = HttpPolicy::DEFAULT.merge(&strict).unwrap();
    for (policy, method, tokens) in [
        (HttpPolicy::DEFAULT, Method::GET, 7.0),
        (HttpPolicy::DEFAULT, Method::POST, 7.0),
        (strict, Method::GET, 7.0),
        (strict, Method::POST, 9.0),
    ] {
        let budget = budget();
        let layer = RetryLayer::http(policy, budget.clone(), kind);
        let error = layer.layer(client()).oneshot(request(url.clone(), method)).await.unwrap_err();
        assert!(error.is_connect());
        assert_eq!(budget.tokens(), tokens);
    }
}

// --- A circuit breaker inside ---

type Machine = Arc<StateMachine<ConsecutiveFailures<backoff::Constant>, ()>>;

/// Each attempt is one call that the breaker admits or rejects.
#[derive(Clone)]
struct Breaker<S> {
    inner: S,
    machine: Machine,
}

#[derive(Debug)]
enum BreakerError {
    Rejected,
    Client(HyperError),
}

impl<S, D> Service<Request<Body>> for Breaker<S>
where
    S: Service<Request<Body>, Response = Response<D>, Error = HyperError>,
    S::Future: Send + 'static,
    D: Send + 'static,
{
    type Response = Response<D>;
    type Error = BreakerError;
    type Future = Pin<Box<dyn Future<Output = Result<Response<D>, BreakerError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BreakerError>> {
        self.inner.poll_ready(context).map_err(BreakerError::Client)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        if !self.machine.is_call_permitted() {
            return Box::pin(ready(Err(BreakerError::Rejected)));
        }
        let (sent, machine) = (self.inner.call(request), self.machine.clone());
        Box::pin(async move {
            let result = sent.await;
            match &result {
                Ok(response) if !response.status().is_server_error() => machine.on_success(),
                _ => machine.on_error(),
            }
            result.map_err(BreakerError::Client)
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_breaker_that_opens_stops_the_call_and_its_rejection_reaches_the_caller() {
    let server = Server::start([Step::status(503)]).await;
    let policy = consecutive_failures(2, backoff::constant(60 * SECOND));
    let machine: Machine = Arc::new(failsafe::Config::new().failure_policy(policy).build());
    let budget = budget();
    let patch = attempts(5);
    let layer = RetryLayer::http(
        HttpPolicy::TRANSPORT.merge(&patch).unwrap(),
        budget.clone(),
        |error: &BreakerError| match error {
            BreakerError::Rejected => ErrorKind::Rejected,
            BreakerError::Client(error) => kind(error),
        },
    );
    let service = layer.layer(Breaker { inner: client(), machine });

    let result = service.clone().oneshot(request(server.url(""), Method::GET)).await;
    assert!(matches!(result, Err(BreakerError::Rejected)));
    assert_eq!(server.requests(), 2);
    // Two failures took a token each, the rejection none.
    assert_eq!(budget.tokens(), 8.0);

    // The next call does not reach the server at all.
    let result = service.oneshot(request(server.url(""), Method::GET)).await;
    assert!(matches!(result, Err(BreakerError::Rejected)));
    assert_eq!((server.requests(), budget.tokens()), (2, 8.0));
}

// --- Services of any protocol ---

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
