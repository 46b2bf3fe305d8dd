//! A real proxy between client and server: HAProxy and nginx, which `.ci/servers` starts.

use std::sync::Arc;
use std::time::Duration;

use retry_runtime::tower::RetryLayer;
use retry_runtime::{Backoff, Budget, Classify, Policy};
use retry_tonic::{Classifier, GrpcExchange};
use scripted_server::http2::{Act, Server, code};
use tonic::Status;
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use tower::Layer;

/// One call, by hand or through the layer: its result, and the tokens that are left of 10.
async fn call(
    channel: &Channel,
    classifier: Classifier,
    by_hand: bool,
) -> (Result<(), Status>, f64) {
    let (policy, budget) =
        (Policy::new(3).backoff(Backoff::none()), Arc::new(Budget::new(10, 0.1)));
    let request = || HealthCheckRequest { service: "ledger".into() };
    let result = if by_hand {
        let mut client = HealthClient::new(channel.clone());
        let mut call = policy.call(&budget);
        loop {
            let result = client.check(request()).await;
            let outcome = classifier.classify(&result);
            if !call.again(outcome).await {
                break result;
            }
        }
    } else {
        let layer = RetryLayer::with(policy, budget.clone(), GrpcExchange::new(classifier));
        HealthClient::new(layer.layer(channel.clone())).check(request()).await
    };
    (result.map(drop), budget.tokens())
}

fn success() -> Vec<Act> {
    vec![Act::grpc_head(), Act::grpc_message(&[8, 1]), Act::grpc_trailers(0)]
}

/// Every scene in turn: they share the proxy, and the port of the server behind it.
async fn scenes(name: &'static str) {
    let Some(proxy) = test_servers::Server::find(name) else { return };
    let (front, behind) = proxy.proxy();
    let lazy = || Endpoint::from_shared(front.to_string()).unwrap().connect_lazy();
    let idempotent = Classifier::A6.idempotent(true);

    for by_hand in [true, false] {
        // Nobody is behind it: 502 or 503, of the proxy's own.
        let (result, tokens) = call(&lazy(), Classifier::A6, by_hand).await;
        assert!(result.is_err());
        assert_eq!(tokens, 7.0, "{name}, by hand {by_hand}: {result:?}");

        // Its server says nothing: 504.
        let server = Server::start_at(behind, [vec![Act::Hang]]).await;
        let (result, tokens) = call(&lazy(), Classifier::A6, by_hand).await;
        assert_eq!((server.requests(), tokens), (3, 7.0), "{name}, by hand {by_hand}: {result:?}");
        server.stop().await;

        // Its server closes the connection before the answer: 502 of nginx; HAProxy says
        // REFUSED_STREAM, which the layer repeats at once and free.
        let server = Server::start_at(behind, [vec![Act::Close], success()]).await;
        let (result, tokens) = call(&lazy(), Classifier::A6, by_hand).await;
        assert!(result.is_ok(), "{name}, by hand {by_hand}: {result:?}");
        assert_eq!(server.requests(), 2, "{name}, by hand {by_hand}");
        let refused = name == "haproxy" && !by_hand;
        assert_eq!(tokens, if refused { 10.0 } else { 9.1 }, "{name}, by hand {by_hand}");
        server.stop().await;

        // Its server resets the stream after the answer has begun.
        let cut =
            vec![Act::grpc_head(), Act::Wait(Duration::from_millis(50)), Act::Reset(code::CANCEL)];
        let server = Server::start_at(behind, [cut]).await;
        let (result, tokens) = call(&lazy(), Classifier::A6, by_hand).await;
        assert!(result.is_err());
        assert_eq!((server.requests(), tokens), (1, 9.0), "{name}, by hand {by_hand}: {result:?}");
        server.stop().await;

        // The proxy is restarted between two calls of one channel.
        let server = Server::start_at(behind, [success()]).await;
        let channel = lazy();
        assert!(call(&channel, Classifier::A6, by_hand).await.0.is_ok());
        restart(&proxy).await;
        let (result, tokens) = call(&channel, idempotent, by_hand).await;
        assert!(result.is_ok(), "{name}, by hand {by_hand}: {result:?}");
        assert!(tokens >= 9.1, "{name}, by hand {by_hand}: {tokens}");
        server.stop().await;

        // The proxy ends while a request is at the server: it may have been carried out.
        for (classifier, requests) in [(Classifier::A6, 1), (idempotent, 2)] {
            let server = Server::start_at(behind, [vec![Act::Hang], success()]).await;
            let channel = lazy();
            let running = tokio::spawn(async move { call(&channel, classifier, by_hand).await });
            while server.requests() == 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            restart(&proxy).await;
            let (result, tokens) = running.await.unwrap();
            // The new proxy may not listen yet when the second attempt is made.
            assert!(server.requests() <= requests, "{name}, by hand {by_hand}: {result:?}");
            assert!(tokens <= 9.1, "{name}, by hand {by_hand}: {tokens}");
            server.stop().await;
        }
    }
}

/// At once, as a crash would.
async fn restart(proxy: &test_servers::Server) {
    let proxy = proxy.clone();
    let restart = move || {
        proxy.kill();
        proxy.start();
    };
    tokio::task::spawn_blocking(restart).await.unwrap();
}

#[tokio::test]
async fn haproxy_between_client_and_server() {
    scenes("haproxy").await;
}

#[tokio::test]
async fn nginx_between_client_and_server() {
    scenes("nginx").await;
}
