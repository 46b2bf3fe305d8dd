//! Waiting between attempts, above the pure decisions.

use core::future::{Future, poll_fn};
use core::pin::{Pin, pin};
use core::task::{Context, Poll};
use core::time::Duration;

use crate::budget::Budget;
use crate::call::Call;
use crate::clock::Waits;
use crate::decision::Decision;
use crate::outcome::Outcome;
use crate::timer::Timer;

impl<T: Waits, C> Call<'_, T, C> {
    /// Decides, and waits if the answer is `Again`. True if another attempt
    /// follows; if not, [`decision`](Call::decision) says why.
    ///
    /// # Panics
    ///
    /// If the last decision was final, and, where there is something to wait for and no
    /// other [`timer`](Call::timer), outside a tokio runtime with its timer enabled.
    pub async fn again(&mut self, outcome: Outcome) -> bool {
        match self.decide(outcome) {
            Decision::Again { delay } => {
                wait(self.timing(), delay).await;
                true
            }
            _ => false,
        }
    }

    /// As [`again`](Call::again), but the call is given up when `cancel`
    /// completes: before another attempt is decided, or during the wait. Then the
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
    ///
    /// # Panics
    ///
    /// As [`again`](Call::again).
    pub async fn again_unless(&mut self, outcome: Outcome, cancel: impl Future) -> bool {
        let mut cancel = pin!(cancel);
        let cancelled = outcome.asks_again()
            && has_completed(cancel.as_mut(), Unpaid::of(outcome, self.paying())).await;
        match self.decide_with(outcome, cancelled, None) {
            Decision::Again { delay } => {
                let waited = unless(cancel, wait(self.timing(), delay)).await;
                if !waited {
                    self.cut();
                }
                waited
            }
            _ => false,
        }
    }
}

/// Waits for `delay`. A zero wait yields once and never touches the timer: the
/// shortest sleep of tokio's is a millisecond.
pub(crate) async fn wait<T: Timer>(timer: T, delay: Duration) {
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

/// A failure that its call has still to decide on. A call that is dropped before it does pays
/// all the same: a failure of a dependency is never free.
pub(crate) struct Unpaid<'b>(Option<&'b Budget>);

impl<'b> Unpaid<'b> {
    /// Nothing, for an outcome that is no failure.
    pub(crate) fn of(outcome: Outcome, budget: Option<&'b Budget>) -> Self {
        Unpaid(budget.filter(|_| outcome.is_failure()))
    }

    /// The decision follows, before the call can be dropped.
    const fn leave(&mut self) {
        self.0 = None;
    }
}

impl Drop for Unpaid<'_> {
    fn drop(&mut self) {
        if let Some(budget) = self.0 {
            // No retry follows, whatever it allows.
            let _allowed = budget.take();
        }
    }
}

/// As [`is_ready`], after an attempt, which may have used up tokio's cooperative budget:
/// then no future of tokio's completes before the next poll.
pub(crate) fn has_completed<F: Future>(
    mut future: Pin<&mut F>,
    mut unpaid: Unpaid<'_>,
) -> impl Future<Output = bool> {
    let mut asked = false;
    poll_fn(move |context| {
        let completed = future.as_mut().poll(context).is_ready();
        if completed || asked {
            unpaid.leave();
            return Poll::Ready(completed);
        }
        asked = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
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

/// Polls a cancellation: whether it has completed. A function of its own, so that whoever has one
/// need not know that `F` is a future.
pub(crate) type Completes<F> = fn(Pin<&mut F>, &mut Context<'_>) -> bool;

/// The cancellation as a future.
pub(crate) struct Signal<'p, F> {
    pub(crate) future: Pin<&'p mut F>,
    pub(crate) completes: Completes<F>,
}

impl<F> Future for Signal<'_, F> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Signal { future, completes } = &mut *self;
        if completes(future.as_mut(), context) { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// What [`Completes`] is for a future.
pub(crate) fn completes<F: Future>(future: Pin<&mut F>, context: &mut Context<'_>) -> bool {
    future.poll(context).is_ready()
}

/// What polls a cancellation, and the future, which is `None` once it has completed, so that it
/// is not polled again.
pub(crate) type Cancellation<'p, F> = (Completes<F>, Pin<&'p mut Option<F>>);

/// The cancellation, unless it has completed.
fn signal<'c, F>((completes, cancel): &'c mut Cancellation<'_, F>) -> Option<Signal<'c, F>> {
    let future = cancel.as_mut().as_pin_mut()?;
    Some(Signal { future, completes: *completes })
}

/// Polls a cancellation once, so that it can wake this task: whether it has completed.
pub async fn begins_cancelled<F>(cancel: &mut Cancellation<'_, F>) -> bool {
    let Some(mut signal) = signal(cancel) else { return true };
    let completed = is_ready(Pin::new(&mut signal)).await;
    if completed {
        cancel.1.set(None);
    }
    completed
}

/// Polls the cancellation after an attempt: whether it has completed, now or before.
pub async fn is_cancelled<F>(
    cancel: &mut Cancellation<'_, F>,
    outcome: Outcome,
    budget: Option<&Budget>,
) -> bool {
    let Some(mut signal) = signal(cancel) else { return true };
    let completed = has_completed(Pin::new(&mut signal), Unpaid::of(outcome, budget)).await;
    if completed {
        cancel.1.set(None);
    }
    completed
}

/// Waits for the next attempt, unless the cancellation completes first: whether the wait was
/// over.
pub async fn wait_unless<T: Timer, F>(
    timer: T,
    cancel: &mut Cancellation<'_, F>,
    delay: Duration,
) -> bool {
    let Some(mut signal) = signal(cancel) else { return false };
    let waited = unless(Pin::new(&mut signal), wait(timer, delay)).await;
    if !waited {
        cancel.1.set(None);
    }
    waited
}
