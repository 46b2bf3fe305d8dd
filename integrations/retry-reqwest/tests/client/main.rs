//! The client that retries, and its layer, against a server on loopback.

mod bodies;
#[cfg(feature = "http2")]
mod http2;
mod outage;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::{Body, Method, Request, Url};
use retry_reqwest::Client;
use retry_runtime::http::{HttpPolicy, hooks};
use retry_runtime::tower::{CallEnd, CallSettings};
use retry_runtime::{Budget, Decision, Policy};
use scripted_server::{Server, Step};
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

fn http() -> reqwest::ClientBuilder {
    // Fails if another test was first, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().retry(reqwest::retry::never())
}

fn client(policy: HttpPolicy) -> (Client<Arc<Budget>>, Arc<Budget>) {
    let budget = Arc::new(Budget::new(10, 0.1));
    (Client::new(http().build().unwrap(), policy, Arc::clone(&budget)), budget)
}

fn request(method: Method, url: &str) -> Request {
    let mut request = Request::new(method, Url::parse(url).unwrap());
    *request.body_mut() = Some(Body::from("every byte of it"));
    request
}

#[tokio::test(start_paused = true)]
async fn a_request_is_repeated_as_it_was_and_its_answer_is_whole() {
    let server = Server::start([Step::status(503), Step::Close, Step::status(200)]).await;
    let (client, budget) = client(HttpPolicy::DEFAULT);
    let response = client.execute(request(Method::PUT, &server.url("thing"))).await.unwrap();
    assert_eq!(response.text().await.unwrap(), "body");
    let received = server.received();
    assert_eq!(received.len(), 3);
    assert!(received.iter().all(|one| *one == received[0]));
    assert_eq!(received[0].body, b"every byte of it");
    assert_eq!(budget.tokens(), 8.1);
}

#[tokio::test(start_paused = true)]
async fn a_post_is_sent_once_and_with_a_key_again() {
    for (key, requests) in [(None, 1), (Some("8e03978e"), 2)] {
        for failure in [Step::status(503), Step::Close] {
            let server = Server::start([failure, Step::status(200)]).await;
            let (client, _) = client(HttpPolicy::DEFAULT);
            let mut post = request(Method::POST, &server.url("charges"));
            if let Some(key) = key {
                post.headers_mut().insert("idempotency-key", key.parse().unwrap());
            }
            let _ = client.execute(post).await;
            assert_eq!(server.requests(), requests, "{key:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_the_least_that_is_waited() {
    let server = Server::start([Step::busy("retry-after", "8"), Step::status(200)]).await;
    let (client, _) = client(HttpPolicy::DEFAULT);
    let http = http().build().unwrap();
    let started = Instant::now();
    assert_eq!(client.send(http.get(server.url(""))).await.unwrap().status(), 200);
    let waited = started.elapsed();
    assert!(waited >= 8 * SECOND && waited < 10 * SECOND, "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_sent_once_and_its_failure_counts() {
    let server = Server::start([Step::status(503), Step::status(200)]).await;
    let (client, budget) = client(HttpPolicy::DEFAULT);
    let mut put = request(Method::PUT, &server.url(""));
    let parts = futures_util::stream::iter([Ok::<_, std::io::Error>("a stream")]);
    *put.body_mut() = Some(Body::wrap_stream(parts));
    assert_eq!(client.execute(put).await.unwrap().status(), 503);
    assert_eq!((server.requests(), budget.tokens()), (1, 9.0));
}

#[tokio::test(start_paused = true)]
async fn a_post_that_was_redirected_is_not_sent_again() {
    let redirect = Step::Answer(303, vec![("location", "/charges/7".into())], "");
    let server = Server::start([redirect, Step::status(503)]).await;
    let (client, _) = client(HttpPolicy::ANY_5XX_EXACT);
    let answer = client.execute(request(Method::POST, &server.url("charges"))).await.unwrap();
    assert_eq!((answer.status().as_u16(), server.requests()), (503, 2));
}

#[tokio::test(start_paused = true)]
async fn without_redirects_a_refused_post_is_sent_again() {
    let server = Server::start([Step::status(425), Step::status(200)]).await;
    let policy = HttpPolicy::DEFAULT.overruled_by(hooks::too_early);
    let http = http().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let client = Client::without_redirects(http, policy, Arc::new(Budget::new(10, 0.1)));
    let answer = client.execute(request(Method::POST, &server.url(""))).await;
    assert_eq!((answer.unwrap().status().as_u16(), server.requests()), (200, 2));
}

#[tokio::test(start_paused = true)]
async fn an_unwanted_answer_gives_its_connection_back() {
    let server = Server::start([Step::status(503), Step::status(503), Step::status(200)]).await;
    let (client, _) = client(HttpPolicy::DEFAULT);
    let answer = client.execute(request(Method::GET, &server.url(""))).await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!((server.requests(), server.connections()), (3, 1));
}

#[tokio::test(start_paused = true)]
async fn an_observer_sees_every_attempt() {
    let server = Server::start([Step::status(503), Step::status(404)]).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let events = Arc::clone(&seen);
    let layer = retry_reqwest::layer(HttpPolicy::DEFAULT, Arc::new(Budget::new(10, 0.1)))
        .named("stock")
        .observe(move |event| {
            let again = matches!(event.decision, Decision::Again { .. });
            events.lock().unwrap().push((event.name.to_owned(), event.attempt, again));
        });
    let client = Client::of(http().build().unwrap(), &layer);
    let answer = client.execute(request(Method::GET, &server.url(""))).await.unwrap();
    assert_eq!(answer.status(), 404);
    let expected = [("stock".to_owned(), 1, true), ("stock".to_owned(), 2, false)];
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[tokio::test(start_paused = true)]
async fn an_event_says_why_and_never_the_url() {
    let server = Server::start([Step::status(503), Step::Close, Step::status(200)]).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let events = Arc::clone(&seen);
    let layer = retry_reqwest::layer(HttpPolicy::DEFAULT, Arc::new(Budget::new(10, 0.1))).observe(
        move |event| {
            let error = event.error.map(ToString::to_string).unwrap_or_default();
            events.lock().unwrap().push(error);
        },
    );
    let client = Client::of(http().build().unwrap(), &layer);
    let get = request(Method::GET, &server.url("?token=hunter2"));
    assert_eq!(client.execute(get).await.unwrap().status(), 200);
    let seen = seen.lock().unwrap();
    assert_eq!(seen[0], "status 503 Service Unavailable");
    assert!(seen[1].starts_with("connection_lost: "), "{seen:?}");
    assert!(!seen.iter().any(|error| error.contains("hunter2")), "{seen:?}");
}

#[tokio::test(start_paused = true)]
async fn a_request_has_attempts_a_deadline_and_a_budget_of_its_own() {
    let server = Server::start([Step::busy("retry-after", "20")]).await;
    let (client, shared) = client(HttpPolicy::DEFAULT);
    let own = Arc::new(Budget::new(10, 0.1));
    let settings = || CallSettings::new().budget(Arc::clone(&own));
    let get = || request(Method::GET, &server.url(""));
    let end = |answer: reqwest::Response| answer.extensions().get::<CallEnd>().unwrap().decision;

    let once = settings().policy(Policy::new(1));
    let answer = client.execute_with(get(), once).await.unwrap();
    assert_eq!((end(answer), server.requests(), own.tokens()), (Decision::Exhausted, 1, 9.0));

    let soon = settings().deadline(Instant::now() + 10 * SECOND);
    let answer = client.execute_with(get(), soon).await.unwrap();
    assert_eq!((end(answer), server.requests(), own.tokens()), (Decision::Expired, 2, 8.0));

    let given_up = settings().cancel(|| std::future::ready(()));
    let built = http().build().unwrap().get(server.url(""));
    let answer = client.send_with(built, given_up).await.unwrap();
    assert_eq!((end(answer), server.requests(), own.tokens()), (Decision::Cancelled, 3, 8.0));
    assert_eq!(shared.tokens(), 10.0);
}

#[tokio::test]
async fn a_request_that_cannot_be_built_is_not_sent() {
    let (client, budget) = client(HttpPolicy::DEFAULT);
    let http = http().build().unwrap();
    assert!(client.send(http.get("no url")).await.unwrap_err().is_builder());
    assert_eq!(budget.tokens(), 10.0);
}
