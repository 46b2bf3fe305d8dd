//! Items called by a function with the key `blocking`: its attempts and waits block the thread.

use core::future::{Ready, ready};
use core::num::NonZeroU32;
use core::time::Duration;

use super::{Limit, RetryLoop};
use crate::attempt::Attempt;
use crate::clock::{DefaultTimer, Waits};
use crate::time::Instant;
use crate::timer::Timer;
use crate::{blocking, clock};

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

/// A deadline by the clock of threads: as far away as by the clock that it was made with,
/// which in a test may be tokio's, paused.
#[inline]
pub fn deadline_of_threads(deadline: Option<Instant>) -> Option<Instant> {
    deadline.map(|deadline| clock::moved(deadline, DefaultTimer.now(), Instant::now()))
}

impl<L: Limit> RetryLoop<L> {
    /// The attempt that runs now. Its time left is that by the clock of threads.
    #[inline]
    pub fn attempt_of_thread(&self, attempts: u32) -> Attempt {
        let deadline = self
            .limit
            .limits()
            .deadline
            .map(|deadline| clock::moved(deadline, Instant::now(), DefaultTimer.now()));
        let max = NonZeroU32::new(attempts);
        Attempt { number: self.progress.attempt, max, deadline, timer: DefaultTimer }
    }
}
