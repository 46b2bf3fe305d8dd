//! The layer below a generated client, row by row of gRFC A6: what each case costs and how
//! often the server is asked.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use retry_runtime::tower::{CallSettings, RetryLayer};
use retry_runtime::{Backoff, Budget, Decision, NoBudget, Outcome, Policy};
use retry_tonic::{Classifier, GrpcExchange};
use scripted_server::http2::{Act, Server, code};
use tokio::time::Instant;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};
use tower::{BoxError, Layer, ServiceBuilder};

use super::channel;

/// What an observer saw: attempt, outcome, decision.
type Seen = Arc<Mutex<Vec<(u32, Outcome, Decision)>>>;

type Layered = RetryLayer<GrpcExchange, Arc<Budget>>;

/// A layer whose budget and events can be looked at.
fn layered(classifier: Classifier, policy: Policy) -> (Layered, Arc<Budget>, Seen) {
    let (budget, seen) = (Arc::new(Budget::new(10, 0.1)), Seen::default());
    let log = seen.clone();
    let layer = RetryLayer::with(policy, budget.clone(), GrpcExchange::new(classifier)).observe(
        move |event| {
            log.lock().unwrap().push((event.attempt, event.outcome, event.decision));
        },
    );
    (layer, budget, seen)
}

fn three() -> Policy {
    Policy::new(3).backoff(Backoff::none())
}

fn lazy(server: &Server) -> Channel {
    channel(server.address()).connect_lazy()
}

struct Done {
    result: Result<HealthCheckResponse, Status>,
    requests: usize,
    tokens: f64,
    last: Option<(u32, Outcome, Decision)>,
}

/// One unary call through the layer, to a server with this script.
async fn unary(classifier: Classifier, script: impl IntoIterator<Item = Vec<Act>>) -> Done {
    let server = Server::start(script).await;
    let (layer, budget, seen) = layered(classifier, three());
    let mut client = HealthClient::new(layer.layer(lazy(&server)));
    let result = client.check(HealthCheckRequest::default()).await;
    let last = seen.lock().unwrap().last().copied();
    Done {
        result: result.map(tonic::Response::into_inner),
        requests: server.requests(),
        tokens: budget.tokens(),
        last,
    }
}

/// `HealthCheckResponse { status: SERVING }`.
fn message() -> Act {
    Act::grpc_message(&[8, 1])
}

fn success() -> Vec<Act> {
    vec![Act::grpc_head(), message(), Act::grpc_trailers(0)]
}

fn unavailable() -> Vec<Act> {
    Act::grpc_status(14)
}

fn pushed_back(value: &str) -> Vec<Act> {
    let headers = vec![
        ("content-type", "application/grpc".to_string()),
        ("grpc-status", "14".to_string()),
        ("grpc-retry-pushback-ms", value.to_string()),
    ];
    vec![Act::Head(200, headers), Act::End]
}

#[tokio::test]
async fn a_proxys_answer_is_retried_and_charged_with_and_without_a_page() {
    for status in [429, 502, 503, 504] {
        for page in ["", "busy", "<html>Bad Gateway</html>"] {
            let mut acts = vec![Act::Head(status, vec![("content-type", "text/html".into())])];
            acts.extend([Act::Data(page.into()), Act::End]);
            let done = unary(Classifier::A6, [acts]).await;
            assert_eq!((done.requests, done.tokens), (3, 7.0), "{status} {page:?}");
            assert!(done.result.is_err());
        }
    }
}

#[tokio::test]
async fn a_proxys_answer_that_is_no_outage_is_judged_by_its_mapping() {
    for (status, tokens) in [(400, 10.0), (401, 10.0), (403, 10.0), (404, 10.0), (500, 9.0)] {
        let acts = vec![Act::Head(status, Vec::new()), Act::Data(b"page".to_vec()), Act::End];
        let done = unary(Classifier::A6, [acts]).await;
        assert_eq!((done.requests, done.tokens), (1, tokens), "{status}");
    }
}

#[tokio::test]
async fn thirty_answers_of_a_broken_proxy_never_fill_the_budget() {
    let server = Server::start([vec![Act::Head(503, Vec::new()), Act::End]]).await;
    let (layer, budget, _) = layered(Classifier::A6, three());
    let mut client = HealthClient::new(layer.layer(lazy(&server)));
    for _ in 0..30 {
        let before = budget.tokens();
        client.check(HealthCheckRequest::default()).await.unwrap_err();
        assert!(budget.tokens() < before || budget.tokens() == 0.0);
    }
    assert_eq!(budget.tokens(), 0.0);
}

#[tokio::test]
async fn an_answer_that_has_begun_is_committed_and_its_failure_counts() {
    let cut = |end: Act| vec![Act::grpc_head(), end];
    let after_message = |end: Act| vec![Act::grpc_head(), message(), end];
    for acts in [
        cut(Act::grpc_trailers(14)),
        after_message(Act::grpc_trailers(14)),
        // No status at all.
        cut(Act::End),
        after_message(Act::End),
    ] {
        // Not even where it would be harmless: its headers have reached the caller.
        for classifier in [Classifier::A6, Classifier::A6.idempotent(true)] {
            let done = unary(classifier, [acts.clone(), success()]).await;
            assert_eq!((done.requests, done.tokens), (1, 9.0), "{acts:?}");
            assert_eq!(done.last, Some((1, Outcome::Fail, Decision::Failed)), "{acts:?}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_committed_and_counts() {
    for end in [Act::Reset(code::REFUSED_STREAM), Act::Reset(code::CANCEL), Act::Close] {
        let server = Server::start([vec![Act::grpc_head(), Act::Hold, end.clone()]]).await;
        let (layer, budget, seen) = layered(Classifier::A6.idempotent(true), three());
        let mut client = HealthClient::new(layer.layer(lazy(&server)));
        let mut stream = client.watch(HealthCheckRequest::default()).await.unwrap().into_inner();
        // The head has come, and nothing is judged yet.
        assert_eq!((budget.tokens(), seen.lock().unwrap().len()), (10.0, 0));
        server.release();
        stream.message().await.unwrap_err();
        assert_eq!((server.requests(), budget.tokens()), (1, 9.0), "{end:?}");
    }
}

#[tokio::test]
async fn a_caller_error_after_the_head_is_free() {
    // INVALID_ARGUMENT is not in the list.
    let done = unary(Classifier::A6, [vec![Act::grpc_head(), Act::grpc_trailers(3)]]).await;
    assert_eq!((done.requests, done.tokens), (1, 10.0));
    assert_eq!(done.last, Some((1, Outcome::Stop, Decision::Stopped)));
}

#[tokio::test]
async fn a_stream_is_judged_when_it_ends() {
    for (last, tokens, outcome) in [(0, 9.1, Outcome::Success), (14, 8.0, Outcome::Fail)] {
        let script = [
            unavailable(),
            vec![Act::grpc_head(), message(), message(), Act::Hold, Act::grpc_trailers(last)],
        ];
        let server = Server::start(script).await;
        let (layer, budget, seen) = layered(Classifier::A6, three());
        let mut client = HealthClient::new(layer.layer(lazy(&server)));
        let mut stream = client.watch(HealthCheckRequest::default()).await.unwrap().into_inner();
        assert!(stream.message().await.unwrap().is_some());
        assert!(stream.message().await.unwrap().is_some());
        assert_eq!(budget.tokens(), 9.0);
        server.release();
        assert_eq!(stream.message().await.is_ok(), last == 0);
        assert_eq!(budget.tokens(), tokens);
        let attempts: Vec<_> = seen.lock().unwrap().iter().map(|seen| (seen.0, seen.1)).collect();
        assert_eq!(attempts, [(1, Outcome::Retry), (2, outcome)]);
    }
}

#[tokio::test]
async fn a_stream_that_its_caller_drops_says_nothing() {
    let server = Server::start([vec![Act::grpc_head(), message(), Act::Hang]]).await;
    let (layer, budget, seen) = layered(Classifier::A6, three());
    let mut client = HealthClient::new(layer.layer(lazy(&server)));
    let mut stream = client.watch(HealthCheckRequest::default()).await.unwrap().into_inner();
    assert!(stream.message().await.unwrap().is_some());
    drop(stream);
    assert_eq!((budget.tokens(), seen.lock().unwrap().len()), (10.0, 0));
}

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
async fn details_that_are_not_base64_panic_nobody() {
    let details = ("grpc-status-details-bin", "not base64!".to_string());
    let mut head = vec![("content-type", "application/grpc".to_string())];
    let status = ("grpc-status", "14".to_string());
    let trailers_only = [head.clone(), vec![status.clone(), details.clone()]].concat();
    let done = unary(Classifier::A6, [vec![Act::Head(200, trailers_only), Act::End]]).await;
    assert_eq!(done.result.unwrap_err().code(), Code::Unavailable);
    assert_eq!(done.requests, 3);

    head.truncate(1);
    let acts = vec![Act::Head(200, head), Act::Trailers(vec![status, details])];
    let done = unary(Classifier::A6, [acts]).await;
    assert_eq!(done.result.unwrap_err().code(), Code::Unavailable);
    assert_eq!((done.requests, done.tokens), (1, 9.0));
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

/// A unary call through any stack of layers.
async fn checked<S>(service: S) -> Result<HealthCheckResponse, Status>
where
    S: tower::Service<
            http::Request<tonic::body::Body>,
            Response = http::Response<tonic::body::Body>,
            Future: Send,
        >,
    S::Error: Into<BoxError>,
{
    let mut client = HealthClient::new(service);
    Ok(client.check(HealthCheckRequest::default()).await?.into_inner())
}

#[tokio::test]
async fn the_layer_goes_over_timeouts_buffers_limits_and_interceptors() {
    let script = || [unavailable(), success()];
    let budget = Arc::new(Budget::new(10, 0.1));
    // The classifier's marker is inferred from the errors of each stack.
    macro_rules! layer {
        () => {
            RetryLayer::with(three(), budget.clone(), GrpcExchange::new(Classifier::A6))
        };
    }

    let server = Server::start(script()).await;
    let stack = ServiceBuilder::new()
        .layer(layer!())
        .timeout(Duration::from_secs(60))
        .service(lazy(&server));
    assert!(checked(stack).await.is_ok());

    let server = Server::start(script()).await;
    let stack = ServiceBuilder::new()
        .layer(layer!())
        .load_shed()
        .concurrency_limit(8)
        .service(lazy(&server));
    assert!(checked(stack).await.is_ok());

    let server = Server::start(script()).await;
    let stack = ServiceBuilder::new().layer(layer!()).buffer(8).service(lazy(&server));
    assert!(checked(stack).await.is_ok());

    let server = Server::start(script()).await;
    let interceptor = |mut request: Request<()>| {
        request.metadata_mut().insert("authorization", "token".parse().unwrap());
        Ok(request)
    };
    let intercepted =
        tonic::service::interceptor::InterceptedService::new(lazy(&server), interceptor);
    assert!(checked(layer!().layer(intercepted)).await.is_ok());
    assert_eq!(server.received()[1].header("authorization"), Some("token"));
    assert_eq!(budget.tokens(), 6.4);
}

#[tokio::test(start_paused = true)]
async fn a_timeout_below_the_layer_is_perhaps_processed() {
    let server = Server::start([vec![Act::Hang]]).await;
    for (classifier, requests, tokens) in
        [(Classifier::A6, 1, 9.0), (Classifier::A6.idempotent(true), 4, 7.0)]
    {
        let budget = Arc::new(Budget::new(10, 0.1));
        let stack = ServiceBuilder::new()
            .layer(RetryLayer::with(three(), budget.clone(), GrpcExchange::new(classifier)))
            .timeout(Duration::from_secs(60))
            .service(lazy(&server));
        assert!(checked(stack).await.is_err());
        assert_eq!((server.requests(), budget.tokens()), (requests, tokens));
    }
}

#[tokio::test]
async fn a_load_that_is_shed_below_the_layer_is_nobodys_failure() {
    let server = Server::start([vec![Act::Hang]]).await;
    let budget = Arc::new(Budget::new(10, 0.1));
    let stack = ServiceBuilder::new()
        .layer(RetryLayer::with(three(), budget.clone(), GrpcExchange::new(Classifier::A6)))
        .load_shed()
        .concurrency_limit(1)
        .service(lazy(&server));
    let running = tokio::spawn(checked(stack.clone()));
    while server.requests() == 0 {
        tokio::task::yield_now().await;
    }
    assert!(checked(stack).await.is_err());
    assert_eq!((server.requests(), budget.tokens()), (1, 10.0));
    running.abort();
}

#[tokio::test]
async fn an_event_says_the_code_or_what_happened_to_the_connection() {
    for (acts, why) in [
        (unavailable(), "Unavailable"),
        (vec![Act::Head(404, Vec::new()), Act::End], "Unimplemented"),
        (vec![Act::Close], "ConnectionLost"),
    ] {
        let server = Server::start([acts]).await;
        let said = Arc::new(Mutex::new(Vec::new()));
        let log = said.clone();
        let layer = RetryLayer::with(Policy::new(1), NoBudget, GrpcExchange::new(Classifier::A6))
            .settings_for(|_: &http::Request<tonic::body::Body>| CallSettings::new())
            .observe(move |event| {
                let error = event.error.map(|error| error.to_string());
                log.lock().unwrap().push(error.unwrap_or_default());
            });
        let mut client = HealthClient::new(layer.layer(lazy(&server)));
        client.check(HealthCheckRequest::default()).await.unwrap_err();
        assert_eq!(*said.lock().unwrap(), [why]);
    }
}
