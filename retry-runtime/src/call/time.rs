//! The clock of a call, and the attempt that it tells a body of.

use std::time::Instant;

use super::Call;
use crate::attempt::Attempt;
use crate::clock;
use crate::timer::Timer;

impl<T: Timer, C> Call<'_, T, C> {
    pub(super) fn now(&self) -> Instant {
        if self.is_blocking { Instant::now() } else { self.timer.now() }
    }

    /// From here on the call blocks its thread, whose sleep counts the time of std: its
    /// limits go on by that clock. It is another only where tokio's is paused, or a timer
    /// has one of its own.
    pub(crate) fn block(&mut self) {
        if self.is_blocking {
            return;
        }
        self.is_blocking = true;
        if self.started.is_none() && self.given_deadline.is_none() {
            return;
        }
        let (now, now_of_threads) = (self.timer.now(), Instant::now());
        let moved = |instant| clock::moved(instant, now, now_of_threads);
        self.started = self.started.map(moved);
        self.given_deadline = self.given_deadline.map(moved);
    }

    /// The attempt that runs now, for a body.
    pub(crate) fn handle(&self) -> Attempt<T>
    where
        T: Clone,
    {
        let deadline = self.effective_deadline().map(|deadline| match self.is_blocking {
            // The handle asks the timer, whose clock may be another.
            true => clock::moved(deadline, self.now(), self.timer.now()),
            false => deadline,
        });
        let (number, max) = (self.progress.attempt, self.policy.attempts);
        Attempt { number, max, deadline, timer: self.timer.clone() }
    }
}
