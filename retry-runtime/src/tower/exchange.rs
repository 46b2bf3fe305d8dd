//! The `Exchange` trait: what the layer must know of a protocol.

use core::fmt;
use core::future::{Future, ready};

use super::ending::Ending;
use super::settings::CallSettings;
use crate::attempt::Attempt;
use crate::classify::Classify;
use crate::outcome::Outcome;

/// One protocol's requests and results. [`Cloned`] serves any request that can be
/// cloned, [`Http`](super::Http) those of HTTP; implement it for another, or to wrap one
/// of these.
///
/// For each call the layer asks [`settings`](Exchange::settings) and [`see`](Exchange::see) once.
/// For each attempt it asks `copy` (if another attempt could follow), `prepare`, and then
/// `classify`; `discard` for a response before another attempt, `finish` for the caller's response.
pub trait Exchange<Request, Response, Error> {
    /// Whether [`repeats_at_once`](Exchange::repeats_at_once) is asked, so that a copy is made
    /// for it.
    const REPEATS_AT_ONCE: bool = false;

    /// What has to be kept of the request to judge its results.
    type Seen: Send;

    /// What the caller has for a response: the response, or it with something around it.
    type Answer;

    /// Looks at the request, once for a call.
    fn see(&self, request: &Request) -> Self::Seen;

    /// The settings of this request's call, where they differ from the layer's. By default
    /// they do not.
    fn settings(&self, _request: &Request) -> CallSettings {
        CallSettings::new()
    }

    /// A copy of the request for a later attempt, or `None` if it can be sent only
    /// once. It may change the request into one that is sent alike.
    fn copy(&self, request: &mut Request) -> Option<Request>;

    /// Changes a request just before it is sent, each time: by its attempt's number, or by
    /// what is left of the call's time. By default it does nothing.
    fn prepare(&self, _seen: &Self::Seen, _request: &mut Request, _attempt: Attempt) {}

    /// The outcome of an attempt. An error is one of the service's readiness too.
    fn classify(&self, seen: &Self::Seen, result: &Result<Response, Error>) -> Outcome;

    /// Writes why an attempt with this result did not succeed: the text of
    /// [`Event::error`](crate::Event::error). By default nothing.
    fn explain(
        &self,
        _seen: &Self::Seen,
        _result: &Result<Response, Error>,
        _f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        Ok(())
    }

    /// The status of an answer of HTTP, for the field `http.response.status_code` of
    /// telemetry. By default there is none.
    fn status(&self, _response: &Response) -> Option<u16> {
        None
    }

    /// Whether the attempt is repeated within itself, at once, without a wait and free of
    /// charge: the server has said that it did not process it. Once for each attempt; a
    /// second such result is judged. By default never: it is for a protocol that says so
    /// (gRFC A6, "transparent retries"), and [`REPEATS_AT_ONCE`](Exchange::REPEATS_AT_ONCE)
    /// has to be true.
    fn repeats_at_once(&self, _seen: &Self::Seen, _result: &Result<Response, Error>) -> bool {
        false
    }

    /// Whether the success that `classify` has found is not known before the body of the
    /// response has been read. Then the response goes to the caller, no attempt follows,
    /// and `finish` has an [`Ending::Open`] to settle later. By default it is known.
    fn is_open(&self, _seen: &Self::Seen, _response: &Response) -> bool {
        false
    }

    /// Hands the last response to the caller.
    fn finish(&self, seen: Self::Seen, response: Response, ending: Ending) -> Self::Answer;

    /// Gets rid of a response that another attempt follows. It runs during the wait
    /// and is dropped if it takes long. By default it drops the response.
    fn discard(&self, response: Response) -> impl Future<Output = ()> + Send {
        drop(response);
        ready(())
    }
}

/// Clones each request, and judges results with a classifier that does not see the
/// request. [`RetryLayer::new`](super::RetryLayer::new) makes it.
#[derive(Clone, Copy, Debug)]
pub struct Cloned<C>(pub(super) C);

impl<Request, Response, Error, C> Exchange<Request, Response, Error> for Cloned<C>
where
    Request: Clone,
    C: Classify<Result<Response, Error>>,
{
    type Seen = ();
    type Answer = Response;

    fn see(&self, _: &Request) {}

    fn copy(&self, request: &mut Request) -> Option<Request> {
        Some(request.clone())
    }

    fn classify(&self, (): &(), result: &Result<Response, Error>) -> Outcome {
        self.0.classify(result)
    }

    fn explain(
        &self,
        (): &(),
        result: &Result<Response, Error>,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        self.0.explain(result, f)
    }

    fn finish(&self, (): (), response: Response, _: Ending) -> Response {
        response
    }
}
