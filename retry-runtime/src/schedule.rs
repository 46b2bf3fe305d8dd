//! How long to wait between attempts.

use core::time::Duration;

/// How long to wait after a failed attempt.
///
/// A schedule is a function of the attempt's number alone, so that one value
/// serves every call at once. [`Backoff`](crate::Backoff) is the usual one; any
/// `Fn(u32) -> Duration` is one too.
///
/// ```
/// use retry_runtime::Schedule;
/// use std::time::Duration;
///
/// let tens = |attempt: u32| Duration::from_millis(10) * attempt;
/// assert_eq!(tens.delay(3), Duration::from_millis(30));
/// assert_eq!(tens.delay_at_least(3, Duration::from_secs(1)), Duration::from_secs(1));
/// ```
pub trait Schedule {
    /// The wait after attempt `attempt` failed, counted from 1.
    fn delay(&self, attempt: u32) -> Duration;

    /// The wait after attempt `attempt` failed, when the server asked for at
    /// least `floor` ([`Outcome::RetryAfter`](crate::Outcome::RetryAfter)).
    /// A result below `floor` is raised to it when a call decides.
    fn delay_at_least(&self, attempt: u32, floor: Duration) -> Duration {
        self.delay(attempt).max(floor)
    }
}

impl<F> Schedule for F
where
    F: Fn(u32) -> Duration + ?Sized,
{
    fn delay(&self, attempt: u32) -> Duration {
        self(attempt)
    }
}

/// Asks `schedule` for the wait, with the server's floor where there is one,
/// which no schedule can undercut.
pub(crate) fn delay_of<S: Schedule + ?Sized>(
    schedule: &S,
    attempt: u32,
    floor: Option<Duration>,
) -> Duration {
    match floor {
        None => schedule.delay(attempt),
        Some(floor) => schedule.delay_at_least(attempt, floor).max(floor),
    }
}
