//! Waits of an annotated function: the next attempt, a cancellation, and the
//! end of an attempt that has a time limit.

use core::future::{Future, poll_fn};
use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;

use crate::timer::Timer;
use crate::waiting::{self, Completes};
pub use crate::waiting::{begins_cancelled, is_cancelled, wait_unless};

/// Waits for the next attempt.
#[inline]
pub fn wait<T: Timer>(timer: T, delay: Duration) -> impl Future<Output = ()> {
    waiting::wait(timer, delay)
}

/// The future of a cancellation, to be pinned.
#[inline(always)]
pub fn signal<F>((future, _): (F, Completes<F>)) -> Option<F> {
    Some(future)
}

/// Takes a parameter that was cloned, as a call ends: the plain body would have taken it.
#[inline(always)]
pub fn completed<T>(_taken: T) {}

/// The end of an attempt's time, if it has one.
#[inline]
pub fn sleep<T: Timer>(timer: T, limit: Option<Duration>) -> Option<T::Sleep> {
    limit.map(|limit| timer.sleep(limit))
}

/// Runs an attempt until its time is over: `None` if it had not ended by then.
///
/// A body that is ready has ended, whatever the time. The timer is first asked
/// after the body, so that a body that does not wait costs no timer. From then on
/// it is asked before the body: one that uses up tokio's cooperative budget in
/// every poll would otherwise leave none for tokio's timer, which then never ends.
pub fn bounded<E: Future, B: Future>(
    mut end: Pin<&mut Option<E>>,
    mut body: Pin<&mut B>,
) -> impl Future<Output = Option<B::Output>> {
    let mut has_waited = false;
    poll_fn(move |context| {
        let mut ends = |context: &mut Context<'_>| {
            end.as_mut().as_pin_mut().is_some_and(|end| end.poll(context).is_ready())
        };
        let mut is_over = has_waited && ends(context);
        if let Poll::Ready(result) = body.as_mut().poll(context) {
            return Poll::Ready(Some(result));
        }
        if !has_waited {
            has_waited = true;
            is_over = ends(context);
        }
        if is_over { Poll::Ready(None) } else { Poll::Pending }
    })
}

/// What an attempt gave, or the value for one that did not end in time.
#[inline(always)]
pub fn in_time<R>(result: Option<R>, otherwise: impl FnOnce() -> R) -> R {
    match result {
        Some(result) => result,
        None => otherwise(),
    }
}
