//! What follows an attempt, and the fixed order in which that is decided.
//!
//! This file is pure: it reads no clock of its own, waits for nothing and
//! allocates nothing, so that plain tests and loom can drive it.

use core::fmt;
use core::time::Duration;
use std::time::Instant;

use crate::{Budget, Outcome};

/// What happens next, or why nothing does.
///
/// The precedence is fixed:
///
/// 1. `Success` gives [`Succeeded`](Decision::Succeeded); the budget gains `token_ratio`.
/// 2. `Stop` gives [`Stopped`](Decision::Stopped), the budget is unchanged.
///    `Fail` takes a token and gives `Stopped`.
/// 3. A retry of a call that was cancelled is [`Cancelled`](Decision::Cancelled), and one whose
///    deadline has passed is [`Expired`](Decision::Expired). The budget is unchanged: a caller
///    that gives up says nothing about the dependency.
/// 4. Otherwise one token is taken, even after the last attempt (as grpc-go does). Then: no
///    attempts left is [`Exhausted`](Decision::Exhausted); a budget that refuses is
///    [`Throttled`](Decision::Throttled); a wait that would end at or after the deadline is
///    [`Expired`](Decision::Expired) at once, without the wait; else [`Again`](Decision::Again).
///
/// Whatever the decision, the last attempt's result reaches the caller untouched.
///
/// ```
/// use retry_runtime::{Budget, Decision, Outcome, Policy};
///
/// static BUDGET: Budget = Budget::new(10, 0.1);
/// let policy = Policy::new(2);
/// let mut call = policy.call(&BUDGET);
/// assert!(matches!(call.decide(Outcome::Retry), Decision::Again { .. }));
/// assert_eq!(call.decide(Outcome::Retry), Decision::Exhausted);
/// assert_eq!(BUDGET.tokens(), 8.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[must_use = "a decision says whether another attempt follows"]
pub enum Decision {
    /// Another attempt follows once `delay` has passed.
    Again {
        /// How long to wait before the next attempt. Zero means: yield once.
        delay: Duration,
    },
    /// The classifier said `Success`.
    Succeeded,
    /// The classifier said `Stop` or `Fail`.
    Stopped,
    /// The last attempt that the policy allows asked for another.
    Exhausted,
    /// The budget of the dependency allows no retry now.
    Throttled,
    /// The deadline has passed, or would pass during the wait.
    Expired,
    /// The caller gave the call up.
    Cancelled,
}

impl Decision {
    /// The name of the decision in `snake_case`, without the delay: a bounded
    /// label for logs and metrics.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Decision::Again { .. } => "again",
            Decision::Succeeded => "succeeded",
            Decision::Stopped => "stopped",
            Decision::Exhausted => "exhausted",
            Decision::Throttled => "throttled",
            Decision::Expired => "expired",
            Decision::Cancelled => "cancelled",
        }
    }

    /// Whether the call ends with this decision: anything but `Again`.
    #[must_use]
    pub const fn is_final(&self) -> bool {
        !matches!(self, Decision::Again { .. })
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())?;
        match self {
            Decision::Again { delay } => write!(f, " in {delay:?}"),
            _ => Ok(()),
        }
    }
}

/// Everything a decision on a failed attempt depends on, but for the clock and
/// the schedule, which are asked only when they are needed.
#[derive(Clone, Copy)]
pub(crate) struct Failure<'b> {
    /// The number of the attempt that failed, from 1.
    pub attempt: u32,
    /// How many attempts the call may make; `u32::MAX` is no limit.
    pub max_attempts: u32,
    pub outcome: Outcome,
    pub budget: Option<&'b Budget>,
    pub deadline: Option<Instant>,
    pub cancelled: bool,
}

/// Steps 2 (for `Fail`), 3 and 4 of the precedence. `Success` and `Stop` never
/// get here: they are decided inline, on the hot path.
///
/// `now` is asked only if there is a deadline, and `delay` (of the attempt and
/// the server's floor) only if nothing else ended the call.
// Inlined, because its callers are cold and hand their arguments on as they are.
#[inline(always)]
pub(crate) fn after_failure(
    failure: Failure<'_>,
    now: impl FnOnce() -> Instant,
    delay: &dyn Fn(u32, Option<Duration>) -> Duration,
) -> Decision {
    let Failure { attempt, max_attempts, outcome, budget, deadline, cancelled } = failure;
    let floor = match outcome {
        Outcome::Success => return Decision::Succeeded,
        Outcome::Stop => return Decision::Stopped,
        Outcome::Fail => {
            let _allowed = take(budget);
            return Decision::Stopped;
        }
        Outcome::Retry | Outcome::RetryIn(_) => None,
        Outcome::RetryAfter(floor) => Some(floor),
    };
    if cancelled {
        return Decision::Cancelled;
    }
    // Time left, read once: an attempt is never decided on two clocks.
    let left = match deadline {
        None => None,
        Some(deadline) => match deadline.saturating_duration_since(now()) {
            Duration::ZERO => return Decision::Expired,
            left => Some(left),
        },
    };
    if let Some(refusal) = refusal(attempt, max_attempts, budget) {
        return refusal;
    }
    let delay = match outcome {
        Outcome::RetryIn(exact) => exact,
        _ => delay(attempt, floor),
    };
    match left {
        Some(left) if delay >= left => Decision::Expired,
        _ => Decision::Again { delay },
    }
}

/// The first half of step 4: takes the token, then says why no retry may follow, if
/// none may.
#[inline(always)]
pub(crate) fn refusal(
    attempt: u32,
    max_attempts: u32,
    budget: Option<&Budget>,
) -> Option<Decision> {
    let allowed = take(budget);
    if attempt >= max_attempts && max_attempts != u32::MAX {
        return Some(Decision::Exhausted);
    }
    if allowed { None } else { Some(Decision::Throttled) }
}

/// Takes a token: whether a retry may follow. Without a budget it always may.
#[inline(always)]
fn take(budget: Option<&Budget>) -> bool {
    budget.is_none_or(Budget::take)
}

#[cfg(test)]
mod tests {
    use core::time::Duration;
    use std::time::Instant;

    use super::{Decision, Failure, after_failure};
    use crate::{Outcome, Policy};

    #[test]
    fn a_call_without_a_limit_goes_on_after_the_last_number_there_is() {
        let failure = |max_attempts| Failure {
            attempt: u32::MAX,
            max_attempts,
            outcome: Outcome::RetryIn(Duration::ZERO),
            budget: None,
            deadline: None,
            cancelled: false,
        };
        let decide = |max_attempts| {
            after_failure(failure(max_attempts), Instant::now, &|_, _| Duration::ZERO)
        };
        assert_eq!(decide(Policy::UNLIMITED), Decision::Again { delay: Duration::ZERO });
        assert_eq!(decide(Policy::UNLIMITED - 1), Decision::Exhausted);
    }
}
