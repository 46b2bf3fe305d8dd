//! One call by each crate, around the same attempt.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use backon::{ConstantBuilder, Retryable};
use reqwest_middleware::{ClientBuilder, Middleware, Next};
use reqwest_retry::RetryTransientMiddleware;
use reqwest_retry::policies::ExponentialBackoff;
use retry_runtime::{Backoff, Budget, Outcome, Policy, retry};
use tokio_retry2::strategy::FixedInterval;
use tokio_retry2::{Retry, RetryError};
use tower::ServiceExt as _;
use tower::retry::budget::{Budget as _, TpsBudget};

/// The columns of the table.
pub const NAMES: [&str; 5] = ["this crate", "backon", "tokio-retry2", "reqwest-retry", "tower"];

/// An attempt, which succeeds or not.
pub type Attempt = Arc<dyn Fn() -> Pin<Box<dyn Future<Output = bool> + Send>> + Send + Sync>;

/// A crate, with what it shares between calls.
#[derive(Clone)]
pub enum Peer {
    /// The attribute.
    Here(Arc<Budget>),
    /// `Retryable`.
    Backon,
    /// `Retry::spawn`.
    TokioRetry,
    /// The middleware, with its own strategy.
    ReqwestRetry,
    /// The layer, with a policy that repeats each failure while its budget allows it.
    Tower(Arc<TpsBudget>),
}

impl Peer {
    /// Each crate, with the budget that it starts with by default or by our advice.
    pub fn all() -> [Peer; 5] {
        [
            Peer::Here(Arc::new(Budget::new(10, 0.1))),
            Peer::Backon,
            Peer::TokioRetry,
            Peer::ReqwestRetry,
            Peer::Tower(Arc::new(TpsBudget::default())),
        ]
    }

    /// A call of up to `attempts` attempts, without waits between them.
    pub async fn call(&self, attempts: u32, attempt: Attempt) -> bool {
        let retries = attempts - 1;
        match self {
            Peer::Here(budget) => here(Policy::new(attempts), budget, &attempt).await,
            Peer::Backon => {
                let once = || async { if attempt().await { Ok(()) } else { Err(()) } };
                let waits = ConstantBuilder::default().with_delay(Duration::ZERO);
                once.retry(waits.with_max_times(retries as usize)).await.is_ok()
            }
            Peer::TokioRetry => {
                let waits = FixedInterval::new(Duration::ZERO).take(retries as usize);
                let once = || async {
                    if attempt().await { Ok(()) } else { Err(RetryError::transient(())) }
                };
                Retry::spawn(waits, once).await.is_ok()
            }
            Peer::ReqwestRetry => {
                let request = reqwest::Client::new().get("http://service.example/");
                send_by_middleware(retries, request, Service::of(attempt)).await
            }
            Peer::Tower(budget) => {
                let policy = WhileBudgeted { retries, budget: Arc::clone(budget) };
                let once = tower::service_fn(move |()| {
                    let attempt = Arc::clone(&attempt);
                    async move { if attempt().await { Ok(()) } else { Err(()) } }
                });
                tower::retry::Retry::new(policy, once).oneshot(()).await.is_ok()
            }
        }
    }
}

#[retry(
    policy = policy.backoff(Backoff::none()),
    budget = budget,
    classify = |ok| if *ok { Outcome::Success } else { Outcome::Retry },
)]
async fn here(policy: Policy, budget: &Budget, attempt: &Attempt) -> bool {
    attempt().await
}

/// What a user of tower's layer writes: it has no policy of its own.
#[derive(Clone)]
struct WhileBudgeted {
    retries: u32,
    budget: Arc<TpsBudget>,
}

impl tower::retry::Policy<(), (), ()> for WhileBudgeted {
    type Future = std::future::Ready<()>;

    fn retry(&mut self, _: &mut (), result: &mut Result<(), ()>) -> Option<Self::Future> {
        if result.is_ok() {
            self.budget.deposit();
            return None;
        }
        if self.retries == 0 || !self.budget.withdraw() {
            return None;
        }
        self.retries -= 1;
        Some(std::future::ready(()))
    }

    fn clone_request(&mut self, (): &()) -> Option<()> {
        Some(())
    }
}

/// Stands for the server, below the middleware that retries.
pub struct Service {
    attempt: Attempt,
    retry_after: Option<&'static str>,
}

impl Service {
    /// 200 for an attempt that succeeds, else 503.
    pub fn of(attempt: Attempt) -> Service {
        Service { attempt, retry_after: None }
    }

    /// With this header.
    pub fn retry_after(self, seconds: &'static str) -> Service {
        Service { retry_after: Some(seconds), ..self }
    }
}

#[async_trait::async_trait]
impl Middleware for Service {
    async fn handle(
        &self,
        _: reqwest::Request,
        _: &mut http::Extensions,
        _: Next<'_>,
    ) -> reqwest_middleware::Result<reqwest::Response> {
        let status = if (self.attempt)().await { 200 } else { 503 };
        let mut answer = http::Response::builder().status(status);
        if let Some(seconds) = self.retry_after {
            answer = answer.header("retry-after", seconds);
        }
        Ok(answer.body("").expect("a response").into())
    }
}

/// A request by reqwest-middleware, with reqwest-retry's own strategy.
pub async fn send_by_middleware(
    retries: u32,
    request: reqwest::RequestBuilder,
    service: Service,
) -> bool {
    let bounds = Duration::from_millis(1)..Duration::from_millis(100);
    let policy = ExponentialBackoff::builder()
        .retry_bounds(bounds.start, bounds.end)
        .build_with_max_retries(retries);
    let client = ClientBuilder::new(reqwest::Client::new())
        .with(RetryTransientMiddleware::new_with_policy(policy))
        .with(service)
        .build();
    let request = request.build().expect("a request");
    client.execute(request).await.is_ok_and(|answer| answer.status().is_success())
}
