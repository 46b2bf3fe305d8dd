//! What the body of an annotated function can ask about its attempt.

use core::time::Duration;
use std::time::Instant;

use crate::clock;

/// The current attempt, as `attempt = name` binds it in the body of an annotated
/// function.
#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    pub(crate) number: u32,
    pub(crate) deadline: Option<Instant>,
}

impl Attempt {
    /// The number of this attempt, from 1.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// Whether nothing has been tried before: `number() == 1`.
    #[must_use]
    pub const fn is_first(&self) -> bool {
        self.number == 1
    }

    /// How much time the call has left before no further attempt may start, read
    /// afresh at each ask; zero when it has passed, `None` without a limit. A
    /// running attempt is not cut short by it: pass it on as a timeout.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        remaining(self.deadline)
    }
}

/// The time left until `deadline`: zero when it has passed.
pub(crate) fn remaining(deadline: Option<Instant>) -> Option<Duration> {
    deadline.map(|deadline| deadline.saturating_duration_since(clock::now()))
}
