//! Settings that depend on the request.

use core::fmt;
use core::future::Future;

use super::ending::Ending;
use super::exchange::Exchange;
use super::settings::CallSettings;
use crate::attempt::Attempt;
use crate::outcome::Outcome;

/// An exchange whose calls have settings by request.
/// [`RetryLayer::settings_for`](super::RetryLayer::settings_for) makes it.
#[derive(Clone, Copy)]
pub struct PerRequest<X, F> {
    pub(super) exchange: X,
    pub(super) settings: F,
}

impl<Request, Response, Error, X, F> Exchange<Request, Response, Error> for PerRequest<X, F>
where
    X: Exchange<Request, Response, Error>,
    F: Fn(&Request) -> CallSettings,
{
    const REPEATS_AT_ONCE: bool = X::REPEATS_AT_ONCE;

    type Seen = X::Seen;
    type Answer = X::Answer;

    fn see(&self, request: &Request) -> X::Seen {
        self.exchange.see(request)
    }

    fn settings(&self, request: &Request) -> CallSettings {
        self.exchange.settings(request).or((self.settings)(request))
    }

    fn copy(&self, request: &mut Request) -> Option<Request> {
        self.exchange.copy(request)
    }

    fn prepare(&self, seen: &X::Seen, request: &mut Request, attempt: Attempt) {
        self.exchange.prepare(seen, request, attempt);
    }

    fn classify(&self, seen: &X::Seen, result: &Result<Response, Error>) -> Outcome {
        self.exchange.classify(seen, result)
    }

    fn explain(
        &self,
        seen: &X::Seen,
        result: &Result<Response, Error>,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        self.exchange.explain(seen, result, f)
    }

    fn status(&self, response: &Response) -> Option<u16> {
        self.exchange.status(response)
    }

    fn repeats_at_once(&self, seen: &X::Seen, result: &Result<Response, Error>) -> bool {
        self.exchange.repeats_at_once(seen, result)
    }

    fn is_open(&self, seen: &X::Seen, response: &Response) -> bool {
        self.exchange.is_open(seen, response)
    }

    fn finish(&self, seen: X::Seen, response: Response, ending: Ending) -> X::Answer {
        self.exchange.finish(seen, response, ending)
    }

    fn discard(&self, response: Response) -> impl Future<Output = ()> + Send {
        self.exchange.discard(response)
    }
}

impl<X: fmt::Debug, F> fmt::Debug for PerRequest<X, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PerRequest").field("exchange", &self.exchange).finish_non_exhaustive()
    }
}
