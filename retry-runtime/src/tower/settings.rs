//! Settings of a layer and of one request.

use core::fmt;
use core::future::{Future, pending};
use core::pin::Pin;
use std::borrow::Cow;
use std::sync::Arc;

use crate::budget::Budget;
use crate::event::Event;
use crate::policy::Policy;
use crate::time::Instant;

/// Settings for one request, if they differ from the layer's: in the extensions of a request of
/// HTTP, or from [`RetryLayer::settings_for`](super::RetryLayer::settings_for).
///
/// ```
/// use http::Request;
/// use retry_runtime::Policy;
/// use retry_runtime::tower::CallSettings;
/// use std::time::{Duration, Instant};
///
/// let mut request = Request::new(());
/// let deadline = Instant::now() + Duration::from_secs(2);
/// let settings = CallSettings::new().policy(Policy::new(2)).deadline(deadline);
/// request.extensions_mut().insert(settings);
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct CallSettings {
    pub(super) policy: Option<Policy>,
    pub(super) budget: Option<Arc<Budget>>,
    pub(super) deadline: Option<Instant>,
    pub(super) cancel: Option<Signals>,
}

impl CallSettings {
    /// Nothing differs.
    pub fn new() -> CallSettings {
        CallSettings::default()
    }

    /// Attempts, backoff and time limit of the call.
    pub fn policy(mut self, policy: Policy) -> CallSettings {
        self.policy = Some(policy);
        self
    }

    /// The budget of the call: that of its host, say. Keep one for each dependency: a budget made
    /// for one request limits nothing.
    pub fn budget(mut self, budget: Arc<Budget>) -> CallSettings {
        self.budget = Some(budget);
        self
    }

    /// No further attempt starts at or after `deadline`: std's or tokio's `Instant`. With a
    /// time limit in the policy, or another deadline, the earlier counts.
    pub fn deadline(mut self, deadline: impl Into<Instant>) -> CallSettings {
        let deadline = deadline.into();
        self.deadline = Some(self.deadline.map_or(deadline, |earlier| earlier.min(deadline)));
        self
    }

    /// `signal` makes a future; when it completes, the call is given up: no further attempt starts,
    /// a wait ends at once, and the caller gets the last result. A running attempt is not cut
    /// short. If the layer has a [`cancel`](super::RetryLayer::cancel) too, either of the two ends
    /// the call.
    ///
    /// ```
    /// use retry_runtime::tower::CallSettings;
    /// # struct Token;
    /// # impl Token { fn clone(&self) -> Token { Token } async fn cancelled_owned(self) {} }
    /// # let token = Token;
    ///
    /// // `token` is a `CancellationToken` of tokio-util.
    /// let settings = CallSettings::new().cancel(move || token.clone().cancelled_owned());
    /// ```
    pub fn cancel<F, S>(mut self, signal: F) -> CallSettings
    where
        F: Fn() -> S + Send + Sync + 'static,
        S: Future<Output = ()> + Send + 'static,
    {
        self.cancel = Some(signals(signal));
        self
    }
}

impl CallSettings {
    /// These settings, and where they say nothing those of `other`. Of two deadlines the
    /// earlier counts.
    pub(super) fn or(mut self, other: CallSettings) -> CallSettings {
        self.policy = self.policy.or(other.policy);
        self.budget = self.budget.or(other.budget);
        self.cancel = self.cancel.or(other.cancel);
        match other.deadline {
            Some(deadline) => self.deadline(deadline),
            None => self,
        }
    }
}

impl fmt::Debug for CallSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallSettings")
            .field("policy", &self.policy)
            .field("budget", &self.budget)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}

pub(super) type Observer = dyn Fn(&Event<'_>) + Send + Sync;

/// Those of a layer.
pub(super) struct Settings<X, B> {
    pub(super) policy: Policy,
    pub(super) budget: Arc<B>,
    pub(super) exchange: Arc<X>,
    pub(super) name: Cow<'static, str>,
    pub(super) observer: Option<Arc<Observer>>,
    pub(super) cancel: Option<Signals>,
}

impl<X, B> Clone for Settings<X, B> {
    fn clone(&self) -> Settings<X, B> {
        Settings {
            policy: self.policy,
            budget: Arc::clone(&self.budget),
            exchange: Arc::clone(&self.exchange),
            name: self.name.clone(),
            observer: self.observer.clone(),
            cancel: self.cancel.clone(),
        }
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

type Signal = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Makes a signal for each call.
pub(super) type Signals = Arc<dyn Fn() -> Signal + Send + Sync>;

pub(super) fn signals<F, S>(signal: F) -> Signals
where
    F: Fn() -> S + Send + Sync + 'static,
    S: Future<Output = ()> + Send + 'static,
{
    Arc::new(move || Box::pin(signal()))
}

/// Completes when one of the signals does; never without one.
pub(super) async fn either(first: Option<Signal>, second: Option<Signal>) {
    match (first, second) {
        (None, None) => pending().await,
        (Some(one), None) | (None, Some(one)) => one.await,
        (Some(mut first), Some(mut second)) => {
            core::future::poll_fn(|context| match first.as_mut().poll(context) {
                core::task::Poll::Pending => second.as_mut().poll(context),
                ready => ready,
            })
            .await;
        }
    }
}
