//! The `Retrier`: one dependency's settings in one value.

mod config;

use core::fmt;
use std::sync::Arc;

pub use config::RetrierConfig;

use crate::budget::Budget;
use crate::call::Call;
use crate::classify::Classify;
use crate::clock::DefaultTimer;
use crate::outcome::Outcome;
use crate::policy::Policy;

/// A policy, a budget and a classifier, shared by all calls to one dependency.
///
/// It goes into a `static`, or into a field of the client (behind an `Arc`, if
/// the client is cloned), and serves any number of functions:
///
/// ```
/// use retry_runtime::{Budget, Classify, Outcome, Policy, Retrier, retry};
///
/// # #[derive(Debug)] pub struct ClientError { status: u16 }
/// pub struct Http;
///
/// impl<T> Classify<Result<T, ClientError>> for Http {
///     fn classify(&self, result: &Result<T, ClientError>) -> Outcome {
///         match result {
///             Ok(_) => Outcome::Success,
///             Err(error) if error.status == 503 => Outcome::Retry,
///             Err(_) => Outcome::Stop,
///         }
///     }
/// }
///
/// static PAYMENTS: Retrier<Http> = Retrier::new(Policy::new(4), Budget::new(10, 0.1), Http);
///
/// #[retry(retrier = PAYMENTS)]
/// async fn charge(cents: u32) -> Result<u32, ClientError> {
///     Ok(cents)
/// }
///
/// #[retry(retrier = PAYMENTS, attempts = 2)]
/// async fn refund(cents: u32) -> Result<(), ClientError> {
///     # let _ = cents;
///     Err(ClientError { status: 404 })
/// }
/// # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
/// # assert_eq!(runtime.block_on(charge(5)).unwrap(), 5);
/// # assert_eq!(runtime.block_on(refund(5)).unwrap_err().status, 404);
/// ```
///
/// The budget is owned, a `&'static Budget` or an `Arc<Budget>` that other
/// retriers share (gRFC A6 throttles for each server, while policies differ by
/// method), or [`NoBudget`].
#[derive(Clone, Copy)]
pub struct Retrier<C, B = Budget> {
    policy: Policy,
    budget: B,
    classifier: C,
}

impl<C, B> Retrier<C, B> {
    /// The settings of one dependency.
    #[must_use]
    pub const fn new(policy: Policy, budget: B, classifier: C) -> Retrier<C, B> {
        Retrier { policy, budget, classifier }
    }

    /// The policy.
    #[must_use]
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The classifier.
    #[must_use]
    pub const fn classifier(&self) -> &C {
        &self.classifier
    }

    #[cfg(feature = "tower")]
    pub(crate) fn into_parts(self) -> (Policy, B, C) {
        (self.policy, self.budget, self.classifier)
    }

    /// The outcome of `result`, by the classifier.
    #[inline]
    pub fn classify<R: ?Sized>(&self, result: &R) -> Outcome
    where
        C: Classify<R>,
    {
        self.classifier.classify(result)
    }
}

impl<C, B: SharedBudget> Retrier<C, B> {
    /// The budget, or `None` with [`NoBudget`].
    #[inline]
    #[must_use]
    pub fn budget(&self) -> Option<&Budget> {
        self.budget.shared_budget()
    }

    /// Starts a call with this classifier, for a loop by hand. Its events have no name but
    /// that of [`Call::named`].
    ///
    /// ```
    /// use retry_runtime::{Decision, NoBudget, Outcome, Policy, Retrier, on_err};
    ///
    /// let retrier = Retrier::new(Policy::new(2), NoBudget, on_err(|_: &u8| Outcome::Retry));
    /// let mut call = retrier.call();
    /// let result: Result<(), u8> = Err(1);
    /// assert!(matches!(call.decide(retrier.classify(&result)), Decision::Again { .. }));
    /// assert_eq!(call.decide(retrier.classify(&result)), Decision::Exhausted);
    /// ```
    #[inline]
    pub fn call(&self) -> Call<'_, DefaultTimer, &C> {
        Call::new(&self.policy, self.budget(), &self.classifier)
    }
}

/// Without the classifier, which is often a closure or a function and has no `Debug`.
impl<C, B: SharedBudget> fmt::Debug for Retrier<C, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retrier")
            .field("policy", &self.policy)
            .field("budget", &self.budget())
            .finish_non_exhaustive()
    }
}

/// For a [`Retrier`] without a budget, such as for a connection made at startup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoBudget;

/// Budgets of a [`Retrier`]: a [`Budget`], a reference or an `Arc`
/// to one, or [`NoBudget`].
pub trait SharedBudget {
    /// The budget, or `None` for no limit.
    fn shared_budget(&self) -> Option<&Budget>;
}

impl SharedBudget for Budget {
    #[inline]
    fn shared_budget(&self) -> Option<&Budget> {
        Some(self)
    }
}

impl SharedBudget for NoBudget {
    #[inline]
    fn shared_budget(&self) -> Option<&Budget> {
        None
    }
}

impl<B: SharedBudget + ?Sized> SharedBudget for &B {
    #[inline]
    fn shared_budget(&self) -> Option<&Budget> {
        (**self).shared_budget()
    }
}

impl<B: SharedBudget + ?Sized> SharedBudget for Arc<B> {
    #[inline]
    fn shared_budget(&self) -> Option<&Budget> {
        (**self).shared_budget()
    }
}

impl<B: SharedBudget> SharedBudget for Option<B> {
    #[inline]
    fn shared_budget(&self) -> Option<&Budget> {
        self.as_ref().and_then(SharedBudget::shared_budget)
    }
}
