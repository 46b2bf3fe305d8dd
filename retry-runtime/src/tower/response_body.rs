//! The body of the last answer of HTTP, which settles its call when it ends.

use core::fmt;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use ::http::Response;
use bytes::Buf;
use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

use super::ending::{Ending, OpenCall};
use crate::http::RequestPolicy;
use crate::outcome::Outcome;

pin_project! {
    /// The body of an answer from the layer: the service's own, with the same frames, errors and
    /// length. If the head was a success, the body settles the call, because a failed call must not
    /// credit a budget:
    ///
    /// | the body | the budget | the observer has |
    /// |---|---|---|
    /// | ends, with all of its length | is credited | `Success` |
    /// | ends in an error, or short of its length | loses a token | `Fail` |
    /// | is dropped before anybody asked for it | is credited: the head was all that the caller wanted | `Success` |
    /// | is dropped while it is read | as it was | nothing; telemetry counts the call as `dropped` |
    ///
    /// With an empty body (`is_end_stream`) the call is settled by the head.
    /// [`RetryLayer::judge_heads`](super::RetryLayer::judge_heads) is for those who want the
    /// service's own type.
    ///
    /// ```
    /// use http::{Request, Response};
    /// use http_body_util::BodyExt;
    /// use retry_runtime::Budget;
    /// use retry_runtime::http::{ErrorKind, HttpPolicy};
    /// use retry_runtime::tower::RetryLayer;
    /// use std::convert::Infallible;
    /// use std::sync::Arc;
    /// use tower::{Layer, ServiceExt, service_fn};
    ///
    /// let client = service_fn(|_: Request<String>| async {
    ///     Ok::<_, Infallible>(Response::new(String::from("hello")))
    /// });
    /// let budget = Arc::new(Budget::new(10, 0.1));
    /// let kind = |_: &Infallible| ErrorKind::Other;
    /// let layer = RetryLayer::http(HttpPolicy::DEFAULT, budget.clone(), kind);
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let response = layer.layer(client).oneshot(Request::new(String::new())).await.unwrap();
    /// let text = response.into_body().collect().await.unwrap().to_bytes();
    /// assert_eq!(text, "hello");
    /// # });
    /// ```
    pub struct ResponseBody<D> {
        #[pin]
        body: D,
        reading: Reading,
    }
}

/// How far the answer was read.
struct Reading {
    /// `None` once the call is settled.
    call: Option<OpenCall>,
    asked: bool,
    /// How many bytes have to come before the end.
    missing: u64,
}

impl<D> ResponseBody<D> {
    /// The last answer to a request with this policy, with its call in its body and its
    /// [`CallEnd`](super::CallEnd) in its extensions: for
    /// [`Exchange::finish`](super::Exchange::finish) of an exchange over HTTP.
    pub fn around(
        response: Response<D>,
        ending: Ending,
        policy: &RequestPolicy,
    ) -> Response<ResponseBody<D>>
    where
        D: Body,
    {
        let expects_body = policy.expects_body(response.status());
        let (end, call) = match ending {
            Ending::Ended(end) => (end, None),
            Ending::Open(call) => (call.expected(), Some(call)),
        };
        let mut response = response.map(|body| {
            let missing = if expects_body { body.size_hint().lower() } else { 0 };
            ResponseBody { body, reading: Reading { call, asked: false, missing } }
        });
        response.extensions_mut().insert(end);
        response
    }
}

impl<D: Body> Body for ResponseBody<D> {
    type Data = D::Data;
    type Error = D::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<D::Data>, D::Error>>> {
        let mut this = self.project();
        this.reading.asked = true;
        let frame = ready!(this.body.as_mut().poll_frame(context));
        match &frame {
            Some(Ok(frame)) => {
                let read = frame.data_ref().map_or(0, |data| data.remaining() as u64);
                this.reading.missing = this.reading.missing.saturating_sub(read);
                if this.body.is_end_stream() {
                    this.reading.end();
                }
            }
            Some(Err(_)) => this.reading.fail("the body broke off"),
            None => this.reading.end(),
        }
        Poll::Ready(frame)
    }

    /// Not before the call is settled: what is at its end is not read any more.
    fn is_end_stream(&self) -> bool {
        self.reading.call.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Reading {
    fn end(&mut self) {
        // hyper ends a body without an error that a server cuts with NO_ERROR.
        if self.missing > 0 {
            self.fail("the body ended short of its length");
        } else if let Some(call) = self.call.take() {
            call.settle(Outcome::Success);
        }
    }

    fn fail(&mut self, reason: &'static str) {
        if let Some(call) = self.call.take() {
            call.settle_because(Outcome::Fail, &reason);
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        if !self.asked {
            if let Some(call) = self.call.take() {
                call.settle(Outcome::Success);
            }
        }
    }
}

impl<D: fmt::Debug> fmt::Debug for ResponseBody<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseBody").field("body", &self.body).finish_non_exhaustive()
    }
}
