//! A server that answers no call well: the budget is empty before long, and stays so.

use retry_tonic::Classifier;
use scripted_server::http2::{Act, Server, code};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use tower::Layer;

use super::{layered, lazy, message, three, unavailable};

fn forms() -> Vec<Vec<Act>> {
    let html = || vec![("content-type", "text/html".to_string())];
    vec![
        vec![Act::Reset(code::INTERNAL_ERROR)],
        vec![Act::Reset(code::REFUSED_STREAM)],
        vec![Act::GoAwayBelow(code::PROTOCOL_ERROR), Act::Close],
        vec![Act::GoAwayHere(code::ENHANCE_YOUR_CALM), Act::Close],
        vec![Act::Close],
        vec![Act::Abort],
        vec![Act::Bytes(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec())],
        vec![Act::Head(500, Vec::new()), Act::End],
        vec![Act::Head(502, html()), Act::Data("<html></html>".into()), Act::End],
        vec![Act::Head(503, html()), Act::Data("busy".into()), Act::End],
        // A page with a status of its own, and no word of gRPC.
        vec![Act::Head(200, html()), Act::Data("<html></html>".into()), Act::End],
        vec![Act::grpc_head(), Act::Data("<html></html>".into()), Act::End],
        vec![Act::grpc_head(), Act::Reset(code::CANCEL)],
        vec![Act::grpc_head(), Act::Data(vec![0, 0]), Act::End],
        vec![Act::grpc_head(), message(), Act::Close],
        vec![Act::grpc_head(), message(), Act::End],
        vec![Act::grpc_head(), message(), Act::grpc_trailers(14)],
        unavailable(),
    ]
}

#[tokio::test]
async fn an_outage_of_any_form_empties_the_budget() {
    for acts in forms() {
        for classifier in [Classifier::A6, Classifier::A6.idempotent(true)] {
            let server = Server::start([acts.clone()]).await;
            let (layer, budget, _) = layered(classifier, three());
            let mut client = HealthClient::new(layer.layer(lazy(&server)));
            for _ in 0..20 {
                let before = budget.tokens();
                // tonic takes a message without a status for a success; gRPC does not.
                let _result = client.check(HealthCheckRequest::default()).await;
                assert!(budget.tokens() < before || before == 0.0, "{acts:?}");
            }
            assert_eq!(budget.tokens(), 0.0, "{acts:?}");
        }
    }
}

#[tokio::test]
async fn so_does_one_that_changes_its_form_with_every_request() {
    for seed in 1..=8_u64 {
        let (forms, mut state) = (forms(), seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let steps = std::iter::repeat_with(|| {
            // xorshift64
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let form = usize::try_from(state % forms.len() as u64).unwrap();
            forms[form].clone()
        });
        let steps: Vec<Vec<Act>> = steps.take(400).collect();
        for classifier in [Classifier::A6, Classifier::A6.idempotent(true)] {
            let server = Server::start(steps.clone()).await;
            let (layer, budget, _) = layered(classifier, three());
            let mut client = HealthClient::new(layer.layer(lazy(&server)));
            for call in 0..20 {
                let before = budget.tokens();
                let _result = client.check(HealthCheckRequest::default()).await;
                assert!(budget.tokens() < before || before == 0.0, "seed {seed}, call {call}");
            }
            assert_eq!(budget.tokens(), 0.0, "seed {seed}");
        }
    }
}

#[tokio::test]
async fn thirty_answers_of_a_broken_proxy_never_fill_the_budget() {
    let server = Server::start([vec![Act::Head(503, Vec::new()), Act::End]]).await;
    let (layer, budget, _) = layered(Classifier::A6, three());
    let mut client = HealthClient::new(layer.layer(lazy(&server)));
    for _ in 0..30 {
        let before = budget.tokens();
        client.check(HealthCheckRequest::default()).await.unwrap_err();
        assert!(budget.tokens() < before || budget.tokens() == 0.0);
    }
    assert_eq!(budget.tokens(), 0.0);
}
