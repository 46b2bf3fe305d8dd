//! The errors of tower's layers (feature `tower`).
#![cfg(feature = "tower")]

use std::convert::Infallible;
use std::future::pending;
use std::time::Duration;

use retry_runtime::http::ErrorKind;
use tower::{BoxError, Service, ServiceBuilder, ServiceExt, service_fn};

fn kind(error: &BoxError) -> ErrorKind {
    retry_hyper::error_kind(&**error)
}

#[tokio::test(start_paused = true)]
async fn a_timeout_may_come_after_the_work() {
    let silent = service_fn(|()| pending::<Result<(), Infallible>>());
    let limited = ServiceBuilder::new().timeout(Duration::from_secs(1)).service(silent);
    assert_eq!(kind(&limited.oneshot(()).await.unwrap_err()), ErrorKind::Timeout);
}

#[tokio::test]
async fn a_request_that_was_shed_never_left() {
    let busy = ServiceBuilder::new()
        .load_shed()
        .concurrency_limit(1)
        .service(service_fn(|()| pending::<Result<(), Infallible>>()));
    let mut first = busy.clone();
    let running = first.ready().await.unwrap().call(());
    assert_eq!(kind(&busy.oneshot(()).await.unwrap_err()), ErrorKind::Rejected);
    drop(running);
}
