//! The classifier over a real client, against a server on loopback that fails in
//! every way. The number of requests is counted at the server.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use reqwest::{Body, Client, ClientBuilder, Method, Request, Response, Url};
use retry_reqwest::{Classifier, error_kind};
use retry_runtime::http::{ErrorKind, HttpPolicy, HttpPolicyPatch};
use retry_runtime::{Budget, Classify, Decision, Outcome, PolicyPatch};
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
async fn a_post_is_repeated_after_a_status_only_if_the_policy_says_so_and_redirects_are_off() {
    for (policy, redirects, requests) in [
        (HttpPolicy::DEFAULT, true, 1),
        (HttpPolicy::DEFAULT, false, 1),
        (HttpPolicy::TRANSPORT, false, 1),
        (HttpPolicy::ANY_5XX_EXACT, true, 1),
        (HttpPolicy::ANY_5XX_EXACT, false, 2),
    ] {
        let server = Server::start([Step::status(503), Step::status(200)]).await;
        let post = || request(Method::POST, &server.url(""));
        let done = match redirects {
            true => send(&client(), policy, post).await,
            false => send_without_redirects(policy, post).await,
        };
        assert_eq!(server.requests(), requests, "{policy:?}");
        if requests == 1 {
            assert_eq!((done.result.unwrap().status().as_u16(), done.tokens), (503, 9.0));
        }
    }
}

/// What a server on loopback has to say to the GET that follows a POST.
#[tokio::test(start_paused = true)]
async fn a_post_that_was_carried_out_and_redirected_is_not_sent_again() {
    let keen = HttpPolicy::ANY_5XX_EXACT.merge(&HttpPolicyPatch::new().retry_unsent(true)).unwrap();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}/", closed.local_addr().unwrap());
    drop(closed);
    for policy in [HttpPolicy::DEFAULT, HttpPolicy::TRANSPORT, HttpPolicy::ANY_5XX_EXACT, keen] {
        for status in [301, 302, 303] {
            for location in ["/charges/7", "/charges", &nobody] {
                let redirect = Step::Answer(status, vec![("location", location.into())], "");
                let server = Server::start([redirect, Step::status(503)]).await;
                let post = || request(Method::POST, &server.url("charges"));
                let done = send(&client(), policy, post).await;
                let posts = server.received().iter().filter(|r| r.method() == "POST").count();
                assert_eq!(posts, 1, "{status} to {location}: {policy:?}");
                assert_eq!((done.decision, done.tokens), (Decision::Failed, 9.0), "{location}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_get_that_is_redirected_is_repeated_whole() {
    let redirect = || Step::Answer(302, vec![("location", "/there".into())], "");
    let script = [redirect(), Step::status(503), redirect(), Step::status(200)];
    let server = Server::start(script).await;
    let get = || request(Method::GET, &server.url("here"));
    let done = send(&client(), HttpPolicy::DEFAULT, get).await;
    assert_eq!((done.result.unwrap().status().as_u16(), server.requests()), (200, 4));
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
async fn a_refused_port_proves_that_nothing_was_sent() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", closed.local_addr().unwrap());
    drop(closed);

    let done = send(&client(), HttpPolicy::DEFAULT, || request(Method::GET, &url)).await;
    assert_eq!((done.decision, done.tokens), (Decision::Exhausted, 7.0));
    assert_eq!(error_kind(&done.result.unwrap_err()), ErrorKind::Connect);

    // It may have been a redirect that led to the port.
    let done = send(&client(), HttpPolicy::DEFAULT, || request(Method::POST, &url)).await;
    assert_eq!((done.decision, done.tokens), (Decision::Failed, 9.0));

    let post = || request(Method::POST, &url);
    let done = send_without_redirects(HttpPolicy::DEFAULT, post).await;
    assert_eq!((done.decision, done.tokens), (Decision::Exhausted, 7.0));

    let patch = HttpPolicyPatch::new().retry_unsent(false);
    let policy = HttpPolicy::DEFAULT.merge(&patch).unwrap();
    let done = send_without_redirects(policy, post).await;
    assert_eq!((done.decision, done.tokens), (Decision::Failed, 9.0));
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
async fn retry_after_is_obeyed_in_every_form() {
    let soon = httpdate::fmt_http_date(SystemTime::now() + 20 * SECOND);
    for (header, value, least, most) in [
        ("retry-after", "7", 7000, 7010),
        ("retry-after", "0.314", 314, 325),
        ("retry-after-ms", "250", 250, 260),
        ("retry-after", "0", 100, 110),
        ("retry-after", soon.as_str(), 15_000, 20_010),
        ("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT", 100, 110),
        ("retry-after", "tomorrow", 375, 510),
        ("retry-after", "", 375, 510),
    ] {
        let server = Server::start([Step::busy(header, value), Step::status(200)]).await;
        let get = || request(Method::GET, &server.url(""));
        let done = send(&client(), HttpPolicy::ANY_5XX_EXACT, get).await;
        assert_eq!(done.result.unwrap().status(), 200);
        let waited = done.waited.as_millis();
        assert!((least..=most).contains(&waited), "{header}: {value}: {waited} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn a_time_limit_shorter_than_the_servers_delay_returns_at_once() {
    let server = Server::start([Step::busy("retry-after", "20")]).await;
    let patch = HttpPolicyPatch::new().policy(PolicyPatch::new().within(10 * SECOND));
    let policy = HttpPolicy::DEFAULT.merge(&patch).unwrap();
    let done = send(&client(), policy, || request(Method::GET, &server.url(""))).await;
    assert_eq!(done.result.unwrap().status(), 503);
    assert_eq!((server.requests(), done.decision), (1, Decision::Expired));
    assert!(done.waited < SECOND, "{:?}", done.waited);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_http_is_not_asked_again_and_counts_as_a_failure() {
    let server = Server::start([Step::Garbage]).await;
    let done = send(&client(), HttpPolicy::DEFAULT, || request(Method::GET, &server.url(""))).await;
    assert_eq!(error_kind(&done.result.unwrap_err()), ErrorKind::Response);
    assert_eq!((server.requests(), done.tokens), (1, 9.0));
}

#[tokio::test(start_paused = true)]
async fn redirects_without_end_are_not_asked_again() {
    let around = Step::Answer(302, vec![("location", "/again".into())], "");
    let server = Server::start([around]).await;
    let done = send(&client(), HttpPolicy::DEFAULT, || request(Method::GET, &server.url(""))).await;
    assert_eq!(error_kind(&done.result.unwrap_err()), ErrorKind::Response);
    assert_eq!((done.decision, done.tokens), (Decision::Failed, 9.0));
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

#[tokio::test]
async fn a_certificate_that_does_not_verify_is_not_tried_again() {
    let certified = builder();
    let names = vec!["127.0.0.1".to_string()];
    let served = rcgen::generate_simple_self_signed(names.clone()).unwrap();
    let trusted = rcgen::generate_simple_self_signed(names).unwrap();

    let key = rustls::pki_types::PrivateKeyDer::try_from(served.signing_key.serialize_der());
    let config = rustls::ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![served.cert.der().clone()], key.unwrap())
        .unwrap();
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    let handshakes = Arc::new(AtomicUsize::new(0));
    let counter = handshakes.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counter.fetch_add(1, Ordering::SeqCst);
            let _ = acceptor.accept(stream).await;
        }
    });

    let trusted = reqwest::Certificate::from_der(trusted.cert.der()).unwrap();
    let client = certified.tls_certs_only([trusted]).build().unwrap();
    let done = send(&client, HttpPolicy::DEFAULT, || request(Method::GET, &url)).await;
    let error = done.result.unwrap_err();
    assert!(error.is_connect());
    assert_eq!(error_kind(&error), ErrorKind::Certificate);
    assert_eq!(handshakes.load(Ordering::SeqCst), 1);
    assert_eq!((done.decision, done.tokens), (Decision::Stopped, 10.0));
}

/// Answers whatever begins a connection with `bytes`, and counts the connections.
async fn answering(bytes: &'static [u8]) -> (std::net::SocketAddr, Arc<AtomicUsize>) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let counter = connections.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            counter.fetch_add(1, Ordering::SeqCst);
            let mut hello = [0; 4096];
            let _ = stream.read(&mut hello).await;
            let _ = stream.write_all(bytes).await;
        }
    });
    (address, connections)
}

/// TLS's record of an alert, fatal, with a description (RFC 8446 section 6).
#[tokio::test]
async fn an_alert_that_says_internal_error_is_no_matter_of_certificates() {
    for (alert, expected) in [
        (&[21, 3, 3, 0, 2, 2, 80], ErrorKind::Connect), // internal_error
        (&[21, 3, 3, 0, 2, 2, 42], ErrorKind::Certificate), // bad_certificate
        (&[21, 3, 3, 0, 2, 2, 40], ErrorKind::Certificate), // handshake_failure
    ] {
        let (address, _) = answering(alert).await;
        let error = trusting().get(format!("https://{address}/")).send().await.unwrap_err();
        assert_eq!(error_kind(&error), expected, "{alert:?}: {error:?}");
    }
}

/// A client that trusts some certificate, so that it speaks TLS at all.
fn trusting() -> Client {
    let builder = builder();
    let trusted = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_string()]).unwrap();
    let trusted = reqwest::Certificate::from_der(trusted.cert.der()).unwrap();
    builder.tls_certs_only([trusted]).build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_proxy_that_wants_authorization_is_not_asked_again_and_one_that_is_busy_is() {
    for (status, kind, asked) in [
        (407, ErrorKind::Request, 1),
        (502, ErrorKind::Connect, 3),
        (503, ErrorKind::Connect, 3),
        (504, ErrorKind::Connect, 3),
    ] {
        let proxy = Server::start([Step::status(status)]).await;
        let trusted = rcgen::generate_simple_self_signed(vec!["localhost".to_string()]).unwrap();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .retry(reqwest::retry::never())
            .proxy(reqwest::Proxy::https(proxy.url("")).unwrap())
            .tls_certs_only([reqwest::Certificate::from_der(trusted.cert.der()).unwrap()])
            .build()
            .unwrap();
        let get = || request(Method::GET, "https://localhost:1/");
        let done = send(&client, HttpPolicy::DEFAULT, get).await;
        assert_eq!(error_kind(&done.result.unwrap_err()), kind, "{status}");
        assert_eq!(proxy.requests(), asked, "{status}");
        assert_eq!(proxy.received()[0].method(), "CONNECT");
    }
}
