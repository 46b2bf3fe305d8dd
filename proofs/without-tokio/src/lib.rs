//! Smol's timer for `retry-runtime`, as a program without tokio has it.

use std::time::{Duration, Instant};

use retry_runtime::Timer;

/// Smol's timer.
#[derive(Clone, Copy, Debug)]
pub struct SmolTimer;

impl Timer for SmolTimer {
    type Sleep = smol::Timer;

    fn now(&self) -> Instant {
        Instant::now()
    }

    fn sleep(&self, delay: Duration) -> smol::Timer {
        smol::Timer::after(delay)
    }
}
