//! The decision that follows an attempt, and the fixed order of its rules.
//!
//! The whole order is here, for the attribute's loop and for [`Call`](crate::Call). It
//! reads no clock of its own, waits for nothing and allocates nothing, so that plain
//! tests and loom can drive it.

use core::fmt;
use core::num::NonZeroU32;
use core::time::Duration;

use crate::budget::Budget;
use crate::outcome::Outcome;
use crate::time::Instant;

/// The decision after an attempt: another one, or why the call ends.
///
/// The precedence is fixed:
///
/// 1. `Success` gives [`Succeeded`](Decision::Succeeded); the budget gains `token_ratio`.
/// 2. `Stop` gives [`Stopped`](Decision::Stopped); the budget is unchanged. `Fail` takes
///    a token and gives [`Failed`](Decision::Failed).
/// 3. `Retry` or `Repeat`, in any form, of a cancelled call is
///    [`Cancelled`](Decision::Cancelled), and of one whose deadline has passed
///    [`Expired`](Decision::Expired). The budget is unchanged: a caller which gives up says
///    nothing about the dependency, and no retry follows.
/// 4. Otherwise `Retry` takes one token, even after the last attempt (as grpc-go does);
///    `Repeat` takes none. Then: no attempts left is [`Exhausted`](Decision::Exhausted); a
///    budget that refuses a `Retry` is [`Throttled`](Decision::Throttled); a wait that would
///    end at or after the deadline is [`Expired`](Decision::Expired) at once, without the
///    wait; else [`Again`](Decision::Again).
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
        /// The wait before the next attempt. Zero means: yield once.
        delay: Duration,
    },
    /// The outcome was `Success`.
    Succeeded,
    /// The outcome was `Stop`: a mistake of the caller's, or a final answer.
    Stopped,
    /// The outcome was `Fail`: the dependency failed, and this call must not be repeated.
    Failed,
    /// The last allowed attempt asked for another.
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
            Decision::Failed => "failed",
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

/// The progress of a call. (Public for the loop of the attribute alone.)
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The number of the attempt that runs, from 1.
    pub(crate) attempt: u32,
    /// The number of waits by its schedule since it started, or started over.
    pub(crate) step: u32,
}

impl Progress {
    /// Before the first attempt.
    pub(crate) const START: Progress = Progress { attempt: 1, step: 0 };
}

/// The limits of a call.
#[derive(Clone, Copy)]
pub(crate) struct Limits<'b> {
    /// How many attempts it may make; `None` is no limit.
    pub(crate) max_attempts: Option<NonZeroU32>,
    pub(crate) budget: Option<&'b Budget>,
    pub(crate) deadline: Option<Instant>,
    pub(crate) cancelled: bool,
}

/// What a decision asks for, each only if it is needed.
pub(crate) trait Sources {
    /// The time now, by the clock of the call.
    fn now(&self) -> Instant;
    /// By how much a sleep may end late: see [`Timer::resolution`](crate::Timer).
    fn resolution(&self) -> Duration;
    /// The wait at a step of the schedule, with the server's floor where there is one.
    fn delay(&self, step: u32, floor: Option<Duration>) -> Duration;
}

/// Decides what follows `outcome`: `Success` and `Stop` at once, as they are the hot
/// path; everything else is `rest`, which calls [`after`] or [`after_in_time`].
#[inline(always)]
pub(crate) fn decide(outcome: Outcome, budget: Option<&Budget>, rest: impl Rest) -> Decision {
    match outcome {
        Outcome::Success => {
            if let Some(budget) = budget {
                budget.refill();
            }
            Decision::Succeeded
        }
        Outcome::Stop => Decision::Stopped,
        _ => rest.decide(),
    }
}

/// The cold part of a decision. It is no closure, because a closure that is not inlined
/// has its captures stored on the hot path too, and a method can be inlined always.
pub(crate) trait Rest {
    fn decide(self) -> Decision;
}

/// Decides on anything but `Success` and `Stop`, for a call without a deadline that
/// cannot be cancelled.
// Inlined, because its callers are cold and hand their arguments on as they are.
#[inline(always)]
pub(crate) fn after(
    progress: &mut Progress,
    outcome: Outcome,
    max_attempts: Option<NonZeroU32>,
    budget: Option<&Budget>,
    sources: &(impl Sources + ?Sized),
) -> Decision {
    // The usual outcome comes first: it is then as short as in a loop by hand.
    if matches!(outcome, Outcome::Retry) {
        let allowed = take(budget);
        if allowed && !is_last(progress.attempt, max_attempts) {
            let step = progress.step.saturating_add(1);
            return progress.again(step, sources.delay(step, None));
        }
        let limits = Limits { max_attempts, budget, deadline: None, cancelled: false };
        return charged(progress, outcome, limits, allowed, None, sources);
    }
    let limits = Limits { max_attempts, budget, deadline: None, cancelled: false };
    after_in_time(progress, outcome, limits, sources)
}

/// Decides on anything but `Success` and `Stop`: rules 2 (for `Fail`), 3 and 4.
#[inline(always)]
pub(crate) fn after_in_time(
    progress: &mut Progress,
    outcome: Outcome,
    limits: Limits<'_>,
    sources: &(impl Sources + ?Sized),
) -> Decision {
    let Limits { budget, deadline, cancelled, .. } = limits;
    match outcome {
        Outcome::Success => return Decision::Succeeded,
        Outcome::Stop => return Decision::Stopped,
        Outcome::Fail => {
            let _allowed = take(budget);
            return Decision::Failed;
        }
        _ => {}
    }
    if cancelled {
        return Decision::Cancelled;
    }
    // The time, read once: no attempt is decided on two readings.
    let now = deadline.map(|_| sources.now());
    if deadline.zip(now).is_some_and(|(deadline, now)| now >= deadline) {
        return Decision::Expired;
    }
    let allowed = !outcome.is_failure() || take(budget);
    charged(progress, outcome, limits, allowed, now, sources)
}

/// The rest of rule 4, once the token is taken. `allowed` is what the tokens say.
fn charged(
    progress: &mut Progress,
    outcome: Outcome,
    limits: Limits<'_>,
    allowed: bool,
    now: Option<Instant>,
    sources: &(impl Sources + ?Sized),
) -> Decision {
    let Limits { max_attempts, budget, deadline, .. } = limits;
    if is_last(progress.attempt, max_attempts) {
        return Decision::Exhausted;
    }
    // The reserve is looked at before the schedule is asked, and claimed after
    // everything else allows the retry, so that no call spends it without one.
    let reserve = match (allowed, budget.and_then(Budget::reserve)) {
        (true, _) => None,
        (false, None) => return Decision::Throttled,
        (false, Some(reserve)) => {
            let now = now.unwrap_or_else(|| sources.now());
            if !reserve.is_open(now) {
                return Decision::Throttled;
            }
            Some((reserve, now))
        }
    };
    let (step, delay) = match outcome {
        Outcome::RetryIn(exact) => (0, exact),
        Outcome::RepeatIn(exact) => (progress.step, exact),
        _ => {
            let step = progress.step.saturating_add(1);
            (step, sources.delay(step, floor(outcome)))
        }
    };
    if let Some((deadline, now)) = deadline.zip(now) {
        if ends_too_late(delay, deadline.saturating_duration_since(now), sources) {
            return Decision::Expired;
        }
    }
    if reserve.is_some_and(|(reserve, now)| !reserve.claim(now)) {
        return Decision::Throttled;
    }
    progress.again(step, delay)
}

impl Progress {
    #[inline(always)]
    fn again(&mut self, step: u32, delay: Duration) -> Decision {
        self.attempt = self.attempt.saturating_add(1);
        self.step = step;
        Decision::Again { delay }
    }
}

/// Takes a token: whether a retry may follow. Without a budget it always may.
#[inline(always)]
fn take(budget: Option<&Budget>) -> bool {
    budget.is_none_or(Budget::take)
}

#[inline(always)]
fn is_last(attempt: u32, max_attempts: Option<NonZeroU32>) -> bool {
    max_attempts.is_some_and(|max| attempt >= max.get())
}

const fn floor(outcome: Outcome) -> Option<Duration> {
    match outcome {
        Outcome::RetryAfter(floor) | Outcome::RepeatAfter(floor) => Some(floor),
        _ => None,
    }
}

/// Whether a wait ends at or after the deadline, which is `left` from now. A timer that
/// counts in coarse steps may end it that much later; a zero wait does not touch it.
fn ends_too_late(delay: Duration, left: Duration, sources: &(impl Sources + ?Sized)) -> bool {
    delay >= left || (!delay.is_zero() && delay.saturating_add(sources.resolution()) > left)
}
