//! The `Attempt` handle.

use core::fmt;
use core::num::NonZeroU32;
use core::ops::Deref;
use core::time::Duration;

use crate::clock::DefaultTimer;
use crate::outcome::Outcome;
use crate::time::Instant;
use crate::timer::Timer;

/// The current attempt, as `attempt = name` binds it for the keys of an annotated
/// function. In its body the name is a [`RunningAttempt`], which derefs to this.
///
/// `T` is the timer: `&SmolTimer` in a function with `timer = SmolTimer`. Without that key write
/// `Attempt` alone.
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

    /// The attempts allowed to the call, the first included; `None` is no limit.
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
    /// The time until no further attempt may start, by the clock at this moment; zero when it has
    /// passed, `None` without a limit. A running attempt is not cut short: pass the time on as a
    /// timeout.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        remaining(self.deadline, || self.timer.now())
    }
}

/// The running attempt, as `attempt = name` binds it in the body of an annotated function: a
/// `&mut RunningAttempt`, which derefs to [`Attempt`] and takes the body's own
/// [verdict](RunningAttempt::judge).
pub struct RunningAttempt<T = DefaultTimer> {
    attempt: Attempt<T>,
    verdict: Option<Outcome>,
}

impl<T> RunningAttempt<T> {
    #[doc(hidden)]
    #[inline]
    pub const fn new(attempt: Attempt<T>) -> RunningAttempt<T> {
        RunningAttempt { attempt, verdict: None }
    }

    /// The body's own verdict on this attempt: the classifier is not asked. Use it where only the
    /// body can decide, as for a setup error which is final, though the classifier retries the same
    /// error of the request.
    ///
    /// Of two verdicts the last counts. The next attempt begins without one. If `attempt_timeout`
    /// ends the attempt, its verdict is lost: the value of `on_timeout` is classified.
    ///
    /// ```
    /// use retry_runtime::{Backoff, Budget, Outcome, retry};
    ///
    /// #[derive(Debug, PartialEq)]
    /// struct Refused;
    ///
    /// struct Client {
    ///     budget: Budget,
    ///     token: Option<&'static str>,
    /// }
    ///
    /// impl Client {
    ///     fn token(&self) -> Result<&str, Refused> {
    ///         self.token.ok_or(Refused)
    ///     }
    ///
    ///     #[retry(
    ///         attempts = 3,
    ///         budget = self.budget,
    ///         classify_err = |_| Outcome::Retry,
    ///         schedule = Backoff::none(),
    ///         attempt = attempt,
    ///     )]
    ///     async fn send(&self) -> Result<u32, Refused> {
    ///         // Without a token no attempt can succeed.
    ///         let _token = self.token().inspect_err(|_| attempt.judge(Outcome::Stop))?;
    ///         if attempt.number() < 3 { Err(Refused) } else { Ok(attempt.number()) }
    ///     }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let client = Client { budget: Budget::new(10, 0.1), token: Some("t") };
    /// assert_eq!(client.send().await, Ok(3));
    /// let client = Client { budget: Budget::new(10, 0.1), token: None };
    /// assert_eq!(client.send().await, Err(Refused));
    /// assert_eq!(client.budget.tokens(), 10.0, "one attempt, which says nothing of the server");
    /// # });
    /// ```
    #[inline]
    pub const fn judge(&mut self, outcome: Outcome) {
        self.verdict = Some(outcome);
    }

    /// What the body said, for the loop of the attribute.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub const fn verdict(&self) -> Option<Outcome> {
        self.verdict
    }

    /// The attempt was cut short: it has said nothing.
    #[doc(hidden)]
    #[inline]
    pub const fn lose_verdict(&mut self) {
        self.verdict = None;
    }
}

impl<T> Deref for RunningAttempt<T> {
    type Target = Attempt<T>;

    fn deref(&self) -> &Attempt<T> {
        &self.attempt
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

impl<T> fmt::Debug for RunningAttempt<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningAttempt")
            .field("attempt", &self.attempt)
            .field("verdict", &self.verdict)
            .finish()
    }
}
