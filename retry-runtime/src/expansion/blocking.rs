//! What a function with the key `blocking` calls: its attempts and waits block the thread.

use core::future::{Ready, ready};
use core::num::NonZeroU32;
use core::time::Duration;
use std::time::Instant;

use super::{Limit, RetryLoop};
use crate::attempt::Attempt;
use crate::blocking;
use crate::clock::{DefaultTimer, Waits};
use crate::timer::Timer;

/// The clock that a thread sleeps by. Nothing awaits its sleep.
#[derive(Clone, Copy)]
pub struct ThreadTimer;

impl Timer for ThreadTimer {
    type Sleep = Ready<()>;

    #[inline]
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn sleep(&self, delay: Duration) -> Ready<()> {
        blocking::wait(delay);
        ready(())
    }
}

impl Waits for ThreadTimer {}

/// Runs an attempt: `return` and `?` in it end the closure.
#[inline(always)]
pub fn attempt<R>(attempt: impl FnOnce() -> R) -> R {
    attempt()
}

/// Blocks the thread until the next attempt.
#[inline]
pub fn block(delay: Duration) {
    blocking::wait(delay);
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

/// A deadline by the clock of threads: as far away as by the clock that it was made with,
/// which in a test may be tokio's, paused.
#[inline]
pub fn deadline_of_threads(deadline: Option<Instant>) -> Option<Instant> {
    deadline.map(|deadline| blocking::moved(deadline, DefaultTimer.now(), Instant::now()))
}

impl<L: Limit> RetryLoop<L> {
    /// The attempt that runs now. Its time left is that by the clock of threads.
    #[inline]
    pub fn attempt_of_thread(&self, attempts: u32) -> Attempt {
        let deadline = self
            .limit
            .limits()
            .deadline
            .map(|deadline| blocking::moved(deadline, Instant::now(), DefaultTimer.now()));
        let max = NonZeroU32::new(attempts);
        Attempt { number: self.progress.attempt, max, deadline, timer: DefaultTimer }
    }
}
