//! gRPC below a generated client: requests and responses of a channel, for the layer.

use std::fmt;
use std::future::{Future, ready};
use std::marker::PhantomData;
use std::time::Instant;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Request, Response, StatusCode};
use retry_runtime::http::ErrorKind;
use retry_runtime::tower::{CallSettings, Ending, Exchange};
use retry_runtime::{Attempt, Outcome, Timer, TokioTimer};
use tonic::body::Body;

use crate::answer::{Watched, code_of, outcome_of, remove_unreadable_details};
use crate::classifier::Classifier;
use crate::service_error::{ServiceError, Typed};
use crate::{origin, request};

/// The requests of a tonic channel, for
/// [`RetryLayer::with`](retry_runtime::tower::RetryLayer::with): below the generated client, so all
/// its methods are retried, over the channel or over layers around it (a timeout, a buffer,
/// interceptors).
///
/// A unary request is repeated with the same bytes. A streaming request, or one larger than the
/// limit, is sent once. Only the part which is ready at the start is examined, so a stream never
/// waits for its end here.
///
/// [The crate's table](crate#grfc-a6-row-by-row) has the rules of gRFC A6. Once its answer has
/// begun, a call is not retried; it is judged when the answer ends. The caller's timeout covers all
/// attempts. A request which the server did not process is sent once more at once.
///
/// ```
/// use retry_runtime::tower::RetryLayer;
/// use retry_runtime::{Budget, Policy};
/// use retry_tonic::{Classifier, GrpcExchange};
/// use tonic::transport::Channel;
/// use tonic_health::pb::health_client::HealthClient;
/// use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};
/// use tower::Layer;
///
/// static LEDGER: Budget = Budget::new(10, 0.1);
///
/// async fn check(channel: Channel) -> Result<HealthCheckResponse, tonic::Status> {
///     let exchange = GrpcExchange::new(Classifier::A6);
///     let layer = RetryLayer::with(Policy::new(4), &LEDGER, exchange);
///     let mut client = HealthClient::new(layer.layer(channel));
///     Ok(client.check(HealthCheckRequest::default()).await?.into_inner())
/// }
/// ```
#[derive(Debug)]
pub struct GrpcExchange<M = Typed> {
    classifier: Classifier,
    limit: usize,
    errors: PhantomData<fn() -> M>,
}

impl<M> GrpcExchange<M> {
    /// Judges with `classifier`, and repeats requests of up to 256 KiB.
    #[must_use]
    pub const fn new(classifier: Classifier) -> GrpcExchange<M> {
        GrpcExchange { classifier, limit: 256 << 10, errors: PhantomData }
    }

    /// Repeats requests of up to so many bytes, which are kept until the answer.
    #[must_use]
    pub const fn limit(mut self, bytes: usize) -> GrpcExchange<M> {
        self.limit = bytes;
        self
    }
}

impl<M> Clone for GrpcExchange<M> {
    fn clone(&self) -> GrpcExchange<M> {
        *self
    }
}

impl<M> Copy for GrpcExchange<M> {}

/// When the caller's timeout is over.
#[derive(Clone, Copy, Debug)]
pub struct CallDeadline(Option<Instant>);

impl CallDeadline {
    fn of(request: &Request<Body>) -> CallDeadline {
        let timeout = request::timeout(request.headers());
        CallDeadline(timeout.and_then(|timeout| TokioTimer.now().checked_add(timeout)))
    }
}

/// Whether an answer of gRPC has begun. One with another type is a page of somebody's, whose
/// code is that of its status (gRPC's document `http-grpc-status-mapping.md`).
fn is_open<D>(response: &Response<D>) -> bool {
    let headers = response.headers();
    let of_grpc = |kind: &HeaderValue| kind.as_bytes().starts_with(b"application/grpc");
    response.status() == StatusCode::OK
        && !headers.contains_key("grpc-status")
        && headers.get(CONTENT_TYPE).is_none_or(of_grpc)
}

impl<M, D, E> Exchange<Request<Body>, Response<D>, E> for GrpcExchange<M>
where
    D: http_body::Body<Data = Bytes> + Send + 'static,
    D::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    E: ServiceError<M>,
{
    const REPEATS_AT_ONCE: bool = true;

    type Seen = CallDeadline;
    type Answer = Response<Body>;

    fn see(&self, request: &Request<Body>) -> CallDeadline {
        CallDeadline::of(request)
    }

    fn settings(&self, request: &Request<Body>) -> CallSettings {
        let settings: CallSettings = request.extensions().get().cloned().unwrap_or_default();
        match CallDeadline::of(request).0 {
            Some(deadline) => settings.deadline(deadline),
            None => settings,
        }
    }

    fn copy(&self, request: &mut Request<Body>) -> Option<Request<Body>> {
        request::copy(request, self.limit)
    }

    fn prepare(&self, seen: &CallDeadline, request: &mut Request<Body>, attempt: Attempt) {
        request.extensions_mut().insert(attempt);
        if attempt.is_first() {
            return;
        }
        request::set_previous_attempts(request.headers_mut(), attempt.number() - 1);
        if let Some(deadline) = seen.0 {
            let left = deadline.saturating_duration_since(TokioTimer.now());
            request::set_timeout(request.headers_mut(), left);
        }
    }

    fn classify(&self, _: &CallDeadline, result: &Result<Response<D>, E>) -> Outcome {
        match result {
            Err(error) => self.classifier.classify_error(error.as_error()),
            // An answer that has begun, and says how it went when it ends.
            Ok(response) if is_open(response) => Outcome::Success,
            Ok(response) => outcome_of(&self.classifier, response.headers())
                .unwrap_or_else(|| self.classifier.classify_http(response.status())),
        }
    }

    /// The code, or what happened to the connection; no text of the server's.
    fn explain(
        &self,
        _: &CallDeadline,
        result: &Result<Response<D>, E>,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        match result {
            Ok(response) => write!(f, "{:?}", code_of(response.status(), response.headers())),
            Err(error) => match origin::failure(error.as_error()) {
                Some(failure) => write!(f, "{}", failure.kind),
                None => Ok(()),
            },
        }
    }

    fn repeats_at_once(&self, _: &CallDeadline, result: &Result<Response<D>, E>) -> bool {
        let Err(error) = result else { return false };
        let failure = origin::failure(error.as_error());
        failure.is_some_and(|failure| failure.kind == ErrorKind::NotProcessed)
    }

    fn is_open(&self, _: &CallDeadline, response: &Response<D>) -> bool {
        is_open(response)
    }

    fn finish(&self, _: CallDeadline, response: Response<D>, ending: Ending) -> Response<Body> {
        let mut response = response.map(Body::new);
        remove_unreadable_details(response.headers_mut());
        match ending {
            Ending::Open(call) => {
                let (status, classifier) = (response.status(), self.classifier);
                response.map(|body| Body::new(Watched::new(body, status, classifier, call)))
            }
            Ending::Ended(end) => {
                response.extensions_mut().insert(end);
                response
            }
            _ => response,
        }
    }

    fn discard(&self, response: Response<D>) -> impl Future<Output = ()> + Send {
        // A stream of HTTP/2 holds no connection.
        drop(response);
        ready(())
    }
}
