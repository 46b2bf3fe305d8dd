//! The tower layer over a real client, against a server on loopback.

mod breaker;
mod services;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use retry_runtime::http::{ErrorKind, HttpPolicy, HttpPolicyPatch};
use retry_runtime::tower::RetryLayer;
use retry_runtime::{Budget, Decision, NoBudget, Outcome, PolicyPatch};
use scripted_server::{Server, Step};
use tokio::time::Instant;
use tower::{Layer, ServiceExt};

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
