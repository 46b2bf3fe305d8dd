//! The layer and the service.

use core::fmt;
use core::future::{Future, poll_fn};
use core::mem;
use core::pin::{Pin, pin};
use core::task::{Context, Poll};
use core::time::Duration;
use std::borrow::Cow;
use std::sync::Arc;

use tower_layer::Layer;
use tower_service::Service;

use super::{CloneBody, Cloned, Exchange, Http};
use crate::http::HttpPolicy;
use crate::waiting::{is_ready, wait, yield_once};
use crate::{Decision, Event, Outcome, Policy, Retrier, SharedBudget, TokioTimer};

/// The longest that the wait is spent on reading a response that is not wanted:
/// meanwhile the response holds its connection.
const DISCARD: Duration = Duration::from_millis(100);

type Observer = dyn Fn(&Event<'_>) + Send + Sync;

/// Wraps services in [`Retry`]. A clone shares everything, and so do the services
/// that it makes; an `Arc<Budget>` or a `&'static Budget` is shared with others too.
pub struct RetryLayer<X, B> {
    settings: Settings<X, B>,
}

struct Settings<X, B> {
    policy: Policy,
    budget: Arc<B>,
    exchange: Arc<X>,
    name: Cow<'static, str>,
    observer: Option<Arc<Observer>>,
}

impl<C, B> RetryLayer<Cloned<C>, B> {
    /// Retries any request that is `Clone`, as `retrier` says. The classifier judges
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
    /// Retries requests of HTTP whose bodies are `Clone`, as `policy` says; its
    /// attempts, backoff and time limit are those of the call. `kind`, a
    /// `Fn(&Error) -> ErrorKind`, puts the errors of the service into words. Another
    /// way to copy bodies: [`copy_bodies`](RetryLayer::copy_bodies).
    #[must_use]
    pub fn http(policy: HttpPolicy, budget: B, kind: K) -> RetryLayer<Http<K>, B> {
        RetryLayer::with(policy.policy(), budget, Http { policy, kind, bodies: CloneBody })
    }
}

impl<K, C, B> RetryLayer<Http<K, C>, B> {
    /// Copies the bodies of requests with `bodies`, for those that are not `Clone`.
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
    pub fn copy_bodies<D>(self, bodies: D) -> RetryLayer<Http<K, D>, B>
    where
        K: Clone,
    {
        let Settings { policy, budget, exchange, name, observer } = self.settings;
        let (http, kind) = (exchange.policy, exchange.kind.clone());
        let exchange = Arc::new(Http { policy: http, kind, bodies });
        RetryLayer { settings: Settings { policy, budget, exchange, name, observer } }
    }
}

impl<X, B> RetryLayer<X, B> {
    /// Retries the requests of another protocol.
    #[must_use]
    pub fn with(policy: Policy, budget: B, exchange: X) -> RetryLayer<X, B> {
        let (budget, exchange) = (Arc::new(budget), Arc::new(exchange));
        let (name, observer) = (Cow::Borrowed(""), None);
        RetryLayer { settings: Settings { policy, budget, exchange, name, observer } }
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
}

impl<S, X, B> Layer<S> for RetryLayer<X, B> {
    type Service = Retry<S, X, B>;

    fn layer(&self, inner: S) -> Retry<S, X, B> {
        Retry { inner, settings: Arc::new(self.settings.clone()) }
    }
}

/// A service that retries its requests: see [the module](super). [`RetryLayer`]
/// makes it.
pub struct Retry<S, X, B> {
    inner: S,
    settings: Arc<Settings<X, B>>,
}

impl<S, X, B, Request> Service<Request> for Retry<S, X, B>
where
    S: Service<Request> + Clone + Send + 'static,
    S::Future: Send,
    S::Response: Send,
    S::Error: Send,
    Request: Send + 'static,
    X: Exchange<Request, S::Response, S::Error> + Send + Sync + 'static,
    B: SharedBudget + Send + Sync + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        // The service that was asked whether it is ready makes the first attempt;
        // a clone of it need not be.
        let next = self.inner.clone();
        let ready = mem::replace(&mut self.inner, next);
        let settings = Arc::clone(&self.settings);
        Box::pin(async move { settings.attempts(ready, request).await })
    }
}

impl<X, B: SharedBudget> Settings<X, B> {
    /// One call. `service` is ready for its first attempt.
    async fn attempts<S, Request>(
        &self,
        mut service: S,
        mut request: Request,
    ) -> Result<S::Response, S::Error>
    where
        S: Service<Request>,
        X: Exchange<Request, S::Response, S::Error>,
    {
        let call = match self.budget.shared_budget() {
            Some(budget) => self.policy.call(budget),
            None => self.policy.call_without_budget(),
        };
        let mut call = call.named(&self.name);
        if let Some(observer) = &self.observer {
            call = call.observe(&**observer);
        }
        let seen = self.exchange.see(&request);
        loop {
            let is_last = self.policy.attempts().is_some_and(|limit| call.attempt() >= limit);
            let copy = if is_last { None } else { self.exchange.copy(&mut request) };
            let result = match call.attempt() {
                1 => service.call(request).await,
                _ => match poll_fn(|context| service.poll_ready(context)).await {
                    Ok(()) => service.call(request).await,
                    Err(error) => Err(error),
                },
            };
            let mut outcome = self.exchange.classify(&seen, &result);
            if copy.is_none() && !is_last && outcome.asks_again() {
                // It cannot be sent again.
                outcome = if outcome.is_failure() { Outcome::Fail } else { Outcome::Stop };
            }
            let (Decision::Again { delay }, Some(copy)) = (call.decide(outcome), copy) else {
                return result;
            };
            request = copy;
            match result {
                Ok(response) => wait_while(self.exchange.discard(response), delay).await,
                Err(error) => {
                    drop(error);
                    wait(TokioTimer, delay).await;
                }
            }
        }
    }
}

/// Waits, and gets rid of a response meanwhile.
async fn wait_while(discard: impl Future<Output = ()>, delay: Duration) {
    if delay.is_zero() {
        is_ready(pin!(discard)).await;
        return yield_once().await;
    }
    let started = tokio::time::Instant::now();
    // What has not arrived by then is not worth its connection.
    let _ = tokio::time::timeout(delay.min(DISCARD), discard).await;
    let left = delay.saturating_sub(started.elapsed());
    if !left.is_zero() {
        tokio::time::sleep(left).await;
    }
}

impl<X, B> Clone for Settings<X, B> {
    fn clone(&self) -> Settings<X, B> {
        Settings {
            policy: self.policy,
            budget: Arc::clone(&self.budget),
            exchange: Arc::clone(&self.exchange),
            name: self.name.clone(),
            observer: self.observer.clone(),
        }
    }
}

impl<X, B> Clone for RetryLayer<X, B> {
    fn clone(&self) -> RetryLayer<X, B> {
        RetryLayer { settings: self.settings.clone() }
    }
}

impl<S: Clone, X, B> Clone for Retry<S, X, B> {
    fn clone(&self) -> Retry<S, X, B> {
        Retry { inner: self.inner.clone(), settings: Arc::clone(&self.settings) }
    }
}

impl<X: fmt::Debug, B: fmt::Debug> fmt::Debug for Settings<X, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("name", &self.name)
            .field("policy", &self.policy)
            .field("budget", &self.budget)
            .field("exchange", &self.exchange)
            .finish_non_exhaustive()
    }
}

impl<X: fmt::Debug, B: fmt::Debug> fmt::Debug for RetryLayer<X, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RetryLayer").field(&self.settings).finish()
    }
}

impl<S: fmt::Debug, X: fmt::Debug, B: fmt::Debug> fmt::Debug for Retry<S, X, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry")
            .field("inner", &self.inner)
            .field("settings", &self.settings)
            .finish()
    }
}
