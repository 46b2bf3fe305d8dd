//! The layer around an axum application, called as a client calls a service: the
//! application of another crate in the same process, or a proxy of one's own.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::Body as AxumBody;
use axum::http::StatusCode;
use axum::routing::any;
use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use retry_runtime::Budget;
use retry_runtime::http::{ErrorKind, HttpPolicy};
use retry_runtime::tower::RetryLayer;
use tower::{Layer, ServiceExt};

static APPLICATION: Budget = Budget::new(10, 0.1);

/// Busy for the first two requests; then it sends the body back.
fn application(requests: Arc<AtomicUsize>) -> Router {
    Router::new().route(
        "/echo",
        any(move |body: AxumBody| async move {
            if requests.fetch_add(1, Ordering::Relaxed) < 2 {
                return (StatusCode::SERVICE_UNAVAILABLE, AxumBody::from("busy"));
            }
            (StatusCode::OK, body)
        }),
    )
}

fn never(error: &Infallible) -> ErrorKind {
    match *error {}
}

#[tokio::test(start_paused = true)]
async fn an_axum_application_gets_the_same_body_at_every_attempt() {
    for (method, status, requests) in [(Method::PUT, 200, 3), (Method::POST, 503, 1)] {
        let seen = Arc::new(AtomicUsize::new(0));
        let layer = RetryLayer::http(HttpPolicy::TRANSPORT, &APPLICATION, never);
        let client = layer.layer(application(Arc::clone(&seen)));
        let body = Full::<Bytes>::from("every byte of it");
        let request = Request::builder().method(method).uri("/echo").body(body).unwrap();

        let response = client.oneshot(request).await.unwrap();

        assert_eq!(response.status(), status);
        assert_eq!(seen.load(Ordering::Relaxed), requests);
        let expected = if status == 200 { "every byte of it" } else { "busy" };
        assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), expected);
    }
    // Two failures and a success, then the failure of a request that must not be repeated.
    assert_eq!(APPLICATION.tokens(), 7.1);
}
