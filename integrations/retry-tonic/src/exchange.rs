//! gRPC below a generated client: requests and responses of a channel, for the layer.

use std::collections::VecDeque;
use std::future::{Future, ready};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body::{Body as _, Frame};
use retry_runtime::Outcome;
use retry_runtime::tower::Exchange;
use tonic::body::Body;
use tonic::metadata::MetadataMap;
use tonic::{Code, Status};

use crate::Classifier;

/// The requests of a tonic channel, for
/// [`RetryLayer::with`](retry_runtime::tower::RetryLayer::with): below the generated
/// client, so that every method of it is retried.
///
/// A unary request is repeated with the same bytes. One that streams, or that is more
/// than the limit of bytes, is sent once: what is ready of it when it is sent is all
/// that is looked at, so a stream never waits for its end here.
///
/// An error that a server sends without any message is in the headers of its answer,
/// and is judged. One that comes after messages is the client's: those messages are seen.
///
/// ```
/// use retry_runtime::tower::RetryLayer;
/// use retry_runtime::{Budget, Policy};
/// use retry_tonic::{Classifier, GrpcExchange};
/// use std::sync::Arc;
///
/// let budget = Arc::new(Budget::new(10, 0.1));
/// let layer = RetryLayer::with(Policy::new(4), budget, GrpcExchange::new(Classifier::A6));
/// // let client = LedgerClient::new(layer.layer(channel));
/// # let _ = layer;
/// ```
#[derive(Clone, Copy, Debug)]
pub struct GrpcExchange {
    classifier: Classifier,
    limit: usize,
}

impl GrpcExchange {
    /// Judges with `classifier`, and repeats requests of up to 256 KiB.
    #[must_use]
    pub const fn new(classifier: Classifier) -> GrpcExchange {
        GrpcExchange { classifier, limit: 256 << 10 }
    }

    /// Repeats requests of up to so many bytes, which are kept until the answer.
    #[must_use]
    pub const fn limit(mut self, bytes: usize) -> GrpcExchange {
        self.limit = bytes;
        self
    }
}

impl<E> Exchange<Request<Body>, Response<Body>, E> for GrpcExchange
where
    E: std::error::Error + 'static,
{
    type Seen = ();

    fn see(&self, _: &Request<Body>) {}

    fn copy(&self, request: &mut Request<Body>) -> Option<Request<Body>> {
        let body = std::mem::take(request.body_mut());
        let (sent, copy) = read_ready(body, self.limit);
        *request.body_mut() = sent;
        let mut again = Request::new(copy?);
        again.method_mut().clone_from(request.method());
        again.uri_mut().clone_from(request.uri());
        *again.version_mut() = request.version();
        again.headers_mut().clone_from(request.headers());
        again.extensions_mut().clone_from(request.extensions());
        Some(again)
    }

    fn classify(&self, (): &(), result: &Result<Response<Body>, E>) -> Outcome {
        let response = match result {
            Ok(response) => response,
            Err(error) => return self.classifier.classify_error(error),
        };
        let Some(code) = response.headers().get("grpc-status") else { return Outcome::Success };
        let code = Code::from_bytes(code.as_bytes());
        if code == Code::Ok {
            return Outcome::Success;
        }
        // Not `Status::from_header_map`, which panics on details that are not base64.
        let metadata = MetadataMap::from_headers(response.headers().clone());
        let details = metadata.get_bin("grpc-status-details-bin");
        let details = details.and_then(|value| value.to_bytes().ok()).unwrap_or_default();
        let status = Status::with_details_and_metadata(code, "", details, metadata);
        self.classifier.classify_status(&status)
    }

    fn discard(&self, response: Response<Body>) -> impl Future<Output = ()> + Send {
        // An answer that is an error alone has no body to read.
        drop(response);
        ready(())
    }
}

/// What is ready of a body, as one that is sent alike, and a copy if that was all of it.
fn read_ready(mut body: Body, limit: usize) -> (Body, Option<Body>) {
    // Whoever sends what is left polls it with a waker of its own.
    let mut context = Context::from_waker(Waker::noop());
    let mut read = Read::default();
    let mut bytes = 0;
    while bytes <= limit {
        match Pin::new(&mut body).poll_frame(&mut context) {
            Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                Ok(data) => {
                    bytes += data.len();
                    read.data.push_back(data);
                }
                Err(frame) => read.trailers = frame.into_trailers().ok(),
            },
            Poll::Ready(Some(Err(error))) => {
                return (Body::new(Sent { read, then: Then::Fail(Some(error)) }), None);
            }
            Poll::Ready(None) => {
                let copy = Sent { read: read.clone(), then: Then::End };
                return (Body::new(Sent { read, then: Then::End }), Some(Body::new(copy)));
            }
            Poll::Pending => break,
        }
    }
    (Body::new(Sent { read, then: Then::More(body) }), None)
}

/// The frames that were read of a body.
#[derive(Clone, Default)]
struct Read {
    data: VecDeque<Bytes>,
    trailers: Option<HeaderMap>,
}

/// A body of what was read, and what comes after it.
struct Sent {
    read: Read,
    then: Then,
}

enum Then {
    End,
    Fail(Option<Status>),
    More(Body),
}

impl http_body::Body for Sent {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if let Some(data) = self.read.data.pop_front() {
            return Poll::Ready(Some(Ok(Frame::data(data))));
        }
        if let Some(trailers) = self.read.trailers.take() {
            return Poll::Ready(Some(Ok(Frame::trailers(trailers))));
        }
        match &mut self.then {
            Then::End => Poll::Ready(None),
            Then::Fail(error) => Poll::Ready(error.take().map(Err)),
            Then::More(body) => Pin::new(body).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        let read = self.read.data.is_empty() && self.read.trailers.is_none();
        read && matches!(self.then, Then::End)
    }
}
