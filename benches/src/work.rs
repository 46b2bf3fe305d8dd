//! The work that every contestant does, and how its futures are driven.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

/// The most attempts of every contestant's call.
pub const ATTEMPTS: u32 = 4;

/// What one attempt's work gives.
pub type Answer = Result<u64, Busy>;

/// The only error: another attempt helps.
#[derive(Debug, PartialEq)]
pub struct Busy;

/// A dependency that fails a given number of times, and counts.
#[derive(Debug)]
pub struct Work {
    failures: Cell<u32>,
    asked: Cell<u32>,
    /// What loops by hand wait for. A field, so that the compiler does not know
    /// that it is zero and has to keep the timer.
    pub delay: Duration,
    /// Until when a call with a deadline may retry: far away.
    pub deadline: Instant,
}

impl Default for Work {
    fn default() -> Self {
        Work {
            failures: Cell::new(0),
            asked: Cell::new(0),
            delay: Duration::ZERO,
            deadline: Instant::now() + Duration::from_secs(3600),
        }
    }
}

impl Work {
    /// The next `failures` attempts fail.
    pub fn fail(&self, failures: u32) {
        self.failures.set(failures);
    }

    /// One attempt's work.
    #[inline]
    pub fn answer(&self) -> Answer {
        self.asked.set(self.asked.get().wrapping_add(1));
        match self.failures.get() {
            0 => Ok(7),
            left => {
                self.failures.set(left - 1);
                Err(Busy)
            }
        }
    }

    /// How many attempts were made.
    pub fn asked(&self) -> u32 {
        self.asked.get()
    }
}

/// Lets the executor run something else, once. Not inlined, as the poll of a socket
/// would not be.
#[derive(Debug, Default)]
pub struct YieldOnce {
    yielded: bool,
}

impl Future for YieldOnce {
    type Output = ();

    #[inline(never)]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.yielded {
            return Poll::Ready(());
        }
        self.yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

/// Polls to the end, as a task does: through a pointer, so that nothing of the
/// future is inlined into its caller.
#[inline(never)]
pub fn drive(mut future: Pin<&mut dyn Future<Output = Answer>>) -> Answer {
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(answer) = future.as_mut().poll(&mut context) {
            return answer;
        }
    }
}
