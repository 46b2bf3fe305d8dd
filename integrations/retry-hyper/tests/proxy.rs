//! A real proxy between client and server: HAProxy and nginx, which `.ci/servers` starts.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, StatusCode};
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use retry_runtime::http::HttpPolicy;
use retry_runtime::tower::RetryLayer;
use retry_runtime::{Backoff, Budget};
use scripted_server::http2::{Act, Server};
use tower::{Layer, ServiceExt};

type Hyper = Client<HttpConnector, Full<Bytes>>;

/// Waits for a restart of the proxy, however busy the machine is.
fn patient() -> HttpPolicy {
    let mut policy = HttpPolicy::TRANSPORT;
    policy.attempts = Some(20);
    policy.backoff = Backoff::constant(Duration::from_millis(500));
    policy
}

/// One request through the layer: the status of its answer, if it has one, and what is left
/// of the tokens.
async fn send_by(
    policy: HttpPolicy,
    tokens: u32,
    client: &Hyper,
    method: Method,
    url: &str,
) -> (Option<StatusCode>, f64) {
    let budget = Arc::new(Budget::new(tokens, 0.1));
    let layer = RetryLayer::http(policy, budget.clone(), retry_hyper::kind);
    let body = Full::from("every byte of it");
    let request = Request::builder().method(method).uri(url).body(body).unwrap();
    let result = layer.layer(client.clone()).oneshot(request).await;
    (result.ok().map(|response| response.status()), budget.tokens())
}

async fn send(client: &Hyper, method: Method, url: &str) -> (Option<StatusCode>, f64) {
    send_by(HttpPolicy::TRANSPORT, 10, client, method, url).await
}

fn client() -> Hyper {
    Client::builder(TokioExecutor::new()).http2_only(true).build_http()
}

/// Every scene in turn: they share the proxy, and the port of the server behind it.
async fn scenes(name: &'static str) {
    let Some(proxy) = test_servers::Server::find(name) else { return };
    let (front, behind) = proxy.proxy();
    let url = format!("{front}/stock");

    for (method, requests, tokens) in [(Method::GET, 3, 7.0), (Method::POST, 1, 9.0)] {
        // Nobody is behind it: 502 or 503, of the proxy's own.
        let (status, left) = send(&client(), method.clone(), &url).await;
        assert!(status.is_some_and(|status| status.is_server_error()), "{name}: {status:?}");
        assert_eq!(left, tokens, "{name}: {method}");

        // Its server says nothing: 504.
        let server = Server::start_at(behind, [vec![Act::Hang]]).await;
        let (status, left) = send(&client(), method.clone(), &url).await;
        assert_eq!(status, Some(StatusCode::GATEWAY_TIMEOUT), "{name}: {method}");
        assert_eq!((server.requests(), left), (requests, tokens), "{name}: {method}");
        server.stop().await;

        // Its server answers 503 itself.
        let server = Server::start_at(behind, [Act::answer(503)]).await;
        let (_, left) = send(&client(), method.clone(), &url).await;
        assert_eq!((server.requests(), left), (requests, tokens), "{name}: {method}");
        server.stop().await;

        // The proxy ends while a request is at the server, which may have carried it out.
        let server = Server::start_at(behind, [vec![Act::Hang], Act::answer(200)]).await;
        let (client, address) = (client(), url.clone());
        let sent = method.clone();
        let running =
            tokio::spawn(async move { send_by(patient(), 100, &client, sent, &address).await });
        while server.requests() == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let restarted = proxy.clone();
        let restart = move || {
            restarted.kill();
            restarted.start();
        };
        tokio::task::spawn_blocking(restart).await.unwrap();
        let (status, left) = running.await.unwrap();
        if method == Method::POST {
            assert_eq!((server.requests(), status, left), (1, None, 99.0), "{name}");
        } else {
            assert_eq!((server.requests(), status), (2, Some(StatusCode::OK)), "{name}");
        }
        server.stop().await;
    }

    // The proxy is restarted between two requests of one client.
    let server = Server::start_at(behind, [Act::answer(200)]).await;
    let client = client();
    assert_eq!(send(&client, Method::GET, &url).await.0, Some(StatusCode::OK));
    let restarted = proxy.clone();
    let restart = move || {
        restarted.kill();
        restarted.start();
    };
    tokio::task::spawn_blocking(restart).await.unwrap();
    let (status, _) = send_by(patient(), 100, &client, Method::GET, &url).await;
    assert_eq!(status, Some(StatusCode::OK), "{name}");
    server.stop().await;
}

#[tokio::test]
async fn haproxy_between_client_and_server() {
    scenes("haproxy").await;
}

#[tokio::test]
async fn nginx_between_client_and_server() {
    scenes("nginx").await;
}
