//! The loop around a closure that blocks its thread.

use core::time::Duration;

use crate::attempt::Attempt;
use crate::blocking;
use crate::call::Call;
use crate::classify::Classify;
use crate::decision::Decision;
use crate::retrier::{Retrier, SharedBudget};
use crate::running::{HasClassifier, WithClassifier};
use crate::timer::Timer;

impl<T: Timer + Copy, C: WithClassifier> Call<'_, T, C> {
    /// As [`run`](Call::run), for a thread: the waits block it. The limits of the call use the
    /// thread's clock, [`std::time::Instant`].
    ///
    /// ```
    /// use retry_runtime::{Budget, Outcome, Policy, Retrier, on_err};
    /// use std::io;
    ///
    /// let classifier = on_err(|error: &io::Error| match error.kind() {
    ///     io::ErrorKind::TimedOut => Outcome::RetryIn(std::time::Duration::ZERO),
    ///     _ => Outcome::Stop,
    /// });
    /// let retrier = Retrier::new(Policy::new(3), Budget::new(10, 0.1), classifier);
    /// let mut sent = 0;
    /// let mut call = retrier.call();
    /// let result = call.run_blocking(|_| {
    ///     sent += 1;
    ///     if sent < 3 { Err(io::Error::from(io::ErrorKind::TimedOut)) } else { Ok(sent) }
    /// });
    /// assert_eq!((result.unwrap(), call.attempt()), (3, 3));
    /// ```
    ///
    /// # Panics
    ///
    /// If the call is over.
    #[track_caller]
    pub fn run_blocking<R>(&mut self, mut attempt: impl FnMut(Attempt<T>) -> R) -> R
    where
        C: HasClassifier<R>,
    {
        self.assert_open();
        self.block();
        loop {
            let delay = {
                let result = attempt(self.handle());
                let outcome = self.classifier().judge(&result);
                match self.decide_judged(&result, outcome, false) {
                    Decision::Again { delay } => delay,
                    _ => return result,
                }
            };
            blocking::wait(delay);
        }
    }

    /// As [`run_blocking`](Call::run_blocking), but the call can be given up, also during a wait:
    /// by Ctrl-C, or when the program stops. For the times when `cancelled(delay)` is called, see
    /// [`again_blocking_unless`](Call::again_blocking_unless).
    ///
    /// ```
    /// use retry_runtime::{Decision, NoBudget, Outcome, Policy, Retrier, on_err};
    /// use std::sync::mpsc;
    ///
    /// let (ctrl_c, stop) = mpsc::channel();
    /// let retrier = Retrier::new(Policy::new(9), NoBudget, on_err(|_: &u8| Outcome::Retry));
    /// let mut call = retrier.call();
    /// let result = call.run_blocking_unless(
    ///     |delay| stop.recv_timeout(delay).is_ok(),
    ///     |_| -> Result<(), u8> {
    ///         ctrl_c.send(()).unwrap();
    ///         Err(1)
    ///     },
    /// );
    /// assert_eq!((result, call.decision()), (Err(1), Some(Decision::Cancelled)));
    /// ```
    ///
    /// # Panics
    ///
    /// If the call is over.
    #[track_caller]
    pub fn run_blocking_unless<R>(
        &mut self,
        mut cancelled: impl FnMut(Duration) -> bool,
        mut attempt: impl FnMut(Attempt<T>) -> R,
    ) -> R
    where
        C: HasClassifier<R>,
    {
        self.assert_open();
        self.block();
        loop {
            let result = attempt(self.handle());
            let outcome = self.classifier().judge(&result);
            let is_cancelled = outcome.asks_again() && cancelled(Duration::ZERO);
            let decision = self.decide_judged(&result, outcome, is_cancelled);
            let Decision::Again { delay } = decision else { return result };
            if !blocking::wait_unless(delay, &mut cancelled) {
                self.cut_judged(&result);
                return result;
            }
        }
    }
}

impl<C, B: SharedBudget> Retrier<C, B> {
    /// Makes a call that blocks its thread while it waits: see [`Call::run_blocking`].
    ///
    /// ```
    /// use retry_runtime::{NoBudget, Outcome, Policy, Retrier, on_err};
    ///
    /// let retrier = Retrier::new(Policy::new(3), NoBudget, on_err(|_: &u8| Outcome::Retry));
    /// let answer = retrier.run_blocking(|attempt| if attempt.is_first() { Err(1) } else { Ok(7) });
    /// assert_eq!(answer, Ok(7));
    /// ```
    pub fn run_blocking<R>(&self, attempt: impl FnMut(Attempt) -> R) -> R
    where
        C: Classify<R>,
    {
        self.call().run_blocking(attempt)
    }
}
