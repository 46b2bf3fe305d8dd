//! The layer below a generated client, row by row of gRFC A6: what each case costs and how
//! often the server is asked.

mod answers;
mod attempts;
mod outage;
mod stacks;

use std::sync::{Arc, Mutex};

use retry_runtime::tower::{CallSettings, RetryLayer};
use retry_runtime::{Backoff, Budget, Decision, NoBudget, Outcome, Policy};
use retry_tonic::{Classifier, GrpcExchange};
use scripted_server::http2::{Act, Server, code};
use tonic::Status;
use tonic::transport::Channel;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};
use tower::Layer;

use crate::channel;
use crate::frames::MOMENT;

/// What an observer saw: attempt, outcome, decision.
type Seen = Arc<Mutex<Vec<(u32, Outcome, Decision)>>>;

type Layered = RetryLayer<GrpcExchange, Arc<Budget>>;

/// A layer whose budget and events can be looked at.
fn layered(classifier: Classifier, policy: Policy) -> (Layered, Arc<Budget>, Seen) {
    let (budget, seen) = (Arc::new(Budget::new(10, 0.1)), Seen::default());
    let log = seen.clone();
    let layer = RetryLayer::with(policy, budget.clone(), GrpcExchange::new(classifier)).observe(
        move |event| {
            log.lock().unwrap().push((event.attempt, event.outcome, event.decision));
        },
    );
    (layer, budget, seen)
}

fn three() -> Policy {
    Policy::new(3).backoff(Backoff::none())
}

fn lazy(server: &Server) -> Channel {
    channel(server.address()).connect_lazy()
}

struct Done {
    result: Result<HealthCheckResponse, Status>,
    requests: usize,
    tokens: f64,
    last: Option<(u32, Outcome, Decision)>,
}

/// One unary call through the layer, to a server with this script.
async fn unary(classifier: Classifier, script: impl IntoIterator<Item = Vec<Act>>) -> Done {
    let server = Server::start(script).await;
    let (layer, budget, seen) = layered(classifier, three());
    let mut client = HealthClient::new(layer.layer(lazy(&server)));
    let result = client.check(HealthCheckRequest::default()).await;
    let last = seen.lock().unwrap().last().copied();
    Done {
        result: result.map(tonic::Response::into_inner),
        requests: server.requests(),
        tokens: budget.tokens(),
        last,
    }
}

/// `HealthCheckResponse { status: SERVING }`.
fn message() -> Act {
    Act::grpc_message(&[8, 1])
}

fn success() -> Vec<Act> {
    vec![Act::grpc_head(), message(), Act::grpc_trailers(0)]
}

fn unavailable() -> Vec<Act> {
    Act::grpc_status(14)
}

fn pushed_back(value: &str) -> Vec<Act> {
    let headers = vec![
        ("content-type", "application/grpc".to_string()),
        ("grpc-status", "14".to_string()),
        ("grpc-retry-pushback-ms", value.to_string()),
    ];
    vec![Act::Head(200, headers), Act::End]
}

#[tokio::test]
async fn an_event_says_the_code_or_what_happened_to_the_connection() {
    for (acts, why) in [
        (unavailable(), "Unavailable"),
        (vec![Act::Head(404, Vec::new()), Act::End], "Unimplemented"),
        (vec![Act::Close], "connection_lost"),
        // Known when the answer ends.
        (vec![Act::grpc_head(), Act::grpc_trailers(14)], "Unavailable"),
        (vec![Act::grpc_head(), Act::Wait(MOMENT), Act::Reset(code::CANCEL)], "connection_lost"),
        (vec![Act::grpc_head(), Act::Data(b"<html>".to_vec()), Act::End], "no message of gRPC"),
    ] {
        let server = Server::start([acts]).await;
        let said = Arc::new(Mutex::new(Vec::new()));
        let log = said.clone();
        let layer = RetryLayer::with(Policy::new(1), NoBudget, GrpcExchange::new(Classifier::A6))
            .settings_for(|_: &http::Request<tonic::body::Body>| CallSettings::new())
            .observe(move |event| {
                let error = event.error.map(|error| error.to_string());
                log.lock().unwrap().push(error.unwrap_or_default());
            });
        let mut client = HealthClient::new(layer.layer(lazy(&server)));
        client.check(HealthCheckRequest::default()).await.unwrap_err();
        assert_eq!(*said.lock().unwrap(), [why]);
    }
}
