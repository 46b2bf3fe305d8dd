//! Attempts: how many there are, when they are made, and what they say.

use std::sync::Arc;
use std::time::Duration;

use retry_runtime::tower::CallSettings;
use retry_runtime::{Backoff, Budget, Decision, Outcome, Policy};
use retry_tonic::Classifier;
use scripted_server::http2::{Act, Server, code};
use tokio::time::Instant;
use tonic::{Code, Request};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use tower::Layer;

use super::{layered, lazy, pushed_back, success, three, unary, unavailable};
use crate::channel;

#[tokio::test]
async fn later_attempts_say_how_many_came_before() {
    let server = Server::start([unavailable(), unavailable(), success()]).await;
    let (layer, _, _) = layered(Classifier::A6, three());
    let mut client = HealthClient::new(layer.layer(lazy(&server)));
    client.check(HealthCheckRequest::default()).await.unwrap();
    let said: Vec<_> = server
        .received()
        .iter()
        .map(|request| request.header("grpc-previous-rpc-attempts").map(String::from))
        .collect();
    assert_eq!(said, [None, Some("1".into()), Some("2".into())]);
}

#[tokio::test]
async fn a_request_that_was_not_processed_is_sent_again_at_once_and_free() {
    for refusal in [
        vec![Act::Reset(code::REFUSED_STREAM)],
        vec![Act::GoAwayBelow(code::NO_ERROR), Act::Close],
        vec![Act::GoAwayBelow(code::ENHANCE_YOUR_CALM), Act::Close],
    ] {
        let done = unary(Classifier::A6, [refusal.clone(), success()]).await;
        assert!(done.result.is_ok(), "{refusal:?}: {:?}", done.result);
        // No attempt and no token: the success of the first attempt finds a full budget.
        assert_eq!((done.requests, done.tokens), (2, 10.0), "{refusal:?}");
        assert_eq!(done.last, Some((1, Outcome::Success, Decision::Succeeded)), "{refusal:?}");
    }
}

#[tokio::test]
async fn a_second_refusal_is_an_ordinary_failure() {
    let refused = || vec![Act::Reset(code::REFUSED_STREAM)];
    let done = unary(Classifier::A6, [refused(), refused(), success()]).await;
    assert!(done.result.is_ok());
    // The first attempt costs a token, the second gives a tenth back.
    assert_eq!((done.requests, done.tokens), (3, 9.1));

    // Three attempts, each sent twice.
    let done = unary(Classifier::A6, [refused()]).await;
    assert_eq!((done.requests, done.tokens), (6, 7.0));
    assert_eq!(done.last, Some((3, Outcome::Retry, Decision::Exhausted)));
}

#[tokio::test]
async fn only_a_transport_that_was_there_repeats_at_once() {
    // A closed port: three attempts and no more, which the events count.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = closed.local_addr().unwrap();
    drop(closed);
    let (layer, budget, seen) = layered(Classifier::A6, three());
    let mut client = HealthClient::new(layer.layer(channel(address).connect_lazy()));
    client.check(HealthCheckRequest::default()).await.unwrap_err();
    assert_eq!((budget.tokens(), seen.lock().unwrap().len()), (7.0, 3));
}

#[tokio::test]
async fn a_reset_is_repeated_if_its_code_is_listed_and_the_request_idempotent() {
    let reset = || vec![Act::Reset(code::INTERNAL_ERROR)];
    let listed = Classifier::A6.codes(&[Code::Internal]);
    let done = unary(listed.idempotent(true), [reset(), success()]).await;
    assert_eq!((done.requests, done.tokens), (2, 9.1));
    for classifier in [listed, Classifier::A6.idempotent(true)] {
        let done = unary(classifier, [reset(), success()]).await;
        assert_eq!((done.requests, done.tokens), (1, 9.0), "{classifier:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_callers_timeout_covers_the_whole_call() {
    // Each attempt fails after 100 ms; the waits are 100 ms.
    let slow = || {
        let wait = Act::Wait(Duration::from_millis(100));
        [vec![wait], unavailable()].concat()
    };
    let server = Server::start([slow()]).await;
    let policy = Policy::new(9).backoff(Backoff::constant(Duration::from_millis(100)));
    let (layer, _, seen) = layered(Classifier::A6.idempotent(true), policy);
    let mut client = HealthClient::new(layer.layer(lazy(&server)));
    let mut request = Request::new(HealthCheckRequest::default());
    request.set_timeout(Duration::from_millis(450));
    let started = Instant::now();
    client.check(request).await.unwrap_err();
    let took = started.elapsed();
    assert!(took <= Duration::from_millis(460), "{took:?}");
    let timeouts: Vec<Duration> = server
        .received()
        .iter()
        .map(|request| micros(request.header("grpc-timeout").unwrap()))
        .collect();
    // The third attempt starts after 400 ms and more, with what is left.
    assert_eq!(timeouts.len(), 3, "{timeouts:?}");
    assert_eq!(timeouts[0], Duration::from_millis(450));
    assert!(timeouts[1] <= Duration::from_millis(250), "{timeouts:?}");
    assert!(timeouts[2] <= Duration::from_millis(50), "{timeouts:?}");
    assert_eq!(seen.lock().unwrap().last().unwrap().2, Decision::Expired);
}

fn micros(text: &str) -> Duration {
    let (digits, unit) = text.split_at(text.len() - 1);
    let value: u64 = digits.parse().unwrap();
    match unit {
        "S" => Duration::from_secs(value),
        "m" => Duration::from_millis(value),
        "u" => Duration::from_micros(value),
        "n" => Duration::from_nanos(value),
        other => panic!("a unit {other}"),
    }
}

#[tokio::test(start_paused = true)]
async fn the_curve_starts_over_after_a_pushback() {
    let script = [unavailable(), unavailable(), pushed_back("7"), unavailable(), success()];
    let server = Server::start(script).await;
    let policy = Policy::new(9).backoff(
        Backoff::exponential(Duration::from_secs(1), Duration::from_secs(60))
            .jitter(retry_runtime::Jitter::None),
    );
    let (layer, _, seen) = layered(Classifier::A6, policy);
    let mut client = HealthClient::new(layer.layer(lazy(&server)));
    client.check(HealthCheckRequest::default()).await.unwrap();
    let waits: Vec<_> = seen
        .lock()
        .unwrap()
        .iter()
        .filter_map(|seen| match seen.2 {
            Decision::Again { delay } => Some(delay.as_millis()),
            _ => None,
        })
        .collect();
    assert_eq!(waits, [1000, 2000, 7, 1000]);
}

#[tokio::test]
async fn a_pushback_that_refuses_ends_the_call_and_counts() {
    for value in ["-1", "soon"] {
        let done = unary(Classifier::A6, [pushed_back(value), success()]).await;
        assert_eq!((done.requests, done.tokens), (1, 9.0), "{value}");
    }
}

#[tokio::test]
async fn a_request_can_have_settings_of_its_own() {
    let server = Server::start([unavailable()]).await;
    let (layer, budget, _) = layered(Classifier::A6, three());
    let mut client = HealthClient::new(layer.layer(lazy(&server)));
    let own = Arc::new(Budget::new(10, 0.1));
    let mut request = Request::new(HealthCheckRequest::default());
    let twice = Policy::new(2).backoff(Backoff::none());
    request.extensions_mut().insert(CallSettings::new().policy(twice).budget(own.clone()));
    client.check(request).await.unwrap_err();
    assert_eq!((server.requests(), own.tokens(), budget.tokens()), (2, 8.0, 10.0));
}
