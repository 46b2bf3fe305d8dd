//! A connection's effects on a call that is judged by hand: resets, GOAWAYs, proxies and answers
//! that break off.

use retry_runtime::{Decision, Outcome};
use retry_tonic::Classifier;
use scripted_server::http2::{Act, Server, code};
use tonic::Code;

use super::{channel, check};

/// What became of a call whose every request is answered with `acts`.
async fn done(classifier: Classifier, acts: Vec<Act>) -> (usize, Decision, f64) {
    let server = Server::start([acts]).await;
    let channel = channel(server.address()).connect_lazy();
    let (_, decision, tokens) = check(channel, classifier).await;
    (server.requests(), decision, tokens)
}

const REPEATED: (usize, Decision, f64) = (3, Decision::Exhausted, 7.0);
const ONCE_AND_COUNTED: (usize, Decision, f64) = (1, Decision::Failed, 9.0);
const ONCE_AND_FREE: (usize, Decision, f64) = (1, Decision::Stopped, 10.0);

/// What a proxy writes with its own answers.
fn page(status: u16, text: &str) -> Vec<Act> {
    let headers = vec![("content-type", "text/html".to_string())];
    vec![Act::Head(status, headers), Act::Data(text.into()), Act::End]
}

#[tokio::test]
async fn a_proxy_that_cannot_reach_its_server_is_an_unavailable_server() {
    for status in [429, 502, 503, 504] {
        let page = page(status, "<html><h1>Bad Gateway</h1></html>");
        assert_eq!(done(Classifier::A6, page).await, REPEATED, "{status} with a page");
        let bare = vec![Act::Head(status, Vec::new()), Act::End];
        assert_eq!(done(Classifier::A6, bare.clone()).await, REPEATED, "{status} alone");
        // Not in the list: the outage counts nonetheless.
        let none = Classifier::A6.codes(&[]);
        assert_eq!(done(none, bare).await, ONCE_AND_COUNTED, "{status}");
    }
}

#[tokio::test]
async fn a_proxys_answer_is_judged_by_its_mapping() {
    for (status, code, otherwise) in [
        (400, Code::Internal, ONCE_AND_FREE),
        (401, Code::Unauthenticated, ONCE_AND_FREE),
        (403, Code::PermissionDenied, ONCE_AND_FREE),
        (404, Code::Unimplemented, ONCE_AND_FREE),
        (418, Code::Unknown, ONCE_AND_FREE),
        (500, Code::Unknown, ONCE_AND_COUNTED),
        (505, Code::Unknown, ONCE_AND_COUNTED),
        (302, Code::Unknown, ONCE_AND_COUNTED),
    ] {
        for acts in [vec![Act::Head(status, Vec::new()), Act::End], page(status, "<html></html>")] {
            assert_eq!(done(Classifier::A6, acts.clone()).await, otherwise, "{status}");
            let listed = Classifier::A6.codes(&[code]);
            assert_eq!(done(listed, acts).await, REPEATED, "{status}");
        }
    }
}

#[tokio::test]
async fn a_proxys_page_that_hides_its_status_is_counted() {
    assert_eq!(done(Classifier::A6, page(503, "busy")).await, ONCE_AND_COUNTED);
}

#[tokio::test]
async fn a_stream_that_is_refused_is_repeated_whatever_the_list() {
    let none = Classifier::A6.codes(&[]);
    assert_eq!(done(none, vec![Act::Reset(code::REFUSED_STREAM)]).await, REPEATED);
    for code in code::ALL {
        let acts = vec![Act::GoAwayBelow(code), Act::Close];
        assert_eq!(done(none, acts).await, REPEATED, "GOAWAY {code}");
    }
}

#[tokio::test]
async fn a_reset_has_a_code_that_is_checked_against_the_list() {
    let idempotent = Classifier::A6.idempotent(true);
    for (reset, mapped) in [
        (code::NO_ERROR, Code::Internal),
        (code::PROTOCOL_ERROR, Code::Internal),
        (code::INTERNAL_ERROR, Code::Internal),
        (code::FLOW_CONTROL_ERROR, Code::Internal),
        (code::CONNECT_ERROR, Code::Internal),
        (code::STREAM_CLOSED, Code::Unknown),
        (code::CANCEL, Code::Cancelled),
        (code::ENHANCE_YOUR_CALM, Code::ResourceExhausted),
        (code::INADEQUATE_SECURITY, Code::PermissionDenied),
    ] {
        let acts = || vec![Act::Reset(reset)];
        assert_eq!(done(idempotent.codes(&[mapped]), acts()).await, REPEATED, "{reset}");
        assert_eq!(done(idempotent, acts()).await, ONCE_AND_COUNTED, "{reset}: not in the list");
        // It may have been processed.
        let listed = Classifier::A6.codes(&[mapped]);
        assert_eq!(done(listed, acts()).await, ONCE_AND_COUNTED, "{reset}: not idempotent");
    }
}

#[tokio::test]
async fn an_answer_that_has_begun_proves_nothing_any_more() {
    let message = Act::grpc_message(&[]);
    for begun in [vec![Act::grpc_head()], vec![Act::grpc_head(), message]] {
        for end in
            [Act::Reset(code::REFUSED_STREAM), Act::GoAwayBelow(code::INTERNAL_ERROR), Act::Close]
        {
            let acts: Vec<_> =
                begun.iter().cloned().chain([Act::Wait(MOMENT), end.clone()]).collect();
            assert_eq!(done(Classifier::A6, acts.clone()).await, ONCE_AND_COUNTED, "{end:?}");
            let idempotent = Classifier::A6.idempotent(true);
            assert_eq!(done(idempotent, acts).await, REPEATED, "{end:?}");
        }
    }
}

/// Long enough for a head to be read before what follows it; nothing fails if it is not,
/// but that the test is about another case.
pub(crate) const MOMENT: std::time::Duration = std::time::Duration::from_millis(20);

#[tokio::test]
async fn a_message_that_breaks_off_is_counted() {
    // The length says ten bytes.
    let cut = vec![Act::grpc_head(), Act::Data(vec![0, 0, 0, 0, 10, 1]), Act::End];
    assert_eq!(done(Classifier::A6, cut).await, ONCE_AND_COUNTED);
    let none = vec![Act::grpc_head(), Act::grpc_trailers(0)];
    assert_eq!(done(Classifier::A6, none).await, ONCE_AND_COUNTED);
}

#[tokio::test]
async fn requests_that_were_queued_when_their_connection_ended_were_never_written() {
    let server = Server::with_max_streams(1, [vec![Act::Hang]]).await;
    let channel = channel(server.address()).connect_lazy();
    let classifier = Classifier::A6.codes(&[]);
    let send = || {
        let mut client = tonic_health::pb::health_client::HealthClient::new(channel.clone());
        tokio::spawn(async move {
            let status = client.check(tonic_health::pb::HealthCheckRequest::default()).await;
            classifier.classify_status(&status.unwrap_err())
        })
    };
    let hanging = send();
    while server.requests() == 0 {
        tokio::task::yield_now().await;
    }
    let queued = [send(), send(), send()];
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    server.close_connections();
    assert_eq!(hanging.await.unwrap(), Outcome::Fail);
    for outcome in queued {
        assert_eq!(outcome.await.unwrap(), Outcome::Retry);
    }
}

#[tokio::test]
async fn an_outage_of_any_form_empties_the_budget() {
    use retry_runtime::{Backoff, Budget, Classify, Policy};
    let forms = [
        vec![Act::Reset(code::INTERNAL_ERROR)],
        vec![Act::Reset(code::REFUSED_STREAM)],
        vec![Act::GoAwayBelow(code::PROTOCOL_ERROR)],
        vec![Act::GoAwayHere(code::ENHANCE_YOUR_CALM), Act::Close],
        vec![Act::Close],
        vec![Act::Bytes(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec())],
        vec![Act::Head(500, Vec::new()), Act::End],
        page(502, "<html></html>"),
        vec![Act::grpc_head(), Act::Reset(code::CANCEL)],
        vec![Act::grpc_head(), Act::Data(vec![0, 0]), Act::End],
        Act::grpc_status(14),
    ];
    for acts in forms {
        let server = Server::start([acts.clone()]).await;
        let channel = channel(server.address()).connect_lazy();
        let (policy, budget) = (Policy::new(3).backoff(Backoff::none()), Budget::new(10, 0.1));
        for _ in 0..20 {
            let mut client = tonic_health::pb::health_client::HealthClient::new(channel.clone());
            let mut call = policy.call(&budget);
            loop {
                let result = client.check(tonic_health::pb::HealthCheckRequest::default()).await;
                let before = budget.tokens();
                let outcome = Classifier::A6.classify(&result);
                let again = call.again(outcome).await;
                assert!(budget.tokens() <= before, "{acts:?} filled the budget");
                if !again {
                    break;
                }
            }
        }
        assert_eq!(budget.tokens(), 0.0, "{acts:?}");
    }
}
