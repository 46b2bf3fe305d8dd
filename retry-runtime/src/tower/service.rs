//! The service: one call for each request.

use core::any::Any;
use core::fmt;
use core::future::Future;
use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll};
use std::sync::Arc;

use tower_service::Service;

use super::exchange::Exchange;
use super::settings::{CallSettings, Settings};
use crate::retrier::SharedBudget;

/// A service that retries its requests: see [the module](super).
/// [`RetryLayer`](super::RetryLayer) makes it.
pub struct Retry<S, X, B> {
    inner: S,
    settings: Arc<Settings<X, B>>,
    /// The error of the service's readiness, which the next call judges. Its type is that
    /// of a request's service, which this type does not name.
    unready: Option<Box<dyn Any + Send>>,
}

impl<S, X, B> Retry<S, X, B> {
    pub(super) fn new(inner: S, settings: Arc<Settings<X, B>>) -> Retry<S, X, B> {
        Retry { inner, settings, unready: None }
    }
}

impl<S, X, B, Request> Service<Request> for Retry<S, X, B>
where
    S: Service<Request> + Clone + Send + 'static,
    S::Future: Send,
    S::Response: Send,
    S::Error: Send + 'static,
    Request: Send + 'static,
    X: Exchange<Request, S::Response, S::Error> + Send + Sync + 'static,
    B: SharedBudget + Send + Sync + 'static,
{
    type Response = X::Answer;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<X::Answer, S::Error>> + Send>>;

    /// Ready when the service is. An error of its readiness is the result of the next
    /// call's first attempt: it is judged like any other.
    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        if self.unready.is_none() {
            if let Poll::Ready(ready) = self.inner.poll_ready(context) {
                self.unready = ready.err().map(|error| Box::new(error) as Box<dyn Any + Send>);
            } else {
                return Poll::Pending;
            }
        }
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        Box::pin(self.call_with(request, CallSettings::new()))
    }
}

impl<S, X, B> Retry<S, X, B>
where
    X: Send + Sync + 'static,
    B: SharedBudget + Send + Sync + 'static,
{
    /// As `Service::call`, with settings for this request, which win over those of its extensions
    /// and of the layer: for a request without extensions. Of two deadlines the earlier counts. The
    /// service has to be ready, as for `call`.
    ///
    /// ```
    /// use retry_runtime::tower::{CallSettings, RetryLayer};
    /// use retry_runtime::{Backoff, NoBudget, Outcome, Policy, Retrier, on_err};
    /// use tower::{Layer, ServiceExt, service_fn};
    ///
    /// let policy = Policy::new(3).backoff(Backoff::none());
    /// let retrier = Retrier::new(policy, NoBudget, on_err(|_: &u32| Outcome::Retry));
    /// let mut service = RetryLayer::new(retrier).layer(service_fn(|request: u32| async move {
    ///     println!("request {request}"); // once
    ///     Err::<(), u32>(request)
    /// }));
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let once = CallSettings::new().policy(Policy::new(1));
    /// let result = service.ready().await?.call_with(7, once).await;
    /// assert_eq!(result, Err(7));
    /// # Ok::<_, u32>(()) }).unwrap();
    /// ```
    pub fn call_with<Request>(
        &mut self,
        request: Request,
        settings: CallSettings,
    ) -> impl Future<Output = Result<X::Answer, S::Error>> + use<S, X, B, Request>
    where
        S: Service<Request, Error: 'static> + Clone,
        X: Exchange<Request, S::Response, S::Error>,
    {
        // The service that was asked whether it is ready makes the first attempt;
        // a clone of it need not be.
        let next = self.inner.clone();
        let service = mem::replace(&mut self.inner, next);
        let unready = self.unready.take().and_then(|error| error.downcast().ok());
        let ready = unready.map_or(Ok(()), |error| Err(*error));
        let given = settings;
        let settings = Arc::clone(&self.settings);
        async move { settings.attempts(service, ready, request, given).await }
    }
}

impl<S: Clone, X, B> Clone for Retry<S, X, B> {
    fn clone(&self) -> Retry<S, X, B> {
        Retry::new(self.inner.clone(), Arc::clone(&self.settings))
    }
}

impl<S: fmt::Debug, X: fmt::Debug, B: fmt::Debug> fmt::Debug for Retry<S, X, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry")
            .field("inner", &self.inner)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
