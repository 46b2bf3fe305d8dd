//! Answers: a proxy's, and those that have begun.

use retry_runtime::{Decision, Outcome};
use retry_tonic::Classifier;
use scripted_server::http2::{Act, Server, code};
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use tower::Layer;

use super::{layered, lazy, message, success, three, unary, unavailable};

#[tokio::test]
async fn a_proxys_answer_is_retried_and_charged_with_and_without_a_page() {
    for status in [429, 502, 503, 504] {
        for page in ["", "busy", "<html>Bad Gateway</html>"] {
            let mut acts = vec![Act::Head(status, vec![("content-type", "text/html".into())])];
            acts.extend([Act::Data(page.into()), Act::End]);
            let done = unary(Classifier::A6, [acts]).await;
            assert_eq!((done.requests, done.tokens), (3, 7.0), "{status} {page:?}");
            assert!(done.result.is_err());
        }
    }
}

#[tokio::test]
async fn a_proxys_answer_that_is_no_outage_is_judged_by_its_mapping() {
    for (status, tokens) in [(400, 10.0), (401, 10.0), (403, 10.0), (404, 10.0), (500, 9.0)] {
        let acts = vec![Act::Head(status, Vec::new()), Act::Data(b"page".to_vec()), Act::End];
        let done = unary(Classifier::A6, [acts]).await;
        assert_eq!((done.requests, done.tokens), (1, tokens), "{status}");
    }
}

#[tokio::test]
async fn a_page_with_the_status_of_success_is_an_unknown_failure_of_a_proxy() {
    let html = vec![("content-type", "text/html".to_string())];
    let page = [Act::Head(200, html), Act::Data(b"<html></html>".to_vec()), Act::End];
    for (classifier, requests, tokens) in
        [(Classifier::A6, 1, 9.0), (Classifier::A6.codes(&[Code::Unknown]), 3, 7.0)]
    {
        let done = unary(classifier, [page.to_vec()]).await;
        assert_eq!((done.requests, done.tokens), (requests, tokens));
        assert!(done.result.is_err());
    }
}

#[tokio::test]
async fn an_answer_that_has_begun_is_committed_and_its_failure_counts() {
    let cut = |end: Act| vec![Act::grpc_head(), end];
    let after_message = |end: Act| vec![Act::grpc_head(), message(), end];
    for acts in [
        cut(Act::grpc_trailers(14)),
        after_message(Act::grpc_trailers(14)),
        // No status at all.
        cut(Act::End),
        after_message(Act::End),
    ] {
        // Not even where it would be harmless: its headers have reached the caller.
        for classifier in [Classifier::A6, Classifier::A6.idempotent(true)] {
            let done = unary(classifier, [acts.clone(), success()]).await;
            assert_eq!((done.requests, done.tokens), (1, 9.0), "{acts:?}");
            assert_eq!(done.last, Some((1, Outcome::Fail, Decision::Failed)), "{acts:?}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_committed_and_counts() {
    for end in [Act::Reset(code::REFUSED_STREAM), Act::Reset(code::CANCEL), Act::Close] {
        let server = Server::start([vec![Act::grpc_head(), Act::Hold, end.clone()]]).await;
        let (layer, budget, seen) = layered(Classifier::A6.idempotent(true), three());
        let mut client = HealthClient::new(layer.layer(lazy(&server)));
        let mut stream = client.watch(HealthCheckRequest::default()).await.unwrap().into_inner();
        // The head has come, and nothing is judged yet.
        assert_eq!((budget.tokens(), seen.lock().unwrap().len()), (10.0, 0));
        server.release();
        stream.message().await.unwrap_err();
        assert_eq!((server.requests(), budget.tokens()), (1, 9.0), "{end:?}");
    }
}

#[tokio::test]
async fn a_caller_error_after_the_head_is_free() {
    // INVALID_ARGUMENT is not in the list.
    let done = unary(Classifier::A6, [vec![Act::grpc_head(), Act::grpc_trailers(3)]]).await;
    assert_eq!((done.requests, done.tokens), (1, 10.0));
    assert_eq!(done.last, Some((1, Outcome::Stop, Decision::Stopped)));
}

#[tokio::test]
async fn a_stream_is_judged_when_it_ends() {
    for (last, tokens, outcome) in [(0, 9.1, Outcome::Success), (14, 8.0, Outcome::Fail)] {
        let script = [
            unavailable(),
            vec![Act::grpc_head(), message(), message(), Act::Hold, Act::grpc_trailers(last)],
        ];
        let server = Server::start(script).await;
        let (layer, budget, seen) = layered(Classifier::A6, three());
        let mut client = HealthClient::new(layer.layer(lazy(&server)));
        let mut stream = client.watch(HealthCheckRequest::default()).await.unwrap().into_inner();
        assert!(stream.message().await.unwrap().is_some());
        assert!(stream.message().await.unwrap().is_some());
        assert_eq!(budget.tokens(), 9.0);
        server.release();
        assert_eq!(stream.message().await.is_ok(), last == 0);
        assert_eq!(budget.tokens(), tokens);
        let attempts: Vec<_> = seen.lock().unwrap().iter().map(|seen| (seen.0, seen.1)).collect();
        assert_eq!(attempts, [(1, Outcome::Retry), (2, outcome)]);
    }
}

#[tokio::test]
async fn a_stream_that_its_caller_drops_says_nothing() {
    let server = Server::start([vec![Act::grpc_head(), message(), Act::Hang]]).await;
    let (layer, budget, seen) = layered(Classifier::A6, three());
    let mut client = HealthClient::new(layer.layer(lazy(&server)));
    let mut stream = client.watch(HealthCheckRequest::default()).await.unwrap().into_inner();
    assert!(stream.message().await.unwrap().is_some());
    drop(stream);
    assert_eq!((budget.tokens(), seen.lock().unwrap().len()), (10.0, 0));
}

#[tokio::test]
async fn details_that_are_not_base64_panic_nobody() {
    let details = ("grpc-status-details-bin", "not base64!".to_string());
    let mut head = vec![("content-type", "application/grpc".to_string())];
    let status = ("grpc-status", "14".to_string());
    let trailers_only = [head.clone(), vec![status.clone(), details.clone()]].concat();
    let done = unary(Classifier::A6, [vec![Act::Head(200, trailers_only), Act::End]]).await;
    assert_eq!(done.result.unwrap_err().code(), Code::Unavailable);
    assert_eq!(done.requests, 3);

    head.truncate(1);
    let acts = vec![Act::Head(200, head), Act::Trailers(vec![status, details])];
    let done = unary(Classifier::A6, [acts]).await;
    assert_eq!(done.result.unwrap_err().code(), Code::Unavailable);
    assert_eq!((done.requests, done.tokens), (1, 9.0));
}
