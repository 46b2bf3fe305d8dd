//! Requests and responses of HTTP.

use core::fmt;
use core::future::{Future, poll_fn};
use core::marker::PhantomData;
use core::pin::pin;
use core::time::Duration;

use ::http::{Request, Response};
use bytes::Buf;
use http_body::Body;

use super::ending::Ending;
use super::exchange::Exchange;
use super::response_body::ResponseBody;
use super::settings::CallSettings;
use crate::attempt::Attempt;
use crate::http::{ErrorKind, HttpPolicy, RequestPolicy};
use crate::outcome::Outcome;
use crate::time::date;

/// How much of an unwanted response is read for the sake of its connection. More is
/// cheaper to throw away together with the connection.
const DRAIN: u64 = 4096;

/// Requests of HTTP: the policy is resolved for the method of each and its
/// `Idempotency-Key`. [`RetryLayer::http`](super::RetryLayer::http) makes it.
///
/// Each request is sent with an [`Attempt`] in its extensions: the number of the attempt and the
/// rest of the call's time. [`CallSettings`] in the extensions of a request are for its call. The
/// response has a [`CallEnd`](super::CallEnd) in its extensions, and its body is a
/// [`ResponseBody`], whose end credits or charges the budget.
#[derive(Clone, Copy)]
pub struct Http<K, B = CloneBody, J = WholeAnswer> {
    pub(super) policy: HttpPolicy,
    pub(super) kind: K,
    pub(super) bodies: B,
    pub(super) judged: PhantomData<fn() -> J>,
}

/// An answer is a success when its body has come whole: see [`ResponseBody`].
#[derive(Clone, Copy, Debug)]
pub enum WholeAnswer {}

/// An answer is a success by its head, and its body is handed on as it is:
/// [`RetryLayer::judge_heads`](super::RetryLayer::judge_heads).
#[derive(Clone, Copy, Debug)]
pub enum HeadOfAnswer {}

/// The part of an answer that is judged: [`WholeAnswer`] or [`HeadOfAnswer`].
pub trait Judged<D>: sealed::Sealed {
    /// The body that the caller has.
    type Body;

    #[doc(hidden)]
    fn is_open(body: &D) -> bool;

    #[doc(hidden)]
    fn finish(
        response: Response<D>,
        ending: Ending,
        policy: &RequestPolicy,
    ) -> Response<Self::Body>;
}

impl<D: Body> Judged<D> for WholeAnswer {
    type Body = ResponseBody<D>;

    fn is_open(body: &D) -> bool {
        !body.is_end_stream()
    }

    fn finish(
        response: Response<D>,
        ending: Ending,
        policy: &RequestPolicy,
    ) -> Response<ResponseBody<D>> {
        ResponseBody::around(response, ending, policy)
    }
}

impl<D> Judged<D> for HeadOfAnswer {
    type Body = D;

    fn is_open(_: &D) -> bool {
        false
    }

    fn finish(mut response: Response<D>, ending: Ending, _: &RequestPolicy) -> Response<D> {
        if let Ending::Ended(end) = ending {
            response.extensions_mut().insert(end);
        }
        response
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::WholeAnswer {}
    impl Sealed for super::HeadOfAnswer {}
}

impl<K> Http<K> {
    /// Judges with `policy`; `kind` translates errors, a `Fn(&Error) -> ErrorKind` such as
    /// `retry_hyper::kind` for a hyper client. If an error knows how long to wait, `kind` returns
    /// both as a [`KnownError`].
    ///
    /// ```
    /// use retry_runtime::NoBudget;
    /// use retry_runtime::http::{ErrorKind, HttpPolicy};
    /// use retry_runtime::tower::{Http, RetryLayer};
    /// use std::time::Duration;
    ///
    /// struct Limited { free_in: Duration }
    ///
    /// // A limiter of this process let nothing through.
    /// let http = Http::new(HttpPolicy::DEFAULT, |error: &Limited| {
    ///     (ErrorKind::PoolTimeout, error.free_in)
    /// });
    /// let layer = RetryLayer::with(HttpPolicy::DEFAULT.policy(), NoBudget, http);
    /// # let _ = layer;
    /// ```
    #[must_use]
    pub const fn new(policy: HttpPolicy, kind: K) -> Http<K> {
        Http { policy, kind, bodies: CloneBody, judged: PhantomData }
    }
}

/// An error's kind, and how long to wait at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownError {
    kind: ErrorKind,
    delay: Option<Duration>,
}

impl From<ErrorKind> for KnownError {
    fn from(kind: ErrorKind) -> KnownError {
        KnownError { kind, delay: None }
    }
}

/// The delay counts if the kind is repeated.
impl From<(ErrorKind, Duration)> for KnownError {
    fn from((kind, delay): (ErrorKind, Duration)) -> KnownError {
        KnownError { kind, delay: Some(delay) }
    }
}

/// Copies the body of a request. Any `Fn(&mut Body) -> Option<Body>` does.
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

/// Clones a `Clone` body.
#[derive(Clone, Copy, Debug, Default)]
pub struct CloneBody;

impl<B: Clone> CopyBody<B> for CloneBody {
    fn copy_body(&self, body: &mut B) -> Option<B> {
        Some(body.clone())
    }
}

impl<B, D, E, K, R, C, J> Exchange<Request<B>, Response<D>, E> for Http<K, C, J>
where
    D: Body<Data: Send> + Send,
    K: Fn(&E) -> R,
    R: Into<KnownError>,
    C: CopyBody<B>,
    J: Judged<D>,
{
    type Seen = RequestPolicy;
    type Answer = Response<J::Body>;

    fn see(&self, request: &Request<B>) -> RequestPolicy {
        self.policy.for_request(request.method(), request.headers())
    }

    fn settings(&self, request: &Request<B>) -> CallSettings {
        request.extensions().get().cloned().unwrap_or_default()
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

    fn prepare(&self, _: &RequestPolicy, request: &mut Request<B>, attempt: Attempt) {
        request.extensions_mut().insert(attempt);
    }

    fn explain(
        &self,
        _: &RequestPolicy,
        result: &Result<Response<D>, E>,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        match result {
            Ok(response) => write!(f, "status {}", response.status()),
            Err(error) => write!(f, "{}", (self.kind)(error).into().kind),
        }
    }

    fn status(&self, response: &Response<D>) -> Option<u16> {
        Some(response.status().as_u16())
    }

    fn classify(&self, policy: &RequestPolicy, result: &Result<Response<D>, E>) -> Outcome {
        match result {
            Ok(response) => policy.classify(response.status(), response.headers(), date()),
            Err(error) => {
                let KnownError { kind, delay } = (self.kind)(error).into();
                match (policy.classify_error(kind), delay) {
                    (Outcome::Retry, Some(delay)) => Outcome::RetryAfter(delay),
                    (outcome, _) => outcome,
                }
            }
        }
    }

    fn is_open(&self, _: &RequestPolicy, response: &Response<D>) -> bool {
        J::is_open(response.body())
    }

    fn finish(
        &self,
        policy: RequestPolicy,
        response: Response<D>,
        ending: Ending,
    ) -> Response<J::Body> {
        J::finish(response, ending, &policy)
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

impl<K, B: fmt::Debug, J> fmt::Debug for Http<K, B, J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http")
            .field("policy", &self.policy)
            .field("bodies", &self.bodies)
            .finish_non_exhaustive()
    }
}
