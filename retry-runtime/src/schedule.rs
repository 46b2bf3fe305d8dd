//! The `Schedule` trait.

use core::time::Duration;

/// The wait before another attempt.
///
/// A schedule is a function of the step alone, so one value serves every call at once. The step is
/// the number of the wait, from 1; it starts over after an exact delay
/// ([`Outcome::RetryIn`](crate::Outcome::RetryIn)), as in gRFC A6 after a pushback, and
/// [`RepeatIn`](crate::Outcome::RepeatIn) does not change it. Without exact delays it is the number
/// of the attempt that ended. [`Backoff`](crate::Backoff) is the usual one; any
/// `Fn(u32) -> Duration` is one too.
///
/// ```
/// use retry_runtime::Schedule;
/// use std::time::Duration;
///
/// let tens = |step: u32| Duration::from_millis(10) * step;
/// assert_eq!(tens.delay(3), Duration::from_millis(30));
/// assert_eq!(tens.delay_at_least(3, Duration::from_secs(1)), Duration::from_secs(1));
/// ```
pub trait Schedule {
    /// The wait at `step`, from 1.
    fn delay(&self, step: u32) -> Duration;

    /// The wait at `step`, when the server asked for at least `floor`
    /// ([`Outcome::RetryAfter`](crate::Outcome::RetryAfter)). A result below `floor` is
    /// raised to it when a call decides.
    fn delay_at_least(&self, step: u32, floor: Duration) -> Duration {
        self.delay(step).max(floor)
    }
}

impl<F> Schedule for F
where
    F: Fn(u32) -> Duration + ?Sized,
{
    fn delay(&self, step: u32) -> Duration {
        self(step)
    }
}

/// Asks `schedule` for the wait, with the server's floor where there is one, which no
/// schedule can undercut.
pub(crate) fn delay_of<S: Schedule + ?Sized>(
    schedule: &S,
    step: u32,
    floor: Option<Duration>,
) -> Duration {
    match floor {
        None => schedule.delay(step),
        Some(floor) => schedule.delay_at_least(step, floor).max(floor),
    }
}
