//! The loop around a closure by the settings of a `Retrier` alone, on the default timer.

use core::future::Future;
use core::time::Duration;

use crate::attempt::Attempt;
use crate::budget::Budget;
use crate::call::Asked;
use crate::classify::Classify;
use crate::clock::DefaultTimer;
use crate::decision::{self, Decision, Limits, Progress, Rest};
use crate::event::EventKind;
use crate::outcome::Outcome;
use crate::policy::Policy;
use crate::retrier::{Retrier, SharedBudget};
use crate::telemetry::{Report, Watch};
use crate::time::Instant;
use crate::timer::Timer;
use crate::waiting::wait;

/// The label of a call that has no name.
const NAMELESS: &str = "";

impl<C, B: SharedBudget> Retrier<C, B> {
    /// Makes a call: see [`Call::run`](crate::Call::run). To set its limits, observer and name, or
    /// to ask afterwards why it ended, start with [`call`](Retrier::call).
    ///
    /// ```
    /// use retry_runtime::{Budget, Outcome, Policy, Retrier, on_err};
    ///
    /// static DNS: Retrier<fn(&Result<u32, u8>) -> Outcome> =
    ///     Retrier::new(Policy::new(3), Budget::new(10, 0.1), |result| match result {
    ///         Ok(_) => Outcome::Success,
    ///         Err(_) => Outcome::Retry,
    ///     });
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
    /// let address = DNS.run(async |attempt| if attempt.is_first() { Err(1) } else { Ok(7) }).await;
    /// assert_eq!(address, Ok(7));
    /// # });
    /// ```
    ///
    /// # Panics
    ///
    /// Where there is something to wait for, outside a tokio runtime with its timer enabled.
    #[allow(clippy::manual_async_fn)] // An `async fn` would hold its arguments twice.
    pub fn run<R, F>(&self, mut attempt: impl FnMut(Attempt) -> F) -> impl Future<Output = R>
    where
        F: Future<Output = R>,
        C: Classify<R>,
    {
        async move {
            let mut running = Running::START;
            if let Some(within) = self.policy().time_limit() {
                running.deadline = from_now(within);
            }
            let mut watch = Watch::new(NAMELESS);
            loop {
                let delay = {
                    let result = attempt(running.attempt(self.policy())).await;
                    let outcome = self.classify(&result);
                    let decision = running.decide(self.policy(), self.budget(), outcome);
                    watch.decided(NAMELESS, decision, running.progress.attempt);
                    match decision {
                        Decision::Again { delay } => delay,
                        _ => return result,
                    }
                };
                wait(DefaultTimer, delay).await;
            }
        }
    }
}

/// A call that nobody observes, and that has no settings but its retrier's: what changes from
/// attempt to attempt. All else stays in the retrier.
struct Running {
    progress: Progress,
    deadline: Option<Instant>,
}

impl Running {
    const START: Running = Running { progress: Progress::START, deadline: None };

    #[inline]
    fn attempt(&self, policy: &Policy) -> Attempt {
        let &Running { progress, deadline } = self;
        Attempt { number: progress.attempt, max: policy.attempts, deadline, timer: DefaultTimer }
    }

    #[inline]
    fn decide(&mut self, policy: &Policy, budget: Option<&Budget>, outcome: Outcome) -> Decision {
        let attempt = self.progress.attempt;
        let rest = Undecided { running: self, policy, budget, outcome };
        let decision = decision::decide(outcome, budget, rest);
        Report {
            kind: EventKind::Attempt,
            name: NAMELESS,
            attempt,
            max_attempts: policy.attempts,
            outcome: Some(outcome),
            decision,
            budget,
            error: None,
            status: None,
        }
        .send();
        decision
    }

    #[cold]
    #[inline(never)]
    fn after(&mut self, policy: &Policy, budget: Option<&Budget>, outcome: Outcome) -> Decision {
        let (max_attempts, deadline) = (policy.attempts, self.deadline);
        let limits = Limits { max_attempts, budget, deadline, cancelled: false };
        let sources = Asked::of_timer(DefaultTimer, policy.backoff);
        decision::after_in_time(&mut self.progress, outcome, limits, &sources)
    }
}

/// A limit too long for the clock to express is no limit.
#[cold]
#[inline(never)]
fn from_now(within: Duration) -> Option<Instant> {
    DefaultTimer.now().checked_add(within)
}

/// An attempt that neither succeeded nor stopped the call.
struct Undecided<'c> {
    running: &'c mut Running,
    policy: &'c Policy,
    budget: Option<&'c Budget>,
    outcome: Outcome,
}

impl Rest for Undecided<'_> {
    #[inline(always)]
    fn decide(self) -> Decision {
        let Undecided { running, policy, budget, outcome } = self;
        running.after(policy, budget, outcome)
    }
}
