//! A gRPC client with tonic, against a real server in the same process.
//!
//! ```text
//! cargo run -p retry-tonic --example grpc_client
//! ```
//!
//! The service is gRPC's own health check, so that the example needs no protoc.

use std::error::Error;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use retry_runtime::tower::RetryLayer;
use retry_runtime::{Backoff, Budget, Policy, retry};
use retry_tonic::{Classifier, GrpcExchange};
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Code, Request, Response, Status};
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::health_server::{Health, HealthServer};
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};
use tower::Layer;

// One for the server, shared by every call to it and by the layer.
static LEDGER: Budget = Budget::new(10, 0.1);

/// One call, retried where it is made. The request is made anew for each attempt, and
/// the client is a clone: a handle on the same channel.
#[retry(
    attempts = 4,
    budget = LEDGER,
    classify_err = |status| Classifier::A6.classify_status(status),
)]
async fn check(client: &HealthClient<Channel>, name: &str) -> Result<i32, Status> {
    let request = HealthCheckRequest { service: name.to_owned() };
    let response = client.clone().check(request).await?;
    Ok(response.into_inner().status)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let service = Flaky::default();
    let channel = service.start().await?;
    let client = HealthClient::new(channel.clone());

    println!("UNAVAILABLE twice: the server says that it did not process the request.");
    service.fail_with([Status::unavailable("starting"), Status::unavailable("starting")]);
    println!("  the caller has {:?}\n", check(&client, "ledger").await);

    println!("UNAVAILABLE with a pushback of 300 ms: exactly that is waited.");
    service.fail_with([pushed_back("300")]);
    let started = Instant::now();
    let result = check(&client, "ledger").await;
    println!("  the caller has {result:?} after {:?}\n", started.elapsed());

    println!("UNAVAILABLE with a pushback of -1: the server wants no more of this. The failure");
    println!("counts in the budget, and the status reaches the caller.");
    service.fail_with([pushed_back("-1")]);
    report(check(&client, "ledger").await);

    println!("INVALID_ARGUMENT: another attempt cannot help, and the budget is unchanged.");
    service.fail_with([Status::invalid_argument("no such service")]);
    report(check(&client, "").await);

    println!("The same as a layer below the generated client: every method is retried.");
    service.fail_with([Status::unavailable("starting")]);
    let exchange = GrpcExchange::new(Classifier::A6);
    let policy = Policy::new(9).backoff(Backoff::constant(Duration::from_millis(150)));
    let layer = RetryLayer::with(policy, &LEDGER, exchange);
    let mut layered = HealthClient::new(layer.layer(channel));
    let response = layered.check(HealthCheckRequest { service: "ledger".into() }).await?;
    println!("  the caller has {:?}\n", response.into_inner().status);

    println!("The caller's timeout of 450 ms covers all attempts of the layer's call: each later");
    println!("one is sent with what is left, and none starts when nothing is.");
    // Full again, as an operator makes it after an incident.
    LEDGER.reset();
    service.fail_with((0..9).map(|_| Status::unavailable("starting")));
    let mut request = Request::new(HealthCheckRequest { service: "ledger".into() });
    request.set_timeout(Duration::from_millis(450));
    let started = Instant::now();
    let result = layered.check(request).await;
    report(result.map(|response| response.into_inner().status));
    println!("  after {} ms and less than 450\n", started.elapsed().as_millis());

    println!("Tokens left of 10: {}", LEDGER.tokens());
    Ok(())
}

fn report(result: Result<i32, Status>) {
    match result {
        Ok(status) => println!("  the caller has {status}\n"),
        Err(status) => println!("  the caller has {:?}: {}\n", status.code(), status.message()),
    }
}

fn pushed_back(millis: &'static str) -> Status {
    let mut status = Status::new(Code::Unavailable, "overloaded");
    let value = tonic::metadata::MetadataValue::from_static(millis);
    status.metadata_mut().insert("grpc-retry-pushback-ms", value);
    status
}

/// A server that fails with the statuses it is given, and then answers.
#[derive(Clone, Default)]
struct Flaky {
    failures: Arc<Mutex<Vec<Status>>>,
}

impl Flaky {
    fn fail_with(&self, failures: impl IntoIterator<Item = Status>) {
        self.failures.lock().unwrap().extend(failures);
    }

    async fn start(&self) -> Result<Channel, Box<dyn Error>> {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let incoming = tokio_stream::wrappers::TcpListenerStream::new(listener);
        let server = Server::builder().add_service(HealthServer::new(self.clone()));
        tokio::spawn(async move { server.serve_with_incoming(incoming).await });
        // A limit for each attempt: without one, a server that says nothing is waited for.
        let endpoint = Endpoint::from_shared(format!("http://{address}"))?;
        Ok(endpoint.timeout(Duration::from_secs(2)).connect_lazy())
    }
}

#[tonic::async_trait]
impl Health for Flaky {
    async fn check(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        if let Some(left) = request.metadata().get("grpc-timeout") {
            println!("  server: asked to answer within {left:?}");
        }
        let failure = self.failures.lock().unwrap().pop();
        match failure {
            Some(status) => {
                println!("  server: {:?}", status.code());
                Err(status)
            }
            None => {
                println!("  server: done");
                Ok(Response::new(HealthCheckResponse { status: 1 }))
            }
        }
    }

    type WatchStream = tokio_stream::Pending<Result<HealthCheckResponse, Status>>;

    async fn watch(
        &self,
        _: Request<HealthCheckRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        Err(Status::unimplemented("watch"))
    }
}
