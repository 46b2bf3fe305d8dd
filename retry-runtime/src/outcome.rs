//! What one attempt's result means.

use core::fmt;
use core::time::Duration;

/// What the result of one attempt means, as a classifier judges it.
///
/// | outcome | the budget | what follows |
/// |---|---|---|
/// | `Success` | gains `token_ratio` | the call ends, [`Succeeded`](crate::Decision::Succeeded) |
/// | `Retry`, `RetryAfter`, `RetryIn` | loses one token | another attempt, if everything else allows one |
/// | `Fail` | loses one token | the call ends, [`Stopped`](crate::Decision::Stopped) |
/// | `Stop` | unchanged | the call ends, [`Stopped`](crate::Decision::Stopped) |
///
/// A delay that comes with an outcome never adds an attempt.
///
/// ```
/// use retry_runtime::Outcome;
/// use std::io;
///
/// fn classify_io(result: &io::Result<Vec<u8>>) -> Outcome {
///     match result {
///         Ok(_) => Outcome::Success,
///         Err(error) if error.kind() == io::ErrorKind::TimedOut => Outcome::Retry,
///         Err(_) => Outcome::Stop,
///     }
/// }
///
/// assert_eq!(classify_io(&Ok(vec![])), Outcome::Success);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[must_use = "an outcome does nothing until a call decides on it"]
pub enum Outcome {
    /// The attempt did what it was for.
    Success,
    /// The dependency failed in a way that another attempt may mend.
    /// The schedule gives the wait.
    Retry,
    /// As `Retry`, but wait at least this long: a server's `Retry-After` read
    /// as a floor. The wait is the larger of this and the schedule's.
    RetryAfter(Duration),
    /// As `Retry`, but wait exactly this long instead of what the schedule
    /// says: gRPC's server pushback (gRFC A6), or an HTTP policy that obeys the
    /// server even when it asks for less.
    RetryIn(Duration),
    /// The dependency failed, and this call must not be repeated: a request
    /// that is not idempotent and may have been carried out, or a server that
    /// says "do not retry". It counts in the budget (gRFC A6) and ends the call.
    Fail,
    /// Another attempt cannot help, and the result says nothing about the
    /// health of the dependency: a bad request, a breaker's rejection.
    Stop,
}

impl Outcome {
    /// The name of the outcome in `snake_case`, without its delay: a bounded
    /// label for logs and metrics.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Outcome::Success => "success",
            Outcome::Retry => "retry",
            Outcome::RetryAfter(_) => "retry_after",
            Outcome::RetryIn(_) => "retry_in",
            Outcome::Fail => "fail",
            Outcome::Stop => "stop",
        }
    }

    /// Whether the outcome asks for another attempt.
    #[must_use]
    pub const fn is_retry(&self) -> bool {
        matches!(self, Outcome::Retry | Outcome::RetryAfter(_) | Outcome::RetryIn(_))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())?;
        match self {
            Outcome::RetryAfter(delay) | Outcome::RetryIn(delay) => write!(f, "({delay:?})"),
            _ => Ok(()),
        }
    }
}
