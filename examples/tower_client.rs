//! Retries as a tower layer over a hyper client, with a circuit breaker inside.
//!
//! ```text
//! cargo run --example tower_client
//! ```
//!
//! A server in the same process fails for a while. The layers, from the outside in:
//! retry, breaker, client. So the breaker sees every attempt, and its rejection ends
//! the call: the breaker tells the caller not to call, and a retry would not listen.

use std::error::Error;
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use failsafe::backoff::Constant;
use failsafe::failure_policy::{ConsecutiveFailures, consecutive_failures};
use failsafe::{Config, StateMachine, backoff};
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy;
use hyper_util::rt::TokioExecutor;
use retry_runtime::http::{ErrorKind, HttpPolicy};
use retry_runtime::tower::{CallEnd, CallSettings, ResponseBody, RetryLayer};
use retry_runtime::{Backoff, Budget, Policy};
use scripted_server::{Server, Step};
use tower::{Layer, Service, ServiceExt};

// One for the dependency, shared by every client of it.
static INVENTORY: Budget = Budget::new(10, 0.1);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // What the server answers, one after the other; the last for good.
    let server = Server::start([503, 503, 200, 503].map(Step::status)).await;

    // Three failures in a row open the breaker, for half a minute.
    let failures = consecutive_failures(3, backoff::constant(Duration::from_secs(30)));
    let breaker = Arc::new(Config::new().failure_policy(failures).build());
    let client = legacy::Client::builder(TokioExecutor::new()).build_http();

    let mut policy = HttpPolicy::TRANSPORT;
    policy.attempts = Some(4);
    policy.backoff = Backoff::exponential(Duration::from_millis(20), Duration::from_secs(5));
    let layer = RetryLayer::http(policy, &INVENTORY, kind).named("inventory").observe(|event| {
        println!("  attempt {}: {}, so {}", event.attempt, event.outcome, event.decision);
    });
    let service = layer.layer(Breaker { client, breaker });

    let request = |method: &str, path: &str| {
        Request::builder().method(method).uri(server.url(path)).body(Full::<Bytes>::default())
    };

    println!("GET, answered 503: this request asks for one attempt, for it has no time for more:");
    let mut hurried = request("GET", "stock")?;
    hurried.extensions_mut().insert(CallSettings::new().policy(Policy::new(1)));
    let response = service.clone().oneshot(hurried).await?;
    report(response).await?;

    println!("GET is answered 503 once, then 200. GET can be repeated, so it is:");
    let response = service.clone().oneshot(request("GET", "stock")?).await?;
    report(response).await?;

    println!("POST is answered 503. Nobody knows whether it can be repeated, so it is not;");
    println!("the failure still counts in the budget:");
    let response = service.clone().oneshot(request("POST", "orders")?).await?;
    report(response).await?;

    println!("GET, answered 503 twice: those are three failures in a row, and the breaker opens.");
    println!("The next attempt is rejected without reaching the server, and the call stops:");
    match service.oneshot(request("GET", "stock")?).await {
        Ok(response) => println!("  the caller has {}", response.status()),
        Err(error) => println!("  the caller has the rejection: {error:?}"),
    }
    println!("  requests at the server: {}", server.requests());
    println!("  tokens left in the budget: {}", INVENTORY.tokens());
    Ok(())
}

/// The layer says in the response's extensions why the call ended. A success is one when
/// the body has come whole, so only then the budget is credited, and the observer told.
async fn report(response: Response<ResponseBody<Incoming>>) -> Result<(), hyper::Error> {
    let end = *response.extensions().get::<CallEnd>().expect("the layer's word");
    let (status, body) = (response.status(), response.into_body().collect().await?.to_bytes());
    println!(
        "  the caller has {status}, {} bytes: {} at attempt {}\n",
        body.len(),
        end.decision,
        end.attempts
    );
    Ok(())
}

/// What the errors of the service mean for a retry.
fn kind(error: &CallError) -> ErrorKind {
    match error {
        CallError::Rejected => ErrorKind::Rejected,
        CallError::Client(error) => retry_hyper::kind(error),
    }
}

type Client = legacy::Client<legacy::connect::HttpConnector, Full<Bytes>>;

/// A hyper client behind a circuit breaker: every attempt is admitted or rejected.
#[derive(Clone)]
struct Breaker {
    client: Client,
    breaker: Arc<StateMachine<ConsecutiveFailures<Constant>, ()>>,
}

#[derive(Debug)]
enum CallError {
    Rejected,
    Client(legacy::Error),
}

impl std::fmt::Display for CallError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CallError::Rejected => f.write_str("the breaker is open"),
            CallError::Client(error) => error.fmt(f),
        }
    }
}

impl Error for CallError {}

impl Service<Request<Full<Bytes>>> for Breaker {
    type Response = Response<hyper::body::Incoming>;
    type Error = CallError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, CallError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), CallError>> {
        Service::<Request<_>>::poll_ready(&mut self.client, context).map_err(CallError::Client)
    }

    fn call(&mut self, request: Request<Full<Bytes>>) -> Self::Future {
        if !self.breaker.is_call_permitted() {
            return Box::pin(ready(Err(CallError::Rejected)));
        }
        let (sent, breaker) = (self.client.request(request), self.breaker.clone());
        Box::pin(async move {
            let result = sent.await;
            match &result {
                Ok(response) if !response.status().is_server_error() => breaker.on_success(),
                _ => breaker.on_error(),
            }
            result.map_err(CallError::Client)
        })
    }
}
