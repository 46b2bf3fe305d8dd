//! The layer over other layers.

use std::sync::Arc;
use std::time::Duration;

use retry_runtime::Budget;
use retry_runtime::tower::RetryLayer;
use retry_tonic::{Classifier, GrpcExchange};
use scripted_server::http2::{Act, Server};
use tonic::{Request, Status};
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};
use tower::{BoxError, Layer, ServiceBuilder};

use super::{lazy, success, three, unavailable};

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
