//! The clock of a call, and the attempt that it tells a body of.

use core::time::Duration;

use super::Call;
use crate::attempt::{self, Attempt};
use crate::clock;
use crate::time::Instant;
use crate::timer::Timer;

/// What a call knows that has read its clock.
#[derive(Clone, Copy)]
pub(super) struct Began {
    /// When it began.
    pub(super) at: Instant,
    /// The limit that [`deadline`](Call::deadline) gives.
    pub(super) deadline: Option<Instant>,
}

impl Began {
    pub(super) const fn at(at: Instant) -> Began {
        Began { at, deadline: None }
    }

    /// The same by the clock of threads, where it is `now` by that of the timer.
    #[cold]
    fn of_threads(self, now: Instant) -> Began {
        let now_of_threads = Instant::now();
        let moved = |instant| clock::moved(instant, now, now_of_threads);
        Began { at: moved(self.at), deadline: self.deadline.map(moved) }
    }
}

impl<T, C> Call<'_, T, C> {
    /// The earlier of the two limits in time.
    #[inline]
    pub(super) fn effective_deadline(&self) -> Option<Instant> {
        self.began.and_then(|began| earlier(self.policy.within, began))
    }

    /// When the call began, if it has read its clock.
    #[cfg(feature = "tower")]
    pub(crate) fn started(&self) -> Option<Instant> {
        self.began.map(|began| began.at)
    }
}

#[cold]
#[inline(never)]
fn earlier(within: Option<Duration>, began: Began) -> Option<Instant> {
    // A limit too long for the clock to express is no limit.
    let within = within.and_then(|limit| began.at.checked_add(limit));
    match (within, began.deadline) {
        (Some(within), Some(given)) => Some(within.min(given)),
        (within, given) => within.or(given),
    }
}

impl<T: Timer, C> Call<'_, T, C> {
    /// The time until no further attempt may start, by the clock at this moment; zero when it has
    /// passed, `None` without a limit.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        attempt::remaining(self.effective_deadline(), || self.now())
    }

    /// The time taken by the call so far, waits included. `None` if the call has neither
    /// a limit in time nor an observer: it then reads no clock.
    ///
    /// ```
    /// use retry_runtime::Policy;
    /// use std::time::Duration;
    ///
    /// let policy = Policy::new(3);
    /// assert!(policy.call_without_budget().elapsed().is_none());
    /// let limited = policy.within(Duration::from_secs(30));
    /// assert!(limited.call_without_budget().elapsed().is_some());
    /// ```
    #[must_use]
    pub fn elapsed(&self) -> Option<Duration> {
        self.began.map(|began| self.now().saturating_duration_since(began.at))
    }

    pub(super) fn now(&self) -> Instant {
        now(&self.timer, self.is_blocking)
    }

    /// From here on the call blocks its thread, whose sleep counts the time of std: its
    /// limits go on by that clock. It is another only where tokio's is paused, or a timer
    /// has one of its own.
    #[inline]
    pub(crate) fn block(&mut self) {
        if !self.is_blocking {
            self.is_blocking = true;
            if let Some(began) = self.began {
                self.began = Some(began.of_threads(self.timer.now()));
            }
        }
    }

    /// The attempt that runs now, for a body.
    #[inline]
    pub(crate) fn handle(&self) -> Attempt<T>
    where
        T: Copy,
    {
        let (timer, mut deadline) = (self.timer, self.effective_deadline());
        if let Some(of_threads) = deadline.filter(|_| self.is_blocking) {
            // The handle asks the timer, whose clock may be another.
            deadline = Some(clock::moved(of_threads, Instant::now(), timer.now()));
        }
        let (number, max) = (self.progress.attempt, self.policy.attempts);
        Attempt { number, max, deadline, timer }
    }
}

/// The time by the clock that a call waits by.
pub(super) fn now(timer: &impl Timer, is_blocking: bool) -> Instant {
    if is_blocking { Instant::now() } else { timer.now() }
}
