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
    messages: Messages,
    call: Option<OpenCall>,
}

impl Watched {
    pub(crate) const fn new(
        body: Body,
        status: StatusCode,
        classifier: Classifier,
        call: OpenCall,
    ) -> Watched {
        Watched { body, status, classifier, messages: Messages::new(), call: Some(call) }
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
        self.settle(|classifier| classifier.classify_error(error), &kind);
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
                if frame.data_ref().is_some_and(|data| self.messages.are_broken_by(data)) {
                    // Its reader will go before the end.
                    self.settle(|_| Outcome::Fail, &"no message of gRPC");
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

/// Where the messages of an answer begin and end: each has a prefix of a flag, which says
/// whether it is compressed, and a length of four bytes (gRPC's document `PROTOCOL-HTTP2.md`).
struct Messages {
    prefix: [u8; 5],
    /// How much of the prefix has come.
    read: usize,
    /// How much of the message is still to come.
    left: usize,
}

impl Messages {
    const fn new() -> Messages {
        Messages { prefix: [0; 5], read: 0, left: 0 }
    }

    /// Reads on, and says whether no message can begin like this.
    fn are_broken_by(&mut self, mut data: &[u8]) -> bool {
        loop {
            let skipped = self.left.min(data.len());
            (self.left, data) = (self.left - skipped, &data[skipped..]);
            let Some((byte, rest)) = data.split_first() else { return false };
            (self.prefix[self.read], data) = (*byte, rest);
            if self.prefix[0] > 1 {
                return true;
            }
            self.read += 1;
            let [_, length @ ..] = self.prefix;
            if self.read == self.prefix.len() {
                self.read = 0;
                self.left = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};
    use proptest::prelude::*;

    use super::*;

    fn message(flag: u8, bytes: &[u8]) -> Vec<u8> {
        [&[flag][..], &u32::try_from(bytes.len()).unwrap().to_be_bytes(), bytes].concat()
    }

    /// Some of the names that are read, each with any value.
    fn headers() -> impl Strategy<Value = HeaderMap> {
        let names =
            ["grpc-status", "grpc-message", "grpc-retry-pushback-ms", DETAILS, "content-type"];
        let value = prop_oneof![
            prop::collection::vec(any::<u8>(), 0..24),
            "-?[0-9]{1,12}".prop_map(String::into_bytes),
            "[A-Za-z0-9+/]{0,24}={0,2}".prop_map(String::into_bytes),
        ];
        prop::collection::vec((prop::sample::select(names.to_vec()), value), 0..6).prop_map(
            |pairs| {
                let mut headers = HeaderMap::new();
                for (name, value) in pairs {
                    if let Ok(value) = HeaderValue::from_bytes(&value) {
                        headers.append(HeaderName::from_static(name), value);
                    }
                }
                headers
            },
        )
    }

    proptest! {
        #[test]
        fn no_headers_panic_here_or_in_tonic(mut headers in headers(), status in 100..1000u16) {
            let status = StatusCode::from_u16(status).unwrap();
            for classifier in [Classifier::A6, Classifier::OTLP] {
                let said = outcome_of(&classifier, &headers);
                let code = headers.get("grpc-status").map(|code| Code::from_bytes(code.as_bytes()));
                prop_assert_eq!(said == Some(Outcome::Success), code == Some(Code::Ok));
            }
            code_of(status, &headers);
            remove_unreadable_details(&mut headers);
            // tonic panics on details that are not base64.
            let _read = Status::from_header_map(&headers);
        }

        #[test]
        fn whole_messages_are_read_however_they_are_cut(
            messages in prop::collection::vec((0..2u8, prop::collection::vec(any::<u8>(), 0..9)), 0..5),
            cuts in prop::collection::vec(1..7usize, 1..9),
        ) {
            let bytes: Vec<u8> =
                messages.iter().flat_map(|(flag, bytes)| message(*flag, bytes)).collect();
            let (mut reader, mut rest) = (Messages::new(), &bytes[..]);
            for cut in cuts.iter().cycle() {
                let (part, left) = rest.split_at((*cut).min(rest.len()));
                prop_assert!(!reader.are_broken_by(part));
                rest = left;
                if rest.is_empty() {
                    break;
                }
            }
            prop_assert_eq!((reader.read, reader.left), (0, 0));
            prop_assert!(reader.are_broken_by(b"<html>"));
        }

        #[test]
        fn no_bytes_panic(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..9), 0..9)) {
            let mut reader = Messages::new();
            for part in parts {
                if reader.are_broken_by(&part) {
                    break;
                }
            }
        }
    }
}
