//! A circuit breaker inside the layer.

use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use failsafe::failure_policy::{ConsecutiveFailures, consecutive_failures};
use failsafe::{StateMachine, backoff};
use http::{Method, Request, Response};
use retry_runtime::http::{ErrorKind, HttpPolicy};
use retry_runtime::tower::RetryLayer;
use scripted_server::{Server, Step};
use tower::{Layer, Service, ServiceExt};

use super::{Body, HyperError, SECOND, attempts, budget, client, kind, request};

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
