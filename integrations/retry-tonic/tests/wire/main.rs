//! The classifier and the layer over a real channel and a real server on loopback,
//! which counts its requests, and over servers and proxies that fail as none should.

mod frames;
mod layer;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use retry_runtime::tower::RetryLayer;
use retry_runtime::{Backoff, Budget, Decision, Policy};
use retry_tonic::{Classifier, GrpcExchange};
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Code, Request, Response, Status};
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::health_server::{Health, HealthServer};
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};
use tower::Layer;

type Answers = tokio_stream::Pending<Result<HealthCheckResponse, Status>>;

/// Fails with these statuses, one for each request, and then answers.
#[derive(Clone, Default)]
struct Service {
    failures: Arc<Mutex<Vec<Status>>>,
    received: Arc<Mutex<Vec<String>>>,
    slow: bool,
}

#[tonic::async_trait]
impl Health for Service {
    async fn check(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        self.received.lock().unwrap().push(request.into_inner().service);
        if self.slow {
            tokio::time::sleep(Duration::from_secs(3600)).await;
        }
        match self.failures.lock().unwrap().pop() {
            Some(status) => Err(status),
            None => Ok(Response::new(HealthCheckResponse { status: 1 })),
        }
    }

    type WatchStream = Answers;

    async fn watch(&self, _: Request<HealthCheckRequest>) -> Result<Response<Answers>, Status> {
        Err(Status::unimplemented("watch"))
    }
}

impl Service {
    fn failing(failures: impl IntoIterator<Item = Status>) -> Service {
        let failures = Arc::new(Mutex::new(failures.into_iter().collect()));
        Service { failures, ..Service::default() }
    }

    fn requests(&self) -> usize {
        self.received.lock().unwrap().len()
    }

    async fn start(&self) -> SocketAddr {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let incoming = tokio_stream::wrappers::TcpListenerStream::new(listener);
        let server = Server::builder().add_service(HealthServer::new(self.clone()));
        tokio::spawn(async move { server.serve_with_incoming(incoming).await });
        address
    }
}

fn channel(address: SocketAddr) -> Endpoint {
    Endpoint::from_shared(format!("http://{address}")).unwrap()
}

fn policy() -> Policy {
    Policy::new(3).backoff(Backoff::none())
}

/// One call by hand: its result, how it ended, and the tokens that are left.
async fn check(channel: Channel, classifier: Classifier) -> (Result<(), Status>, Decision, f64) {
    let (policy, budget) = (policy(), Budget::new(10, 0.1));
    let mut client = HealthClient::new(channel);
    let mut call = policy.call(&budget);
    let result = loop {
        let request = HealthCheckRequest { service: "ledger".into() };
        let result = client.check(request).await;
        let outcome = retry_runtime::Classify::classify(&classifier, &result);
        if !call.again(outcome).await {
            break result;
        }
    };
    (result.map(|_| ()), call.decision().unwrap(), budget.tokens())
}

#[tokio::test]
async fn an_unavailable_server_is_asked_again() {
    let service = Service::failing([Status::unavailable("busy"), Status::unavailable("busy")]);
    let channel = channel(service.start().await).connect_lazy();
    let (result, decision, tokens) = check(channel, Classifier::A6).await;
    assert!(result.is_ok());
    assert_eq!((service.requests(), decision, tokens), (3, Decision::Succeeded, 8.1));
}

#[tokio::test]
async fn a_server_that_pushes_back_for_good_is_asked_once_and_counted() {
    let mut status = Status::unavailable("no");
    status.metadata_mut().insert("grpc-retry-pushback-ms", "-1".parse().unwrap());
    let service = Service::failing([status]);
    let channel = channel(service.start().await).connect_lazy();
    let (result, decision, tokens) = check(channel, Classifier::A6).await;
    assert_eq!(result.unwrap_err().message(), "no");
    assert_eq!((service.requests(), decision, tokens), (1, Decision::Failed, 9.0));
}

#[tokio::test]
async fn a_refused_port_proves_that_nothing_was_sent() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = closed.local_addr().unwrap();
    drop(closed);
    let (result, decision, tokens) =
        check(channel(address).connect_lazy(), Classifier::A6.codes(&[])).await;
    assert_eq!(result.unwrap_err().code(), Code::Unavailable);
    assert_eq!((decision, tokens), (Decision::Exhausted, 7.0));
}

#[tokio::test]
async fn a_clients_timeout_is_repeated_for_idempotent_requests_alone() {
    let service = Service { slow: true, ..Service::default() };
    let channel = channel(service.start().await).timeout(Duration::from_millis(50)).connect_lazy();
    let (result, decision, tokens) = check(channel.clone(), Classifier::A6).await;
    assert_eq!(result.unwrap_err().code(), Code::Cancelled);
    assert_eq!((decision, tokens), (Decision::Failed, 9.0));

    let (_, decision, tokens) = check(channel, Classifier::A6.idempotent(true)).await;
    assert_eq!((decision, tokens), (Decision::Exhausted, 7.0));
}

#[tokio::test]
async fn a_connection_that_is_lost_after_the_request_is_repeated_for_idempotent_requests_alone() {
    for (classifier, decision, tokens) in [
        (Classifier::A6, Decision::Failed, 9.0),
        (Classifier::A6.idempotent(true), Decision::Exhausted, 7.0),
    ] {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                use tokio::io::{AsyncReadExt, AsyncWriteExt};
                // An empty SETTINGS frame, so that the client sends its request.
                stream.write_all(&[0, 0, 0, 4, 0, 0, 0, 0, 0]).await.unwrap();
                let mut read = [0; 4096];
                let mut all = Vec::new();
                while !all.windows(6).any(|window| window == b"ledger") {
                    match stream.read(&mut read).await {
                        Ok(length) if length > 0 => all.extend_from_slice(&read[..length]),
                        _ => break,
                    }
                }
            }
        });
        let (result, ended, left) = check(channel(address).connect_lazy(), classifier).await;
        assert!(result.is_err());
        assert_eq!((ended, left), (decision, tokens), "{result:?}");
    }
}

#[tokio::test]
async fn a_peer_that_speaks_another_protocol_is_not_asked_again_and_counts() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            use tokio::io::AsyncWriteExt;
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_secs(60)).await;
                drop(stream);
            });
        }
    });
    let classifier = Classifier::A6.idempotent(true);
    let (result, decision, tokens) = check(channel(address).connect_lazy(), classifier).await;
    assert_eq!((decision, tokens), (Decision::Failed, 9.0), "{result:?}");
}

#[tokio::test]
async fn the_layer_repeats_a_unary_request_below_a_generated_client() {
    let service = Service::failing([Status::unavailable("busy"), Status::unavailable("busy")]);
    let channel = channel(service.start().await).connect_lazy();
    let budget = Arc::new(Budget::new(10, 0.1));
    let layer = RetryLayer::with(policy(), budget.clone(), GrpcExchange::new(Classifier::A6));
    let mut client = HealthClient::new(layer.layer(channel));
    let request = HealthCheckRequest { service: "ledger".into() };
    assert_eq!(client.check(request).await.unwrap().into_inner().status, 1);
    assert_eq!(*service.received.lock().unwrap(), ["ledger", "ledger", "ledger"]);
    assert_eq!(budget.tokens(), 8.1);
}

#[tokio::test]
async fn the_layer_sends_a_request_over_its_limit_once_and_whole() {
    let service = Service::failing([Status::unavailable("busy")]);
    let channel = channel(service.start().await).connect_lazy();
    let budget = Arc::new(Budget::new(10, 0.1));
    let exchange = GrpcExchange::new(Classifier::A6).limit(100);
    let layer = RetryLayer::with(policy(), budget.clone(), exchange);
    let mut client = HealthClient::new(layer.layer(channel));
    let long = "x".repeat(100_000);
    let status = client.check(HealthCheckRequest { service: long.clone() }).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    assert_eq!(*service.received.lock().unwrap(), [long]);
    assert_eq!(budget.tokens(), 9.0);
}

#[tokio::test]
async fn the_layer_hands_the_last_status_to_the_client_whole() {
    let service = Service::failing((0..3).map(|_| Status::unavailable("busy")));
    let channel = channel(service.start().await).connect_lazy();
    let budget = Arc::new(Budget::new(10, 0.1));
    let layer = RetryLayer::with(policy(), budget.clone(), GrpcExchange::new(Classifier::A6));
    let mut client = HealthClient::new(layer.layer(channel));
    let status = client.check(HealthCheckRequest::default()).await.unwrap_err();
    assert_eq!((status.code(), status.message()), (Code::Unavailable, "busy"));
    assert_eq!((service.requests(), budget.tokens()), (3, 7.0));
}
