//! The value of `cancel`: a future, and beside `blocking` a function that waits.

use core::future::IntoFuture;
use core::pin::Pin;
use core::task::Context;
use core::time::Duration;

use crate::blocking;
use crate::waiting::{Completes, completes};

/// The value of `cancel` as a future, and what polls it: no use of it needs to know that it is
/// one, so what is none has one error.
#[inline(always)]
pub fn cancel<C: Cancels<F>, F>(value: C) -> (F, Completes<F>) {
    (value.into_signal(), C::completes)
}

/// What `cancel` needs. The future is a parameter: of what is none rustc would report an
/// associated type a second time, and not in these words.
#[diagnostic::on_unimplemented(
    message = "`cancel` needs a future, and this is `{Self}`",
    label = "no future",
    note = "write what completes when the call is to be given up, such as `cancel = self.shutdown.cancelled()`"
)]
pub trait Cancels<F> {
    /// The future.
    fn into_signal(self) -> F;
    /// Polls it: whether it has completed.
    fn completes(signal: Pin<&mut F>, context: &mut Context<'_>) -> bool;
}

#[diagnostic::do_not_recommend]
impl<C: IntoFuture> Cancels<C::IntoFuture> for C {
    #[inline]
    fn into_signal(self) -> C::IntoFuture {
        self.into_future()
    }

    fn completes(signal: Pin<&mut C::IntoFuture>, context: &mut Context<'_>) -> bool {
        completes(signal, context)
    }
}

/// What `cancel` needs beside `blocking`. A closure takes its signature from the supertrait.
#[diagnostic::on_unimplemented(
    message = "`cancel` beside `blocking` needs a function that waits for at most a `Duration` and says whether the call is given up",
    label = "no function from `Duration` to `bool`",
    note = "a thread cannot await a future while it sleeps: write for example `cancel = |delay| stop.recv_timeout(delay).is_ok()`"
)]
pub trait WaitsForCancellation: FnOnce(Duration) -> bool {}

#[diagnostic::do_not_recommend]
impl<F: FnOnce(Duration) -> bool> WaitsForCancellation for F {}

/// Whether the call is given up now.
#[inline(always)]
pub fn is_given_up<F: WaitsForCancellation>(cancelled: F) -> bool {
    cancelled(Duration::ZERO)
}

/// Blocks the thread until the next attempt, unless the call is given up: whether the wait
/// was over.
#[inline]
pub fn block_unless(delay: Duration, cancelled: impl FnOnce(Duration) -> bool) -> bool {
    blocking::wait_unless(delay, cancelled)
}
