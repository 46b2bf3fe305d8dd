//! Waiting between the attempts of a call that blocks its thread.

use core::time::Duration;
use std::thread;

use crate::call::Call;
use crate::decision::Decision;
use crate::outcome::Outcome;
use crate::time::Instant;
use crate::timer::Timer;

impl<T: Timer, C> Call<'_, T, C> {
    /// As [`again`](Call::again), for a thread: the wait blocks it. The limits of the call use the
    /// thread's clock, [`std::time::Instant`].
    ///
    /// ```
    /// use retry_runtime::{Outcome, Policy};
    ///
    /// let policy = Policy::new(2);
    /// let mut call = policy.call_without_budget();
    /// assert!(call.again_blocking(Outcome::Retry));
    /// assert!(!call.again_blocking(Outcome::Retry));
    /// ```
    ///
    /// # Panics
    ///
    /// If the last decision was final.
    #[track_caller]
    pub fn again_blocking(&mut self, outcome: Outcome) -> bool {
        self.block();
        match self.decide(outcome) {
            Decision::Again { delay } => {
                wait(delay);
                true
            }
            _ => false,
        }
    }

    /// As [`again_blocking`](Call::again_blocking), but the call can be given up, also
    /// during a wait: by Ctrl-C, or when the program stops. Then the decision is
    /// [`Cancelled`](Decision::Cancelled).
    ///
    /// `cancelled(delay)` waits for at most `delay` and returns whether the call is given up. After
    /// an attempt which asks for another it is called with a delay of zero, then with the wait,
    /// unless the wait is zero. If it returns `false` too early, the rest of the wait is slept: a
    /// channel whose sender is gone answers at once.
    ///
    /// ```
    /// use retry_runtime::{Backoff, Decision, Outcome, Policy};
    /// use std::{sync::mpsc, thread, time::Duration};
    ///
    /// let (sender, stop) = mpsc::channel();
    /// thread::spawn(move || sender.send(()));
    ///
    /// let policy = Policy::new(10).backoff(Backoff::constant(Duration::from_secs(3600)));
    /// let mut call = policy.call_without_budget();
    /// assert!(!call.again_blocking_unless(Outcome::Retry, |delay| stop.recv_timeout(delay).is_ok()));
    /// assert_eq!(call.decision(), Some(Decision::Cancelled));
    /// ```
    ///
    /// # Panics
    ///
    /// If the last decision was final.
    #[track_caller]
    pub fn again_blocking_unless(
        &mut self,
        outcome: Outcome,
        mut cancelled: impl FnMut(Duration) -> bool,
    ) -> bool {
        self.block();
        let is_cancelled = outcome.asks_again() && cancelled(Duration::ZERO);
        match self.decide_with(outcome, is_cancelled, None) {
            Decision::Again { delay } => {
                let waited = wait_unless(delay, cancelled);
                if !waited {
                    self.cut();
                }
                waited
            }
            _ => false,
        }
    }
}

/// Blocks the thread for `delay`. A zero wait lets others run.
pub(crate) fn wait(delay: Duration) {
    if delay.is_zero() {
        thread::yield_now();
    } else {
        thread::sleep(delay);
    }
}

/// Waits for `delay`, unless `cancelled` ends the wait: whether it was over.
pub(crate) fn wait_unless(delay: Duration, cancelled: impl FnOnce(Duration) -> bool) -> bool {
    if delay.is_zero() {
        thread::yield_now();
        return true;
    }
    let started = Instant::now();
    if cancelled(delay) {
        return false;
    }
    let rest = delay.saturating_sub(started.elapsed());
    if !rest.is_zero() {
        thread::sleep(rest);
    }
    true
}
