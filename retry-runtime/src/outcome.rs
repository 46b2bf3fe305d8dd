//! The `Outcome` of an attempt.

use core::fmt;
use core::time::Duration;

/// The meaning of one attempt's result, given by a classifier.
///
/// | | another&nbsp;attempt | no&nbsp;other&nbsp;attempt |
/// |---|---|---|
/// | the dependency failed: it costs a token | `Retry`, `RetryAfter`, `RetryIn` | `Fail` |
/// | it did its work, or this says nothing about it | `Repeat`, `RepeatAfter`, `RepeatIn` | `Stop`, or `Success`, which credits `token_ratio` |
///
/// `Success` ends the call as [`Succeeded`](crate::Decision::Succeeded), `Stop` as
/// [`Stopped`](crate::Decision::Stopped), `Fail` as [`Failed`](crate::Decision::Failed).
/// The others ask for another attempt, which follows if everything else allows it. A
/// delay in an outcome never adds an attempt.
///
/// # Failures are `Retry`
///
/// `Repeat` is free of charge: no budget stops it. It is for a cause that ends by itself or that
/// the body removes before it asks again: a poll whose job still runs, a whole transaction that the
/// database undid (SQLSTATE 40001), an expired token that the body renews, a stale version that it
/// reads again. A request that was refused, never sent or not processed is a failure of the
/// dependency. Answer `Retry` to it: the budget stops only the retries it counts.
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
    /// The attempt succeeded.
    Success,
    /// The dependency failed, and another attempt may help. The schedule gives the wait.
    Retry,
    /// As `Retry`, but wait at least this long: a server's `Retry-After` read as a
    /// floor. The floor moves the interval from which the jitter draws.
    RetryAfter(Duration),
    /// As `Retry`, but wait exactly this long, and start the schedule over: gRPC's server pushback
    /// (gRFC A6), or an HTTP policy that obeys the server even when it asks for less. All clients
    /// with the same exact delay come back at the same moment.
    RetryIn(Duration),
    /// No failure, but not yet the final answer. The schedule gives the wait; the budget is neither
    /// charged nor credited.
    Repeat,
    /// As `Repeat`, but wait at least this long.
    RepeatAfter(Duration),
    /// As `Repeat`, but wait exactly this long. The schedule stays where it is.
    RepeatIn(Duration),
    /// The dependency failed, and this call must not be repeated: a request which is not idempotent
    /// and may have been carried out, or a server's "do not retry" (gRFC A6).
    Fail,
    /// Another attempt cannot help, and the result says nothing about the health of the
    /// dependency: a bad request, a breaker's rejection.
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
            Outcome::Repeat => "repeat",
            Outcome::RepeatAfter(_) => "repeat_after",
            Outcome::RepeatIn(_) => "repeat_in",
            Outcome::Fail => "fail",
            Outcome::Stop => "stop",
        }
    }

    /// Whether the outcome asks for another attempt: true of `Retry`, `Repeat` and
    /// their forms with a delay.
    #[must_use]
    pub const fn asks_again(&self) -> bool {
        !matches!(self, Outcome::Success | Outcome::Fail | Outcome::Stop)
    }

    /// Whether the dependency failed, so the attempt costs a token: true of `Retry`, its forms with
    /// a delay, and `Fail`.
    #[must_use]
    pub const fn is_failure(&self) -> bool {
        matches!(
            self,
            Outcome::Retry | Outcome::RetryAfter(_) | Outcome::RetryIn(_) | Outcome::Fail
        )
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())?;
        match self {
            Outcome::RetryAfter(delay)
            | Outcome::RetryIn(delay)
            | Outcome::RepeatAfter(delay)
            | Outcome::RepeatIn(delay) => write!(f, "({delay:?})"),
            _ => Ok(()),
        }
    }
}
