//! Waiting between attempts, above the pure decisions.

use core::future::{Future, poll_fn};
use core::pin::{Pin, pin};
use core::task::Poll;
use core::time::Duration;

use crate::clock::Clock;
#[cfg(feature = "tokio")]
use crate::clock::DefaultTimer;
use crate::{Call, Decision, Outcome, Timer};

impl Call<'_, '_> {
    /// Decides, and waits if the answer is `Again`. True if another attempt
    /// follows; if not, [`decision`](Call::decision) says why.
    ///
    /// # Panics
    ///
    /// If the last decision was final, and, where there is something to wait for,
    /// outside a tokio runtime with its timer enabled.
    #[cfg(feature = "tokio")]
    pub async fn again(&mut self, outcome: Outcome) -> bool {
        match self.decide(outcome) {
            Decision::Again { delay } => {
                wait(DefaultTimer, delay).await;
                true
            }
            _ => false,
        }
    }

    /// As [`again`](Call::again), but the call is given up when `cancel`
    /// completes: before a retry is decided, or during the wait. Then the
    /// decision is [`Cancelled`](Decision::Cancelled), and the caller still has
    /// its last result.
    ///
    /// ```
    /// use retry_runtime::{Decision, Outcome, Policy};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let policy = Policy::new(3);
    /// let mut call = policy.call_without_budget();
    /// let shutdown = async {};
    /// assert!(!call.again_unless(Outcome::Retry, shutdown).await);
    /// assert_eq!(call.decision(), Some(Decision::Cancelled));
    /// # });
    /// ```
    #[cfg(feature = "tokio")]
    pub async fn again_unless(&mut self, outcome: Outcome, cancel: impl Future) -> bool {
        self.unless(outcome, pin!(cancel), DefaultTimer).await
    }

    /// As `again`, for any executor: the time and the wait are those of `timer`. Make
    /// the call with [`Policy::call_at`](crate::Policy::call_at), so that its time
    /// limit counts on the same clock.
    ///
    /// ```
    /// use std::time::{Duration, Instant};
    ///
    /// use retry_runtime::{Backoff, Budget, Outcome, Policy, Timer};
    ///
    /// # struct SmolTimer;
    /// # impl Timer for SmolTimer {
    /// #     type Sleep = async_io::Timer;
    /// #     fn now(&self) -> Instant { Instant::now() }
    /// #     fn sleep(&self, delay: Duration) -> async_io::Timer { async_io::Timer::after(delay) }
    /// # }
    /// static PAYMENTS: Budget = Budget::new(10, 0.1);
    ///
    /// async fn charge() -> Result<u32, ()> {
    ///     let policy = Policy::new(3).backoff(Backoff::constant(Duration::from_millis(1)));
    ///     let mut call = policy.call_at(Some(&PAYMENTS), SmolTimer.now());
    ///     loop {
    ///         let result = if call.attempt() < 3 { Err(()) } else { Ok(call.attempt()) };
    ///         let outcome = if result.is_ok() { Outcome::Success } else { Outcome::Retry };
    ///         if !call.again_with(outcome, &SmolTimer).await {
    ///             return result;
    ///         }
    ///     }
    /// }
    /// assert_eq!(async_io::block_on(charge()), Ok(3));
    /// ```
    ///
    /// # Panics
    ///
    /// If the last decision was final.
    pub async fn again_with<T: Timer + ?Sized>(&mut self, outcome: Outcome, timer: &T) -> bool {
        match self.decide_with(outcome, false, || timer.now()) {
            Decision::Again { delay } => {
                wait(timer, delay).await;
                true
            }
            _ => false,
        }
    }

    /// As [`again_with`](Call::again_with), but the call is given up when `cancel`
    /// completes: before a retry is decided, or during the wait.
    ///
    /// # Panics
    ///
    /// If the last decision was final.
    pub async fn again_unless_with<T: Timer + ?Sized>(
        &mut self,
        outcome: Outcome,
        cancel: impl Future,
        timer: &T,
    ) -> bool {
        self.unless(outcome, pin!(cancel), timer).await
    }

    async fn unless<T: Clock, C: Future>(
        &mut self,
        outcome: Outcome,
        mut cancel: Pin<&mut C>,
        timer: T,
    ) -> bool {
        let cancelled = outcome.is_retry() && is_ready(cancel.as_mut()).await;
        match self.decide_with(outcome, cancelled, || timer.now()) {
            Decision::Again { delay } => {
                let waited = unless(cancel, wait(timer, delay)).await;
                if !waited {
                    self.cut(|| timer.now());
                }
                waited
            }
            _ => false,
        }
    }

    /// As [`again`](Call::again), for a thread: the wait blocks it.
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
        match self.decide(outcome) {
            Decision::Again { delay } => {
                if delay.is_zero() {
                    std::thread::yield_now();
                } else {
                    std::thread::sleep(delay);
                }
                true
            }
            _ => false,
        }
    }
}

/// Waits for `delay`. A zero wait yields once and never touches the timer: the
/// shortest sleep of tokio's is a millisecond.
pub(crate) async fn wait<T: Clock>(timer: T, delay: Duration) {
    // By value: what is borrowed here would be kept for as long as the wait lasts.
    if is_zero(delay) {
        yield_once().await;
    } else {
        let _output = timer.sleep(delay).await;
    }
}

const fn is_zero(delay: Duration) -> bool {
    delay.is_zero()
}

/// Lets the executor run something else, once.
pub(crate) fn yield_once() -> impl Future<Output = ()> {
    let mut yielded = false;
    poll_fn(move |context| {
        if yielded {
            return Poll::Ready(());
        }
        yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
}

/// Polls `future` once: whether it has completed. If not, it will wake this task.
pub(crate) async fn is_ready<F: Future>(mut future: Pin<&mut F>) -> bool {
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_ready())).await
}

/// Waits for `wait`, unless `cancel` completes first: whether the wait was
/// over. If both are ready at once, the cancellation counts.
pub(crate) async fn unless<C: Future>(mut cancel: Pin<&mut C>, wait: impl Future) -> bool {
    let mut wait = pin!(wait);
    poll_fn(|context| {
        if cancel.as_mut().poll(context).is_ready() {
            return Poll::Ready(false);
        }
        wait.as_mut().poll(context).map(|_| true)
    })
    .await
}
