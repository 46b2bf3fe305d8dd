//! Answers of a channel: what their headers and trailers say, and the body that is
//! judged when it ends.

use std::error::Error;
use std::fmt::Display;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use http_body::{Frame, SizeHint};
use retry_runtime::Outcome;
use retry_runtime::http::ErrorKind;
use retry_runtime::tower::OpenCall;
use tonic::body::Body;
use tonic::metadata::MetadataMap;
use tonic::{Code, Status};

use crate::{Classifier, codes, origin};

type BoxError = Box<dyn Error + Send + Sync>;

/// What headers or trailers say; `None` without a status of gRPC.
pub(crate) fn outcome_of(classifier: &Classifier, headers: &HeaderMap) -> Option<Outcome> {
    let code = Code::from_bytes(headers.get("grpc-status")?.as_bytes());
    if code == Code::Ok {
        return Some(Outcome::Success);
    }
    // Not `Status::from_header_map`, which panics on details that are not base64.
    let metadata = MetadataMap::from_headers(headers.clone());
    let details = metadata.get_bin(DETAILS).and_then(|value| value.to_bytes().ok());
    let details = details.unwrap_or_default();
    let status = Status::with_details_and_metadata(code, "", details, metadata);
    Some(classifier.classify_answer(&status))
}

/// The code that headers say, or that of the answer's status of HTTP.
pub(crate) fn code_of(status: StatusCode, headers: &HeaderMap) -> Code {
    match headers.get("grpc-status") {
        Some(code) => Code::from_bytes(code.as_bytes()),
        None => codes::of_http(status),
    }
}

const DETAILS: &str = "grpc-status-details-bin";

/// Takes details out that are not base64: tonic panics on them when it reads the status.
pub(crate) fn remove_unreadable_details(headers: &mut HeaderMap) {
    if headers.contains_key(DETAILS) {
        let metadata = MetadataMap::from_headers(headers.clone());
        if metadata.get_bin(DETAILS).is_some_and(|value| value.to_bytes().is_err()) {
            headers.remove(DETAILS);
        }
    }
}

/// The body of an answer that has begun: the caller sees its messages, so no attempt
/// follows, and how the call ended is known when it ends.
pub(crate) struct Watched {
    body: Body,
    status: StatusCode,
    classifier: Classifier,
    call: Option<OpenCall>,
}

impl Watched {
    pub(crate) const fn new(
        body: Body,
        status: StatusCode,
        classifier: Classifier,
        call: OpenCall,
    ) -> Watched {
        Watched { body, status, classifier, call: Some(call) }
    }

    fn settle(&mut self, outcome: impl FnOnce(&Classifier) -> Outcome, reason: &dyn Display) {
        if let Some(call) = self.call.take() {
            call.settle_because(outcome(&self.classifier), reason);
        }
    }

    /// By what the answer ends with.
    fn end(&mut self, trailers: &HeaderMap) {
        let (status, code) = (self.status, code_of(self.status, trailers));
        let outcome = |classifier: &Classifier| {
            let said = outcome_of(classifier, trailers);
            // No status: `UNKNOWN`, by the answer's status of HTTP.
            said.unwrap_or_else(|| classifier.classify_http(status))
        };
        self.settle(outcome, &format_args!("{code:?}"));
    }

    fn broke_off(&mut self, error: &(dyn Error + 'static)) {
        let kind = origin::failure(error).map_or(ErrorKind::Other, |failure| failure.kind);
        self.settle(|classifier| classifier.classify_error(error), &format_args!("{kind:?}"));
    }
}

impl http_body::Body for Watched {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let frame = match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(frame) => frame,
        };
        Poll::Ready(match frame {
            Some(Ok(mut frame)) => {
                if let Some(trailers) = frame.trailers_mut() {
                    self.end(trailers);
                    remove_unreadable_details(trailers);
                }
                Some(Ok(frame))
            }
            Some(Err(error)) => {
                self.broke_off(&error);
                Some(Err(error.into()))
            }
            None => {
                self.end(&HeaderMap::new());
                None
            }
        })
    }

    /// Not before the call is settled: what is at its end is not read any more.
    fn is_end_stream(&self) -> bool {
        self.call.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
