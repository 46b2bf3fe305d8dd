//! A server that answers no call well, below the layer of tower: the budget is empty
//! before long, no failed call raises it, and nothing that may have been carried out is
//! sent twice unless it is idempotent.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use retry_hyper::kind;
use retry_runtime::http::{HttpPolicy, HttpPolicyPatch};
use retry_runtime::tower::RetryLayer;
use retry_runtime::{Budget, PolicyPatch};
use scripted_server::http2::{self, Act, code};
use scripted_server::{Server, Step};
use tower::{Layer, ServiceExt};

use super::builder;

/// A body that is cloned for each attempt.
type Body = Full<Bytes>;

const CALLS: usize = 20;

fn client(http2: bool) -> Client<HttpConnector, Body> {
    let mut connector = HttpConnector::new();
    // A body that waits for the head to be acknowledged costs each call 40 ms.
    connector.set_nodelay(true);
    builder().http2_only(http2).build(connector)
}

/// Twenty calls of one method, whose answers are read to their ends: what is left of the
/// budget of ten.
async fn calls(client: Client<HttpConnector, Body>, method: Method, url: &str) -> f64 {
    let waits = HttpPolicyPatch::new().policy(PolicyPatch::new().backoff("none"));
    let policy = HttpPolicy::DEFAULT.merge(&waits).unwrap();
    let budget = Arc::new(Budget::new(10, 0.1));
    let service = RetryLayer::http(policy, budget.clone(), kind).layer(client);
    for call in 0..CALLS {
        let before = budget.tokens();
        let request = Request::builder().method(method.clone()).uri(url).header("x-call", call);
        let request = request.body(Body::from("every byte of it")).unwrap();
        if let Ok(answer) = service.clone().oneshot(request).await {
            let _read = answer.into_body().collect().await;
        }
        assert!(budget.tokens() < before || before == 0.0, "{method}: call {call}");
    }
    budget.tokens()
}

/// How often the server had each call.
fn most<'r>(received: impl Iterator<Item = Option<&'r str>>) -> usize {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    received.flatten().for_each(|call| *counts.entry(call).or_default() += 1);
    counts.into_values().max().unwrap_or(0)
}

#[tokio::test]
async fn of_http1_in_any_form() {
    for step in [
        Step::CloseOnAccept,
        Step::Close,
        Step::Reset,
        Step::CutBody,
        Step::Garbage,
        Step::status(500),
        Step::status(501),
        Step::status(503),
        Step::status(599),
    ] {
        for method in [Method::GET, Method::POST] {
            let server = Server::start([step.clone()]).await;
            let tokens = calls(client(false), method.clone(), &server.url("")).await;
            assert_eq!(tokens, 0.0, "{method} {step:?}");
            let received = server.received();
            if method == Method::POST {
                assert!(most(received.iter().map(|one| one.header("x-call"))) <= 1, "{step:?}");
            }
        }
    }
}

#[tokio::test]
async fn of_http2_in_any_form() {
    let head = || Act::Head(200, vec![("content-length", "10".into())]);
    let cut = || Act::Data(b"cut".to_vec());
    // What proves that nothing was done; anything may be sent again.
    let unprocessed = [
        vec![Act::Reset(code::REFUSED_STREAM)],
        vec![Act::GoAwayBelow(code::NO_ERROR), Act::Close],
        vec![Act::GoAwayBelow(code::ENHANCE_YOUR_CALM), Act::Close],
    ];
    let others = [
        vec![Act::Reset(code::NO_ERROR)],
        vec![Act::Reset(code::INTERNAL_ERROR)],
        vec![Act::Reset(code::CANCEL)],
        vec![Act::GoAwayHere(code::NO_ERROR), Act::Close],
        vec![Act::Close],
        vec![Act::Abort],
        vec![Act::Bytes(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()), Act::Close],
        vec![head(), Act::Reset(code::REFUSED_STREAM)],
        vec![head(), cut(), Act::Reset(code::NO_ERROR)],
        vec![head(), cut(), Act::GoAwayHere(code::NO_ERROR), Act::Close],
        vec![head(), cut(), Act::End],
        vec![head(), cut(), Act::Close],
        Act::answer(500),
        Act::answer(503),
    ];
    let forms = unprocessed.map(|acts| (acts, true)).into_iter();
    for (acts, harmless) in forms.chain(others.map(|acts| (acts, false))) {
        for method in [Method::GET, Method::POST] {
            let server = http2::Server::start([acts.clone()]).await;
            let tokens = calls(client(true), method.clone(), &server.url("")).await;
            assert_eq!(tokens, 0.0, "{method} {acts:?}");
            let received = server.received();
            let most = most(received.iter().map(|one| one.header("x-call")));
            if method == Method::POST && !harmless {
                assert_eq!(most, 1, "{acts:?}");
            } else if !matches!(acts[0], Act::Head(200, _)) {
                // The first call is repeated; an answer that has begun belongs to its caller.
                assert!(
                    most > 1 || matches!(acts[0], Act::Bytes(_) | Act::Head(500, _)),
                    "{acts:?}"
                );
            }
        }
    }
}
