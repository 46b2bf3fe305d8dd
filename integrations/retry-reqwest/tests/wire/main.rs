//! The classifier over a real client, against a server on loopback that fails in
//! every way. The number of requests is counted at the server.

mod connect;
mod delays;
mod redirects;

use std::io;
use std::time::Duration;

use reqwest::{Body, Client, ClientBuilder, Method, Request, Response, Url};
use retry_reqwest::{Classifier, error_kind};
use retry_runtime::http::{ErrorKind, HttpPolicy};
use retry_runtime::{Budget, Classify, Decision, Outcome};
use scripted_server::{Server, Step};
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

/// What a call came to.
struct Done {
    result: Result<Response, reqwest::Error>,
    decision: Decision,
    tokens: f64,
    waited: Duration,
}

/// A request that is made anew for each attempt, as the body of a retried function
/// makes it.
async fn send(client: &Client, policy: HttpPolicy, request: impl Fn() -> Request) -> Done {
    let classifier = Classifier::for_request(&policy, &request());
    send_judged(client, policy, classifier, request).await
}

/// As [`send`], by a client that follows no redirects.
async fn send_without_redirects(policy: HttpPolicy, request: impl Fn() -> Request) -> Done {
    let client = builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let classifier = Classifier::for_request(&policy, &request()).without_redirects();
    send_judged(&client, policy, classifier, request).await
}

async fn send_judged(
    client: &Client,
    policy: HttpPolicy,
    classifier: Classifier,
    request: impl Fn() -> Request,
) -> Done {
    let budget = Budget::new(10, 0.1);
    let attempts = policy.policy();
    let started = Instant::now();
    let mut call = attempts.call(&budget);
    let result = loop {
        let result = client.execute(request()).await;
        let outcome = classifier.classify(&result);
        if !call.again(outcome).await {
            break result;
        }
    };
    let decision = call.decision().unwrap();
    Done { result, decision, tokens: budget.tokens(), waited: started.elapsed() }
}

/// Without reqwest's own retries, so that every request is one of ours.
fn builder() -> ClientBuilder {
    // Fails if another test was first, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().no_proxy().retry(reqwest::retry::never())
}

fn client() -> Client {
    builder().build().unwrap()
}

fn request(method: Method, url: &str) -> Request {
    let mut request = Request::new(method, Url::parse(url).unwrap());
    *request.body_mut() = Some(Body::from("every byte of it"));
    request
}

fn keyed(url: &str) -> Request {
    let mut request = request(Method::POST, url);
    request.headers_mut().insert("idempotency-key", "8e03978e".parse().unwrap());
    request
}

#[tokio::test(start_paused = true)]
async fn a_busy_server_is_asked_again_with_the_same_body() {
    let server = Server::start([Step::status(503), Step::status(200)]).await;
    let done =
        send(&client(), HttpPolicy::DEFAULT, || request(Method::GET, &server.url("a"))).await;
    assert_eq!(done.result.unwrap().text().await.unwrap(), "body");
    let received = server.received();
    assert_eq!(received.len(), 2);
    assert_eq!(received[0], received[1]);
    assert_eq!(received[0].body, b"every byte of it");
    assert_eq!(done.tokens, 9.1);
}

#[tokio::test(start_paused = true)]
async fn a_lost_connection_is_tried_again_for_get_and_not_for_post() {
    for step in [Step::Close, Step::Reset, Step::CloseOnAccept] {
        // The step that accepts and closes reads no request, so it counts none.
        let read = usize::from(!matches!(step, Step::CloseOnAccept));

        let server = Server::start([step.clone(), Step::status(200)]).await;
        let get = || request(Method::GET, &server.url(""));
        let done = send(&client(), HttpPolicy::DEFAULT, get).await;
        assert_eq!(done.result.unwrap().status(), 200, "{step:?}");
        assert_eq!(server.requests(), read + 1, "{step:?}");

        let server = Server::start([step.clone(), Step::status(200)]).await;
        let post = || request(Method::POST, &server.url(""));
        let done = send(&client(), HttpPolicy::DEFAULT, post).await;
        // Closed before a byte was written, hyper may know that nothing was sent.
        match error_kind(&done.result.unwrap_err()) {
            ErrorKind::ConnectionLost => {}
            ErrorKind::Connect | ErrorKind::NotProcessed if read == 0 => {}
            kind => panic!("{step:?} is {kind:?}"),
        }
        assert_eq!((server.requests(), server.connections()), (read, 1), "{step:?}");
        assert_eq!((done.decision, done.tokens), (Decision::Failed, 9.0), "{step:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_post_with_a_key_reaches_the_server_twice_with_the_same_key_and_body() {
    let server = Server::start([Step::Close, Step::status(200)]).await;
    let done = send(&client(), HttpPolicy::DEFAULT, || keyed(&server.url("charges"))).await;
    assert_eq!(done.result.unwrap().status(), 200);
    let received = server.received();
    assert_eq!(received.len(), 2);
    assert_eq!(received[0], received[1]);
    assert_eq!(received[0].header("idempotency-key"), Some("8e03978e"));
    assert_eq!(received[0].method(), "POST");
}

#[tokio::test(start_paused = true)]
async fn a_cut_body_is_a_lost_connection_though_reqwest_calls_it_decoding() {
    let server = Server::start([Step::CutBody]).await;
    let error = client().get(server.url("")).send().await.unwrap().text().await.unwrap_err();
    assert!(error.is_decode());
    assert_eq!(error_kind(&error), ErrorKind::ConnectionLost);

    // Attempts that read the body retry it.
    let server = Server::start([Step::CutBody, Step::status(200)]).await;
    let (client, budget) = (client(), Budget::new(10, 0.1));
    let policy = HttpPolicy::DEFAULT.for_method(&Method::GET);
    let (classifier, attempts) = (Classifier::new(policy).errors(), policy.policy());
    let mut call = attempts.call(&budget);
    let text = loop {
        let attempt = async { client.get(server.url("")).send().await?.text().await };
        let result = attempt.await;
        let outcome = classifier.classify(&result);
        if !call.again(outcome).await {
            break result;
        }
    };
    assert_eq!(text.unwrap(), "body");
    assert_eq!(server.requests(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_slow_server_is_a_timeout_that_only_a_repeatable_request_survives() {
    let slow = builder().timeout(2 * SECOND).build().unwrap();
    let late = Step::Slow(3600 * SECOND);

    let server = Server::start([late.clone()]).await;
    let done = send(&slow, HttpPolicy::DEFAULT, || request(Method::POST, &server.url(""))).await;
    assert_eq!(error_kind(&done.result.unwrap_err()), ErrorKind::Timeout);
    assert_eq!((done.decision, done.tokens), (Decision::Failed, 9.0));

    let done = send(&slow, HttpPolicy::DEFAULT, || request(Method::GET, &server.url(""))).await;
    assert_eq!(error_kind(&done.result.unwrap_err()), ErrorKind::Timeout);
    assert_eq!((done.decision, done.tokens), (Decision::Exhausted, 7.0));
}

#[tokio::test(start_paused = true)]
async fn what_is_not_http_is_not_asked_again_and_counts_as_a_failure() {
    let server = Server::start([Step::Garbage]).await;
    let done = send(&client(), HttpPolicy::DEFAULT, || request(Method::GET, &server.url(""))).await;
    assert_eq!(error_kind(&done.result.unwrap_err()), ErrorKind::Response);
    assert_eq!((server.requests(), done.tokens), (1, 9.0));
}

#[tokio::test(start_paused = true)]
async fn a_body_of_ours_that_fails_is_not_sent_again() {
    let server = Server::start([Step::status(200)]).await;
    let failing = || {
        let mut request = request(Method::PUT, &server.url(""));
        let broken = futures_util::stream::iter([
            Ok("some"),
            Err(io::Error::from(io::ErrorKind::ConnectionReset)),
        ]);
        *request.body_mut() = Some(Body::wrap_stream(broken));
        request
    };
    let done = send(&client(), HttpPolicy::TRANSPORT, failing).await;
    assert_eq!(error_kind(&done.result.unwrap_err()), ErrorKind::Request);
    assert_eq!((done.decision, done.tokens), (Decision::Stopped, 10.0));
}

#[tokio::test(start_paused = true)]
async fn content_that_does_not_parse_is_not_asked_again() {
    let server = Server::start([Step::status(200)]).await;
    let error = client().get(server.url("")).send().await.unwrap().json::<u32>().await.unwrap_err();
    assert_eq!(error_kind(&error), ErrorKind::Content);
}

#[tokio::test(start_paused = true)]
async fn the_status_in_an_error_is_judged_without_its_headers() {
    let server = Server::start([Step::busy("retry-after", "7"), Step::status(404)]).await;
    let classifier = Classifier::new(HttpPolicy::DEFAULT.for_method(&Method::GET));
    for expected in [Outcome::Retry, Outcome::Stop] {
        let response = client().get(server.url("")).send().await.unwrap();
        let error = response.error_for_status().unwrap_err();
        assert_eq!(classifier.classify_error(&error), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_pool_of_one_connection_serves_every_attempt() {
    let server = Server::start([Step::status(503), Step::status(503), Step::status(200)]).await;
    let one = builder().pool_max_idle_per_host(1).build().unwrap();
    let done = send(&one, HttpPolicy::DEFAULT, || request(Method::GET, &server.url(""))).await;
    assert_eq!(done.result.unwrap().status(), 200);
    assert_eq!((server.requests(), server.connections()), (3, 1));
}
