//! The layer and its settings.

use core::fmt;
use core::future::Future;
use core::marker::PhantomData;
use std::borrow::Cow;
use std::sync::Arc;

use tower_layer::Layer;

use super::exchange::Cloned;
use super::http::{HeadOfAnswer, Http};
use super::per_request::PerRequest;
use super::service::Retry;
use super::settings::{CallSettings, Settings, signals};
use crate::event::Event;
use crate::http::HttpPolicy;
use crate::policy::Policy;
use crate::retrier::Retrier;

/// Wraps services in [`Retry`]. A clone shares everything, and so do its services; an `Arc<Budget>`
/// or a `&'static Budget` is shared with others too.
pub struct RetryLayer<X, B> {
    settings: Settings<X, B>,
}

impl<C, B> RetryLayer<Cloned<C>, B> {
    /// Retries any `Clone` request, as `retrier` says. The classifier judges
    /// `Result<Response, Error>` of the service.
    ///
    /// ```
    /// use retry_runtime::tower::RetryLayer;
    /// use retry_runtime::{Backoff, Budget, Outcome, Policy, Retrier, on_err};
    /// use tower::{Layer, ServiceExt, service_fn};
    ///
    /// static BUDGET: Budget = Budget::new(10, 0.1);
    /// let policy = Policy::new(3).backoff(Backoff::none());
    /// let retrier = Retrier::new(policy, &BUDGET, on_err(|_: &String| Outcome::Retry));
    ///
    /// let echo = service_fn(|word: &'static str| async move { Ok::<_, String>(word.len()) });
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// assert_eq!(RetryLayer::new(retrier).layer(echo).oneshot("hello").await, Ok(5));
    /// # });
    /// ```
    #[must_use]
    pub fn new(retrier: Retrier<C, B>) -> RetryLayer<Cloned<C>, B> {
        let (policy, budget, classifier) = retrier.into_parts();
        RetryLayer::with(policy, budget, Cloned(classifier))
    }
}

impl<K, B> RetryLayer<Http<K>, B> {
    /// Retries requests of HTTP whose bodies are `Clone`, as `policy` says; its attempts, backoff
    /// and time limit are those of the call. `kind` translates the errors of the service: see
    /// [`Http::new`]. Another way to copy bodies: [`copy_bodies`](RetryLayer::copy_bodies).
    #[must_use]
    pub fn http(policy: HttpPolicy, budget: B, kind: K) -> RetryLayer<Http<K>, B> {
        RetryLayer::with(policy.policy(), budget, Http::new(policy, kind))
    }
}

impl<K, C, J, B> RetryLayer<Http<K, C, J>, B> {
    /// Copies the bodies of requests with `bodies`, if they are not `Clone`.
    ///
    /// ```
    /// use retry_runtime::NoBudget;
    /// use retry_runtime::http::{ErrorKind, HttpPolicy};
    /// use retry_runtime::tower::RetryLayer;
    /// # struct Body(Option<String>);
    /// # impl Body { fn try_clone(&self) -> Option<Body> { Some(Body(Some(self.0.clone()?))) } }
    ///
    /// let kind = |_: &std::io::Error| ErrorKind::Other;
    /// let layer = RetryLayer::http(HttpPolicy::TRANSPORT, NoBudget, kind)
    ///     .copy_bodies(|body: &mut Body| body.try_clone());
    /// ```
    #[must_use]
    pub fn copy_bodies<D>(self, bodies: D) -> RetryLayer<Http<K, D, J>, B>
    where
        K: Clone,
    {
        self.map(|http| Http {
            policy: http.policy,
            kind: http.kind.clone(),
            bodies,
            judged: PhantomData,
        })
    }
}

impl<K, C, J, B> RetryLayer<Http<K, C, J>, B> {
    /// Judges an answer by its head, and hands its body on as it is, with its own type. An answer
    /// that breaks off later then counts as a success: for services whose answers have almost no
    /// body, or whose callers read it within an attempt of their own.
    ///
    /// ```
    /// use http::{Request, Response};
    /// use retry_runtime::NoBudget;
    /// use retry_runtime::http::{ErrorKind, HttpPolicy};
    /// use retry_runtime::tower::RetryLayer;
    /// use std::convert::Infallible;
    /// use tower::{Layer, ServiceExt, service_fn};
    ///
    /// let client = service_fn(|_: Request<String>| async {
    ///     Ok::<_, Infallible>(Response::new(String::from("hello")))
    /// });
    /// let kind = |_: &Infallible| ErrorKind::Other;
    /// let layer = RetryLayer::http(HttpPolicy::DEFAULT, NoBudget, kind).judge_heads();
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let response = layer.layer(client).oneshot(Request::new(String::new())).await.unwrap();
    /// assert_eq!(response.into_body(), "hello");
    /// # });
    /// ```
    #[must_use]
    pub fn judge_heads(self) -> RetryLayer<Http<K, C, HeadOfAnswer>, B>
    where
        K: Clone,
        C: Clone,
    {
        self.map(|http| Http {
            policy: http.policy,
            kind: http.kind.clone(),
            bodies: http.bodies.clone(),
            judged: PhantomData,
        })
    }
}

impl<X, B> RetryLayer<X, B> {
    /// Retries the requests of another protocol.
    #[must_use]
    pub fn with(policy: Policy, budget: B, exchange: X) -> RetryLayer<X, B> {
        let (budget, exchange) = (Arc::new(budget), Arc::new(exchange));
        let (name, observer, cancel) = (Cow::Borrowed(""), None, None);
        RetryLayer { settings: Settings { policy, budget, exchange, name, observer, cancel } }
    }

    /// The label of the calls' events, and of their telemetry. By default it is empty.
    #[must_use]
    pub fn named(mut self, name: impl Into<Cow<'static, str>>) -> RetryLayer<X, B> {
        self.settings.name = name.into();
        self
    }

    /// Calls `observer` after every attempt; see [`Event`].
    #[must_use]
    pub fn observe<F>(mut self, observer: F) -> RetryLayer<X, B>
    where
        F: Fn(&Event<'_>) + Send + Sync + 'static,
    {
        self.settings.observer = Some(Arc::new(observer));
        self
    }

    /// `signal` makes a future for each call; when it completes, the call is given up: see
    /// [`CallSettings::cancel`]. For a shutdown, which concerns every request.
    #[must_use]
    pub fn cancel<F, S>(mut self, signal: F) -> RetryLayer<X, B>
    where
        F: Fn() -> S + Send + Sync + 'static,
        S: Future<Output = ()> + Send + 'static,
    {
        self.settings.cancel = Some(signals(signal));
        self
    }

    /// Asks `settings` for the settings of each request. The exchange's own settings (an extension
    /// of the request, the timeout of a request of gRPC) win; of two deadlines the earlier counts.
    /// A budget for each host:
    ///
    /// ```
    /// use http::Request;
    /// use retry_runtime::http::{ErrorKind, HttpPolicy};
    /// use retry_runtime::tower::{CallSettings, RetryLayer};
    /// use retry_runtime::{Budget, NoBudget};
    /// use std::collections::HashMap;
    /// use std::sync::Arc;
    ///
    /// let budgets: HashMap<&str, Arc<Budget>> = ["ledger", "stock"]
    ///     .into_iter()
    ///     .map(|host| (host, Arc::new(Budget::new(10, 0.1))))
    ///     .collect();
    /// let other = Arc::new(Budget::new(10, 0.1));
    /// let kind = |_: &std::io::Error| ErrorKind::Other;
    /// let layer = RetryLayer::http(HttpPolicy::DEFAULT, NoBudget, kind).settings_for(
    ///     move |request: &Request<String>| {
    ///         let host = request.uri().host().unwrap_or_default();
    ///         let budget = budgets.get(host).unwrap_or(&other);
    ///         CallSettings::new().budget(Arc::clone(budget))
    ///     },
    /// );
    /// # let _ = layer;
    /// ```
    #[must_use]
    pub fn settings_for<F, Request>(self, settings: F) -> RetryLayer<PerRequest<X, F>, B>
    where
        F: Fn(&Request) -> CallSettings,
        X: Clone,
    {
        self.map(|exchange| PerRequest { exchange: exchange.clone(), settings })
    }

    fn map<Y>(self, map: impl FnOnce(&X) -> Y) -> RetryLayer<Y, B> {
        let Settings { policy, budget, exchange, name, observer, cancel } = self.settings;
        let exchange = Arc::new(map(&exchange));
        RetryLayer { settings: Settings { policy, budget, exchange, name, observer, cancel } }
    }
}

impl<S, X, B> Layer<S> for RetryLayer<X, B> {
    type Service = Retry<S, X, B>;

    fn layer(&self, inner: S) -> Retry<S, X, B> {
        Retry::new(inner, Arc::new(self.settings.clone()))
    }
}

impl<X, B> Clone for RetryLayer<X, B> {
    fn clone(&self) -> RetryLayer<X, B> {
        RetryLayer { settings: self.settings.clone() }
    }
}

impl<X: fmt::Debug, B: fmt::Debug> fmt::Debug for RetryLayer<X, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RetryLayer").field(&self.settings).finish()
    }
}
