//! Requests and responses of HTTP.

use core::fmt;
use core::future::{Future, poll_fn};
use core::pin::pin;
use std::time::SystemTime;

use ::http::{Request, Response};
use bytes::Buf;
use http_body::Body;

use super::Exchange;
use crate::Outcome;
use crate::http::{ErrorKind, HttpPolicy};

/// How much of an unwanted response is read for the sake of its connection. More is
/// cheaper to throw away together with the connection.
const DRAIN: u64 = 4096;

/// Requests of HTTP: the policy is resolved for the method of each and its
/// `Idempotency-Key`. [`RetryLayer::http`](super::RetryLayer::http) makes it.
#[derive(Clone, Copy)]
pub struct Http<K, B = CloneBody> {
    pub(super) policy: HttpPolicy,
    pub(super) kind: K,
    pub(super) bodies: B,
}

/// How the body of a request is copied. Any `Fn(&mut Body) -> Option<Body>` does.
pub trait CopyBody<B> {
    /// A copy of `body`, or `None` if it can be sent only once.
    fn copy_body(&self, body: &mut B) -> Option<B>;
}

impl<B, F> CopyBody<B> for F
where
    F: Fn(&mut B) -> Option<B>,
{
    fn copy_body(&self, body: &mut B) -> Option<B> {
        self(body)
    }
}

/// Clones a body that is `Clone`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CloneBody;

impl<B: Clone> CopyBody<B> for CloneBody {
    fn copy_body(&self, body: &mut B) -> Option<B> {
        Some(body.clone())
    }
}

impl<B, D, E, K, C> Exchange<Request<B>, Response<D>, E> for Http<K, C>
where
    D: Body<Data: Send> + Send,
    K: Fn(&E) -> ErrorKind,
    C: CopyBody<B>,
{
    type Seen = HttpPolicy;

    fn see(&self, request: &Request<B>) -> HttpPolicy {
        self.policy.for_request(request.method(), request.headers())
    }

    fn copy(&self, request: &mut Request<B>) -> Option<Request<B>> {
        let mut copy = Request::new(self.bodies.copy_body(request.body_mut())?);
        copy.method_mut().clone_from(request.method());
        copy.uri_mut().clone_from(request.uri());
        *copy.version_mut() = request.version();
        copy.headers_mut().clone_from(request.headers());
        copy.extensions_mut().clone_from(request.extensions());
        Some(copy)
    }

    fn classify(&self, policy: &HttpPolicy, result: &Result<Response<D>, E>) -> Outcome {
        match result {
            Ok(response) => {
                policy.classify(response.status(), response.headers(), SystemTime::now())
            }
            Err(error) => policy.classify_error((self.kind)(error)),
        }
    }

    fn discard(&self, response: Response<D>) -> impl Future<Output = ()> + Send {
        drain(response.into_body())
    }
}

/// Reads a body to its end, if that is near: only then can a connection of HTTP/1
/// be used again.
async fn drain<D: Body>(body: D) {
    if body.size_hint().lower() > DRAIN {
        return;
    }
    let mut body = pin!(body);
    let mut read = 0;
    while let Some(Ok(frame)) = poll_fn(|context| body.as_mut().poll_frame(context)).await {
        read += frame.data_ref().map_or(0, |data| data.remaining() as u64);
        if read > DRAIN {
            return;
        }
    }
}

impl<K, B: fmt::Debug> fmt::Debug for Http<K, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http")
            .field("policy", &self.policy)
            .field("bodies", &self.bodies)
            .finish_non_exhaustive()
    }
}
