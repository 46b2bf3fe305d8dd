//! Retries of a whole client: the tower layer over `reqwest::Client`.

use std::fmt;

use reqwest::{Body, Error, Request, Response, ResponseBuilderExt};
use retry_runtime::http::HttpPolicy;
use retry_runtime::tower::{Ending, Exchange, ResponseBody, RetryLayer};
use retry_runtime::{Classify, Outcome};

use crate::classifier::Classifier;

/// How much of a response that is not wanted is read, so that its connection can serve the next
/// attempt.
const DRAIN: usize = 4096;

/// The tower layer for `reqwest::Client`, which is a tower service: every request is retried as
/// `policy` says, which is resolved for its method and its `Idempotency-Key`, and every retry is
/// paid by `budget`. A request whose body is a stream is sent once.
///
/// The client may follow redirects: see [the crate](crate#redirects). For one that does not,
/// [`Exchange`](retry_runtime::tower::Exchange)s are made by [`Requests`].
///
/// A `reqwest::Request` shows its extensions to nobody, so the settings of one request's call
/// are given with it: [`Retry::call_with`](retry_runtime::tower::Retry::call_with),
/// [`Client::execute_with`](crate::Client::execute_with), or, made of the request,
/// [`RetryLayer::settings_for`].
///
/// ```
/// use reqwest::Client;
/// use retry_runtime::Budget;
/// use retry_runtime::http::HttpPolicy;
/// use tower::{Layer, ServiceExt};
///
/// static STOCK: Budget = Budget::new(10, 0.1);
///
/// # async fn run() -> Result<(), reqwest::Error> {
/// let client = Client::builder().retry(reqwest::retry::never()).build()?;
/// let service = retry_reqwest::layer(HttpPolicy::DEFAULT, &STOCK).layer(client.clone());
/// let response = service.oneshot(client.get("http://127.0.0.1/stock").build()?).await?;
/// # drop(response); Ok(()) }
/// ```
#[must_use]
pub fn layer<B>(policy: HttpPolicy, budget: B) -> RetryLayer<Requests, B> {
    RetryLayer::with(policy.policy(), budget, Requests::new(policy))
}

/// reqwest's requests and results, for [`RetryLayer::with`]. [`layer`] makes both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Requests {
    policy: HttpPolicy,
    heads: bool,
}

impl Requests {
    /// Requests of a client which may follow redirects.
    #[must_use]
    pub const fn new(mut policy: HttpPolicy) -> Requests {
        policy.follows_redirects = true;
        Requests { policy, heads: false }
    }

    /// Requests of a client without redirects (`redirect::Policy::none()`).
    ///
    /// ```
    /// use retry_reqwest::Requests;
    /// use retry_runtime::Budget;
    /// use retry_runtime::http::HttpPolicy;
    /// use retry_runtime::tower::RetryLayer;
    ///
    /// static STOCK: Budget = Budget::new(10, 0.1);
    /// let requests = Requests::new(HttpPolicy::DEFAULT).without_redirects();
    /// let layer = RetryLayer::with(HttpPolicy::DEFAULT.policy(), &STOCK, requests);
    /// ```
    #[must_use]
    pub const fn without_redirects(mut self) -> Requests {
        self.policy.follows_redirects = false;
        self
    }

    /// Judges an answer by its head, and hands its body on as it is. Otherwise a success
    /// credits the budget when its body has come whole, and is charged if it breaks off: see
    /// [`ResponseBody`].
    #[must_use]
    pub const fn judge_heads(mut self) -> Requests {
        self.heads = true;
        self
    }
}

impl Exchange<Request, Response, Error> for Requests {
    type Seen = Classifier;
    type Answer = Response;

    fn see(&self, request: &Request) -> Classifier {
        Classifier::resolved(self.policy.for_request(request.method(), request.headers()))
    }

    fn copy(&self, request: &mut Request) -> Option<Request> {
        request.try_clone()
    }

    fn classify(&self, classifier: &Classifier, result: &Result<Response, Error>) -> Outcome {
        classifier.classify(result)
    }

    fn explain(
        &self,
        classifier: &Classifier,
        result: &Result<Response, Error>,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        classifier.explain(result, f)
    }

    fn status(&self, response: &Response) -> Option<u16> {
        Some(response.status().as_u16())
    }

    fn is_open(&self, _: &Classifier, response: &Response) -> bool {
        !self.heads && response.content_length() != Some(0)
    }

    fn finish(&self, classifier: Classifier, mut response: Response, ending: Ending) -> Response {
        match ending {
            Ending::Ended(end) => {
                response.extensions_mut().insert(end);
                response
            }
            open => watched(response, open, &classifier),
        }
    }

    async fn discard(&self, mut response: Response) {
        if response.content_length().is_some_and(|length| length > DRAIN as u64) {
            return;
        }
        let mut read = 0;
        while let Ok(Some(chunk)) = response.chunk().await {
            read += chunk.len();
            if read > DRAIN {
                return;
            }
        }
    }
}

/// The same response, whose body settles the call.
fn watched(response: Response, ending: Ending, classifier: &Classifier) -> Response {
    let url = response.url().clone();
    let response = http::Response::<Body>::from(response);
    let mut response = ResponseBody::around(response, ending, classifier.policy());
    // The URL is no part of a response of `http`.
    let with_url = http::Response::builder().url(url).body(()).expect("no header is wrong");
    response.extensions_mut().extend(with_url.into_parts().0.extensions);
    Response::from(response.map(Body::wrap))
}
