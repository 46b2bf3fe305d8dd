//! The `Attempt` handle.

use core::fmt;
use core::num::NonZeroU32;
use core::time::Duration;
use std::time::Instant;

use crate::clock::DefaultTimer;
use crate::timer::Timer;

/// The current attempt, as `attempt = name` binds it in the body of an annotated
/// function.
///
/// `T` is what tells the time: `&SmolTimer` in a function with `timer = SmolTimer`,
/// and nothing to write without that key.
#[derive(Clone, Copy)]
pub struct Attempt<T = DefaultTimer> {
    pub(crate) number: u32,
    pub(crate) max: Option<NonZeroU32>,
    pub(crate) deadline: Option<Instant>,
    pub(crate) timer: T,
}

impl<T> Attempt<T> {
    /// The number of this attempt, from 1.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// How many attempts the call may make, the first included; `None` is no limit.
    #[must_use]
    pub const fn max(&self) -> Option<u32> {
        match self.max {
            Some(max) => Some(max.get()),
            None => None,
        }
    }

    /// Whether nothing has been tried before: `number() == 1`.
    #[must_use]
    pub const fn is_first(&self) -> bool {
        self.number == 1
    }
}

impl<T: Timer> Attempt<T> {
    /// How much time the call has left before no further attempt may start, read
    /// afresh at each ask; zero when it has passed, `None` without a limit. A
    /// running attempt is not cut short by it: pass it on as a timeout.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        remaining(self.deadline, || self.timer.now())
    }
}

/// Without the timer, which need not be `Debug`.
impl<T> fmt::Debug for Attempt<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attempt")
            .field("number", &self.number)
            .field("max", &self.max())
            .field("deadline", &self.deadline)
            .finish()
    }
}

/// The time left until `deadline`: zero when it has passed.
pub(crate) fn remaining(
    deadline: Option<Instant>,
    now: impl FnOnce() -> Instant,
) -> Option<Duration> {
    deadline.map(|deadline| deadline.saturating_duration_since(now()))
}
