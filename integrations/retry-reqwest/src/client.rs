//! A client that retries.

use std::future::poll_fn;

use reqwest::{Error, Request, RequestBuilder, Response};
use retry_runtime::SharedBudget;
use retry_runtime::http::HttpPolicy;
use retry_runtime::tower::{CallSettings, Retry, RetryLayer};
use tower_layer::Layer;
use tower_service::Service;

use crate::layer::{Requests, layer};

/// A `reqwest::Client` whose requests are retried: one line more than the client alone.
///
/// ```
/// use retry_reqwest::Client;
/// use retry_runtime::Budget;
/// use retry_runtime::http::HttpPolicy;
///
/// // One for the dependency, shared by every client of it.
/// static STOCK: Budget = Budget::new(10, 0.1);
///
/// # async fn run() -> Result<(), reqwest::Error> {
/// let http = reqwest::Client::builder().retry(reqwest::retry::never()).build()?;
/// let client = Client::new(http.clone(), HttpPolicy::DEFAULT, &STOCK);
/// let response = client.send(http.get("http://127.0.0.1/stock")).await?;
/// # drop(response); Ok(()) }
/// ```
///
/// `Retry-After` is obeyed, a request is repeated only if its method or its `Idempotency-Key`
/// allows it, and one whose body is a stream is sent once. The body of the answer is read by
/// the caller: if the connection breaks then, the request is not repeated, and the budget is
/// charged. It is credited when the body has come whole.
///
/// For telemetry and an observer make it [`of`](Client::of) a layer with them.
#[derive(Clone, Debug)]
pub struct Client<B> {
    service: Retry<reqwest::Client, Requests, B>,
}

impl<B> Client<B> {
    /// Retries the requests of `client`, which may follow redirects, as `policy` says.
    #[must_use]
    pub fn new(client: reqwest::Client, policy: HttpPolicy, budget: B) -> Client<B> {
        Client::of(client, &layer(policy, budget))
    }

    /// As [`new`](Client::new), for a client without redirects (`redirect::Policy::none()`): each
    /// attempt is one request, so a request which certainly did not arrive is repeated whatever its
    /// method. If the client did follow redirects, a request might be carried out twice: see [the
    /// crate](crate#redirects).
    ///
    /// ```
    /// use reqwest::redirect;
    /// use retry_reqwest::Client;
    /// use retry_runtime::Budget;
    /// use retry_runtime::http::HttpPolicy;
    ///
    /// static STOCK: Budget = Budget::new(10, 0.1);
    ///
    /// # let _ = rustls::crypto::ring::default_provider().install_default();
    /// let http = reqwest::Client::builder()
    ///     .retry(reqwest::retry::never())
    ///     .redirect(redirect::Policy::none())
    ///     .build()?;
    /// let client = Client::without_redirects(http, HttpPolicy::DEFAULT, &STOCK);
    /// # drop(client); Ok::<_, reqwest::Error>(())
    /// ```
    #[must_use]
    pub fn without_redirects(client: reqwest::Client, policy: HttpPolicy, budget: B) -> Client<B> {
        let requests = Requests::new(policy).without_redirects();
        Client::of(client, &RetryLayer::with(policy.policy(), budget, requests))
    }

    /// Retries the requests of `client` with a layer.
    ///
    /// ```
    /// use retry_reqwest::Client;
    /// use retry_runtime::Budget;
    /// use retry_runtime::http::HttpPolicy;
    ///
    /// static STOCK: Budget = Budget::new(10, 0.1);
    /// # let _ = rustls::crypto::ring::default_provider().install_default();
    /// let layer = retry_reqwest::layer(HttpPolicy::DEFAULT, &STOCK)
    ///     .named("stock")
    ///     .observe(|event| println!("attempt {}: {}", event.attempt, event.decision));
    /// let client = Client::of(reqwest::Client::new(), &layer);
    /// # drop(client);
    /// ```
    #[must_use]
    pub fn of(client: reqwest::Client, layer: &RetryLayer<Requests, B>) -> Client<B> {
        Client { service: layer.layer(client) }
    }
}

impl<B: SharedBudget + Send + Sync + 'static> Client<B> {
    /// Sends a request, and again as far as the policy and the budget allow. The last answer or
    /// error is returned untouched.
    ///
    /// # Errors
    ///
    /// That of the last attempt.
    pub async fn execute(&self, request: Request) -> Result<Response, Error> {
        self.execute_with(request, CallSettings::new()).await
    }

    /// As [`execute`](Client::execute), with settings of this request's call where it differs
    /// from the client's: a deadline, a signal that gives it up, other attempts, another budget.
    ///
    /// ```
    /// use retry_reqwest::Client;
    /// use retry_runtime::Budget;
    /// use retry_runtime::tower::CallSettings;
    /// use std::time::{Duration, Instant};
    ///
    /// # async fn run(client: Client<&'static Budget>, request: reqwest::Request)
    /// # -> Result<(), reqwest::Error> {
    /// let hurried = CallSettings::new().deadline(Instant::now() + Duration::from_secs(2));
    /// let response = client.execute_with(request, hurried).await?;
    /// # drop(response); Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// That of the last attempt.
    pub async fn execute_with(
        &self,
        request: Request,
        settings: CallSettings,
    ) -> Result<Response, Error> {
        let mut service = self.service.clone();
        poll_fn(|context| service.poll_ready(context)).await?;
        service.call_with(request, settings).await
    }

    /// As [`execute`](Client::execute), with a request which is not built yet. The builder's own
    /// client does not send it.
    ///
    /// # Errors
    ///
    /// If the request cannot be built, or the error of the last attempt.
    pub async fn send(&self, request: RequestBuilder) -> Result<Response, Error> {
        self.send_with(request, CallSettings::new()).await
    }

    /// As [`send`](Client::send), with settings of this request's call: see
    /// [`execute_with`](Client::execute_with).
    ///
    /// # Errors
    ///
    /// If the request cannot be built, or the error of the last attempt.
    pub async fn send_with(
        &self,
        request: RequestBuilder,
        settings: CallSettings,
    ) -> Result<Response, Error> {
        self.execute_with(request.build()?, settings).await
    }
}
