//! Operator's controls of a budget: suspend, resume, reset.

use core::sync::atomic::Ordering::Relaxed;

use super::Budget;

impl Budget {
    /// Stops all retries that this budget limits, for an operator in an incident. First
    /// attempts go on, [`Repeat`](crate::Outcome::Repeat) too, and the tokens are counted
    /// as before.
    ///
    /// ```
    /// use retry_runtime::{Budget, Decision, Outcome, Policy};
    ///
    /// static PAYMENTS: Budget = Budget::new(10, 0.1);
    ///
    /// PAYMENTS.suspend();
    /// assert!(PAYMENTS.is_suspended());
    /// assert_eq!(Policy::new(4).call(&PAYMENTS).decide(Outcome::Retry), Decision::Throttled);
    ///
    /// PAYMENTS.resume();
    /// assert!(!Policy::new(4).call(&PAYMENTS).decide(Outcome::Retry).is_final());
    /// ```
    pub fn suspend(&self) {
        self.suspended.store(true, Relaxed);
    }

    /// Ends a [suspension](Budget::suspend): retries are allowed again, as far as the
    /// tokens allow them.
    pub fn resume(&self) {
        self.suspended.store(false, Relaxed);
    }

    /// Whether the retries are [suspended](Budget::suspend).
    #[must_use]
    pub fn is_suspended(&self) -> bool {
        self.suspended.load(Relaxed)
    }

    /// Fills the bucket and opens the reserve: after an incident, and between tests that
    /// share a `static`. A [suspension](Budget::suspend) stays until
    /// [`resume`](Budget::resume).
    ///
    /// ```
    /// use retry_runtime::{Budget, Outcome, Policy};
    ///
    /// static PAYMENTS: Budget = Budget::new(10, 0.1);
    /// let _ = Policy::new(1).call(&PAYMENTS).decide(Outcome::Retry);
    /// assert_eq!(PAYMENTS.tokens(), 9.0);
    /// PAYMENTS.reset();
    /// assert_eq!(PAYMENTS.tokens(), 10.0);
    /// ```
    pub fn reset(&self) {
        let update = |tokens| (tokens != self.max).then_some(self.max);
        let _full: Result<u32, u32> = self.tokens.fetch_update(Relaxed, Relaxed, update);
        if let Some(reserve) = &self.reserve {
            reserve.reset();
        }
    }
}
