//! Requests of a channel: their copies, and what each attempt adds to them.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use http::header::{HeaderName, HeaderValue};
use http::{HeaderMap, Request};
use http_body::{Body as _, Frame};
use tonic::Status;
use tonic::body::Body;

/// How long the caller waits for the whole call (gRPC's document `PROTOCOL-HTTP2.md`).
const TIMEOUT: HeaderName = HeaderName::from_static("grpc-timeout");

/// How many attempts came before this one (gRFC A6).
const PREVIOUS_ATTEMPTS: HeaderName = HeaderName::from_static("grpc-previous-rpc-attempts");

/// A copy of a request, if all of its body is there; it is changed into one that is sent alike.
pub(crate) fn copy(request: &mut Request<Body>, limit: usize) -> Option<Request<Body>> {
    let body = std::mem::take(request.body_mut());
    let (sent, copy) = read_ready(body, limit);
    *request.body_mut() = sent;
    let mut again = Request::new(copy?);
    again.method_mut().clone_from(request.method());
    again.uri_mut().clone_from(request.uri());
    *again.version_mut() = request.version();
    again.headers_mut().clone_from(request.headers());
    again.extensions_mut().clone_from(request.extensions());
    Some(again)
}

/// The timeout of a request; `None` without one, or if it is none.
pub(crate) fn timeout(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(TIMEOUT)?.to_str().ok()?;
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value: u64 = digits.parse().ok()?;
    Some(match unit {
        "H" => Duration::from_secs(value * 3600),
        "M" => Duration::from_secs(value * 60),
        "S" => Duration::from_secs(value),
        "m" => Duration::from_millis(value),
        "u" => Duration::from_micros(value),
        "n" => Duration::from_nanos(value),
        _ => return None,
    })
}

/// Lets a request say what is left of its timeout.
pub(crate) fn set_timeout(headers: &mut HeaderMap, left: Duration) {
    // In the finest unit whose eight digits suffice, rounded down; a request with nothing
    // left is given the shortest time that there is.
    let units = [(1, 'n'), (1_000, 'u'), (1_000_000, 'm'), (1_000_000_000, 'S')];
    let nanos = left.as_nanos().max(1);
    let fits = units.iter().find(|(unit, _)| nanos / unit < 100_000_000);
    let (value, unit) = match fits {
        Some((unit, name)) => (nanos / unit, *name),
        // Three years and more.
        None => (nanos / 3_600_000_000_000, 'H'),
    };
    let text = format!("{}{unit}", value.min(99_999_999));
    headers.insert(TIMEOUT, HeaderValue::try_from(text).expect("digits and a letter"));
}

/// Lets a request say how many attempts came before it.
pub(crate) fn set_previous_attempts(headers: &mut HeaderMap, attempts: u32) {
    headers.insert(PREVIOUS_ATTEMPTS, HeaderValue::from(attempts));
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(text: &str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(TIMEOUT, HeaderValue::try_from(text).unwrap());
        timeout(&headers)
    }

    #[test]
    fn timeouts_are_read_in_every_unit() {
        for (text, expected) in [
            ("1H", Some(Duration::from_secs(3600))),
            ("2M", Some(Duration::from_secs(120))),
            ("3S", Some(Duration::from_secs(3))),
            ("4m", Some(Duration::from_millis(4))),
            ("5u", Some(Duration::from_micros(5))),
            ("6n", Some(Duration::from_nanos(6))),
            ("99999999H", Some(Duration::from_secs(99_999_999 * 3600))),
            ("100000000n", None),
            ("7", None),
            ("S", None),
            ("", None),
            ("-1S", None),
            ("+1S", None),
            ("1s", None),
            ("1 S", None),
        ] {
            assert_eq!(parsed(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_left_is_said_rounded_down(secs in 0..3_000_000_000u64, nanos in 0..1_000_000_000u32) {
            let left = Duration::new(secs, nanos);
            let mut headers = HeaderMap::new();
            set_timeout(&mut headers, left);
            let said = timeout(&headers).unwrap();
            if left.is_zero() {
                prop_assert_eq!(said, Duration::from_nanos(1));
            } else {
                prop_assert!(said <= left, "{:?}", headers);
                // Eight digits, seven of them kept; above three years whole hours.
                let lost = left - said;
                prop_assert!(lost <= left / 1_000_000 || lost < Duration::from_secs(3600));
            }
        }

        #[test]
        fn no_timeout_panics(bytes in prop::collection::vec(any::<u8>(), 0..12)) {
            if let Ok(value) = HeaderValue::from_bytes(&bytes) {
                let headers = HeaderMap::from_iter([(TIMEOUT, value)]);
                timeout(&headers);
            }
        }
    }
}
