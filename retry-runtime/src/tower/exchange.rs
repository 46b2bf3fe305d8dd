//! What the layer must know of a protocol: how to copy a request, what an answer
//! means, and what to do with one that is not wanted.

use core::future::Future;

use crate::{Classify, Outcome};

/// One protocol's requests and results. [`Cloned`] serves any request that can be
/// cloned, [`Http`](super::Http) those of HTTP; implement it for another.
pub trait Exchange<Request, Response, Error> {
    /// What has to be kept of the request to judge its results.
    type Seen: Send;

    /// Looks at the request, once for a call.
    fn see(&self, request: &Request) -> Self::Seen;

    /// A copy of the request for a later attempt, or `None` if it can be sent only
    /// once. It may change the request into one that is sent alike.
    fn copy(&self, request: &mut Request) -> Option<Request>;

    /// What the result of an attempt means.
    fn classify(&self, seen: &Self::Seen, result: &Result<Response, Error>) -> Outcome;

    /// Gets rid of a response that another attempt follows. It runs during the wait
    /// and is dropped if it takes long.
    fn discard(&self, response: Response) -> impl Future<Output = ()> + Send;
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

    fn see(&self, _: &Request) {}

    fn copy(&self, request: &mut Request) -> Option<Request> {
        Some(request.clone())
    }

    fn classify(&self, (): &(), result: &Result<Response, Error>) -> Outcome {
        self.0.classify(result)
    }

    fn discard(&self, response: Response) -> impl Future<Output = ()> + Send {
        drop(response);
        core::future::ready(())
    }
}
