//! Settings of a call in its request, and the layer's answer in the response.

use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use retry_runtime::http::{ErrorKind, HttpPolicy};
use retry_runtime::tower::{CallEnd, CallSettings, Ending, Exchange, Http, RetryLayer};
use retry_runtime::{
    Attempt, Backoff, Budget, Decision, NoBudget, Outcome, Policy, Retrier, on_err,
};
use tokio::sync::Notify;
use tokio::time::Instant;
use tower::{Layer, Service, ServiceExt, service_fn};

type Body = Full<Bytes>;

const SECOND: Duration = Duration::from_secs(1);

fn budget() -> Arc<Budget> {
    Arc::new(Budget::new(10, 0.1))
}

fn get(uri: &str) -> Request<Body> {
    Request::builder().uri(uri).body(Full::from("body")).unwrap()
}

fn kind(_: &Infallible) -> ErrorKind {
    ErrorKind::Other
}

/// A client whose server is always busy, and that counts its requests.
fn busy(
    requests: Arc<AtomicUsize>,
) -> impl Service<
    Request<Body>,
    Response = Response<Body>,
    Error = Infallible,
    Future = Ready<Result<Response<Body>, Infallible>>,
> + Clone {
    service_fn(move |_| {
        requests.fetch_add(1, Ordering::SeqCst);
        ready(Ok(Response::builder().status(503).body(Full::from("busy")).unwrap()))
    })
}

// --- Readiness ---

/// Is not ready as many times as it is told, and then answers.
#[derive(Clone)]
struct Unready {
    errors: Arc<AtomicUsize>,
    calls: Arc<AtomicUsize>,
}

impl Service<u32> for Unready {
    type Response = u32;
    type Error = &'static str;
    type Future = Ready<Result<u32, &'static str>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), &'static str>> {
        let left = self
            .errors
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        Poll::Ready(if left.is_ok() { Err("not ready") } else { Ok(()) })
    }

    fn call(&mut self, number: u32) -> Self::Future {
        self.calls.fetch_add(1, Ordering::SeqCst);
        ready(Ok(number))
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_of_readiness_is_judged_charged_and_observed_at_every_attempt() {
    for (errors, expected, tokens, calls) in [
        (0, Ok(7), 10.0, 1),
        // The first attempt is not ready.
        (1, Ok(7), 9.1, 1),
        (2, Ok(7), 8.1, 1),
        (3, Err("not ready"), 7.0, 0),
    ] {
        let (budget, seen) = (budget(), Arc::new(Mutex::new(Vec::new())));
        let unready = Unready { errors: Arc::new(errors.into()), calls: Arc::default() };
        let retrier = Retrier::new(
            Policy::new(3).backoff(Backoff::none()),
            budget.clone(),
            on_err(|_: &&'static str| Outcome::Retry),
        );
        let log = seen.clone();
        let layer = RetryLayer::new(retrier).observe(move |event| {
            log.lock().unwrap().push(event.outcome);
        });
        assert_eq!(layer.layer(unready.clone()).oneshot(7).await, expected, "{errors} errors");
        assert_eq!(budget.tokens(), tokens, "{errors} errors");
        assert_eq!(unready.calls.load(Ordering::SeqCst), calls);
        let failures = seen.lock().unwrap().iter().filter(|seen| **seen == Outcome::Retry).count();
        assert_eq!(failures, errors);
    }
}

#[tokio::test]
async fn an_error_of_readiness_that_must_not_be_repeated_ends_the_call() {
    let budget = budget();
    let unready = Unready { errors: Arc::new(1.into()), calls: Arc::default() };
    let fail = on_err(|_: &&'static str| Outcome::Fail);
    let retrier = Retrier::new(Policy::new(3), budget.clone(), fail);
    let result = RetryLayer::new(retrier).layer(unready.clone()).oneshot(7).await;
    assert_eq!((result, budget.tokens()), (Err("not ready"), 9.0));
    assert_eq!(unready.calls.load(Ordering::SeqCst), 0);
}

// --- What a request says of its call ---

#[tokio::test(start_paused = true)]
async fn a_request_has_a_deadline_of_its_own() {
    let requests = Arc::new(AtomicUsize::new(0));
    let mut policy = HttpPolicy::TRANSPORT;
    policy.attempts = Some(100);
    let layer = RetryLayer::http(policy, NoBudget, kind);
    let mut request = get("http://stock/");
    let deadline = Instant::now() + 2 * SECOND;
    request.extensions_mut().insert(CallSettings::new().deadline(deadline));
    let response = layer.layer(busy(requests.clone())).oneshot(request).await.unwrap();
    assert!(Instant::now() <= deadline);
    let end = response.extensions().get::<CallEnd>().unwrap();
    assert_eq!(end.decision, Decision::Expired);
    assert_eq!(end.attempts as usize, requests.load(Ordering::SeqCst));
    assert!(end.attempts > 1);
}

#[tokio::test(start_paused = true)]
async fn a_request_has_attempts_and_a_budget_of_its_own() {
    let (requests, shared, own) = (Arc::new(AtomicUsize::new(0)), budget(), budget());
    let layer = RetryLayer::http(HttpPolicy::TRANSPORT, shared.clone(), kind);
    let mut request = get("http://stock/");
    let settings = CallSettings::new().policy(Policy::new(2)).budget(own.clone());
    request.extensions_mut().insert(settings);
    let response = layer.layer(busy(requests.clone())).oneshot(request).await.unwrap();
    let end = response.extensions().get::<CallEnd>().unwrap();
    assert_eq!((end.decision, end.attempts), (Decision::Exhausted, 2));
    assert_eq!((shared.tokens(), own.tokens()), (10.0, 8.0));
    assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), "busy");
}

#[tokio::test(start_paused = true)]
async fn a_wait_is_cut_short_by_the_requests_signal_or_the_layers() {
    for by_layer in [true, false] {
        let (requests, stop) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
        let signal = {
            let stop = stop.clone();
            move || {
                let stop = stop.clone();
                async move { stop.notified().await }
            }
        };
        let policy = Policy::new(9).backoff(Backoff::constant(60 * SECOND));
        let mut layer = RetryLayer::with(policy, NoBudget, Http::new(HttpPolicy::TRANSPORT, kind));
        let mut request = get("http://stock/");
        if by_layer {
            layer = layer.cancel(signal);
        } else {
            request.extensions_mut().insert(CallSettings::new().cancel(signal));
        }
        let call = tokio::spawn(layer.layer(busy(requests.clone())).oneshot(request));
        let started = Instant::now();
        tokio::time::sleep(70 * SECOND).await;
        stop.notify_one();
        let response = call.await.unwrap().unwrap();
        assert_eq!(started.elapsed(), 70 * SECOND);
        let end = response.extensions().get::<CallEnd>().unwrap();
        assert_eq!((end.decision, end.attempts), (Decision::Cancelled, 2));
        // The last answer is whole.
        assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), "busy");
    }
}

#[tokio::test(start_paused = true)]
async fn each_host_can_have_a_budget() {
    let (ledger, stock) = (budget(), budget());
    let of_host = [("ledger", ledger.clone()), ("stock", stock.clone())];
    let layer = RetryLayer::http(HttpPolicy::TRANSPORT, NoBudget, kind).settings_for(
        move |request: &Request<Body>| {
            let host = request.uri().host().unwrap();
            let (_, budget) = of_host.iter().find(|(name, _)| *name == host).unwrap();
            CallSettings::new().budget(budget.clone())
        },
    );
    let service = layer.layer(busy(Arc::default()));
    service.clone().oneshot(get("http://ledger/a")).await.unwrap();
    assert_eq!((ledger.tokens(), stock.tokens()), (7.0, 10.0));
    service.oneshot(get("http://stock/b")).await.unwrap();
    assert_eq!((ledger.tokens(), stock.tokens()), (7.0, 7.0));
}

// --- What the layer says ---

#[tokio::test(start_paused = true)]
async fn a_request_carries_its_attempts_number() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let client = service_fn(move |request: Request<Body>| {
        let attempt: &Attempt = request.extensions().get().unwrap();
        log.lock().unwrap().push((attempt.number(), attempt.max()));
        let status = if attempt.is_first() { 503 } else { 200 };
        ready(Ok::<_, Infallible>(
            Response::builder().status(status).body(Body::default()).unwrap(),
        ))
    });
    let layer = RetryLayer::http(HttpPolicy::TRANSPORT, NoBudget, kind);
    let response = layer.layer(client).oneshot(get("http://stock/")).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [(1, Some(3)), (2, Some(3))]);
    let end = response.extensions().get::<CallEnd>().unwrap();
    assert_eq!((end.decision, end.attempts), (Decision::Succeeded, 2));
}

#[tokio::test(start_paused = true)]
async fn an_error_can_say_how_long_to_wait() {
    struct Limited;
    let limited = Arc::new(AtomicUsize::new(0));
    let calls = limited.clone();
    let client = service_fn(move |_: Request<Body>| {
        let first = calls.fetch_add(1, Ordering::SeqCst) == 0;
        ready(if first { Err(Limited) } else { Ok(Response::new(Body::default())) })
    });
    let layer = RetryLayer::http(HttpPolicy::TRANSPORT, NoBudget, |_: &Limited| {
        (ErrorKind::PoolTimeout, 5 * SECOND)
    });
    let started = Instant::now();
    let result = layer.layer(client).oneshot(get("http://stock/")).await;
    assert!(result.is_ok());
    assert!(started.elapsed() >= 5 * SECOND, "{:?}", started.elapsed());
    assert_eq!(limited.load(Ordering::SeqCst), 2);
}

// --- Another exchange around `Http` ---

/// As `Http`, but 404 is retried: what was made a moment ago may not be there yet.
#[derive(Clone)]
struct Eventually<X>(X);

impl<B, D, E, X> Exchange<Request<B>, Response<D>, E> for Eventually<X>
where
    X: Exchange<Request<B>, Response<D>, E>,
{
    type Seen = X::Seen;
    type Answer = X::Answer;

    fn see(&self, request: &Request<B>) -> X::Seen {
        self.0.see(request)
    }

    fn copy(&self, request: &mut Request<B>) -> Option<Request<B>> {
        self.0.copy(request)
    }

    fn classify(&self, seen: &X::Seen, result: &Result<Response<D>, E>) -> Outcome {
        match result {
            Ok(response) if response.status() == 404 => Outcome::RepeatAfter(SECOND),
            result => self.0.classify(seen, result),
        }
    }

    fn finish(&self, seen: X::Seen, response: Response<D>, ending: Ending) -> X::Answer {
        self.0.finish(seen, response, ending)
    }

    fn discard(&self, response: Response<D>) -> impl Future<Output = ()> + Send {
        self.0.discard(response)
    }
}

#[tokio::test(start_paused = true)]
async fn http_can_be_wrapped_without_losing_its_drain() {
    use hyper_util::client::legacy::Client;
    use hyper_util::rt::TokioExecutor;
    use scripted_server::{Server, Step};

    let server = Server::start([Step::status(404), Step::status(404), Step::status(200)]).await;
    let client = Client::builder(TokioExecutor::new()).build_http();
    let http = Http::new(HttpPolicy::TRANSPORT, |_: &hyper_util::client::legacy::Error| {
        ErrorKind::ConnectionLost
    });
    let budget = budget();
    let layer = RetryLayer::with(HttpPolicy::TRANSPORT.policy(), budget.clone(), Eventually(http));
    let response = layer.layer(client).oneshot(get(&server.url("made"))).await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!((server.requests(), server.connections(), budget.tokens()), (3, 1, 10.0));
}
