//! The `Call`: one call's attempts, for a loop by hand.
//!
//! The path of a success is inlined. The code for a failure, an observer or a limit in time
//! stands apart from it.

mod deciding;
mod events;
mod settings;
mod time;

use core::fmt;

#[cfg(any(
    all(feature = "tokio", not(all(target_family = "wasm", target_os = "unknown"))),
    all(feature = "wasm", target_family = "wasm", target_os = "unknown")
))]
pub(crate) use self::deciding::Asked;
use self::time::Began;
use crate::budget::Budget;
use crate::clock::DefaultTimer;
use crate::decision::{Decision, Progress};
use crate::event::Event;
use crate::outcome::Outcome;
use crate::policy::Policy;
use crate::schedule::Schedule;
use crate::telemetry::Watch;
#[cfg(feature = "tower")]
use crate::time::Instant;
use crate::timer::Timer;

/// The state of one call: the number of its attempt, and its limits. Only the budget is shared with
/// other calls.
///
/// ```
/// use retry_runtime::{Budget, Outcome, Policy};
///
/// static PAYMENTS: Budget = Budget::new(10, 0.1);
/// const POLICY: Policy = Policy::new(4);
///
/// # async fn send(attempt: u32) -> Result<u32, std::io::Error> { Ok(attempt) }
/// # async fn charge() -> Result<u32, std::io::Error> {
/// let mut call = POLICY.call(&PAYMENTS);
/// let receipt = loop {
///     let result = send(call.attempt()).await;
///     let outcome = if result.is_ok() { Outcome::Success } else { Outcome::Retry };
///     if !call.again(outcome).await {
///         break result;
///     }
/// };
/// receipt
/// # }
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(charge()).unwrap();
/// ```
///
/// [`run`](Call::run) is the whole loop around a closure. In a loop by hand, as the first
/// example, let every attempt reach [`again`](Call::again) or [`decide`](Call::decide), the
/// successful one too: one that returns early on success never credits the budget, which
/// then runs dry.
///
/// Nothing is held between attempts: dropping a call, or the future of a wait, at any point leaves
/// the budget as the last decision left it; if the call is dropped while it checks for a
/// cancellation after a failure, this failure is charged. The policy is held by value, so a call
/// can live in a struct or a stream.
///
/// `T` is the timer: the default's, or a reference to that of [`timer`](Call::timer). `C` is the
/// classifier, which [`Retrier::call`](crate::Retrier::call) sets.
#[must_use = "a call does nothing until it is asked to decide"]
pub struct Call<'b, T = DefaultTimer, C = ()> {
    policy: Policy,
    budget: Option<&'b Budget>,
    schedule: Option<&'b (dyn Schedule + Sync)>,
    observer: Option<&'b (dyn Fn(&Event<'_>) + Sync)>,
    name: Option<&'b str>,
    timer: T,
    classifier: C,
    progress: Progress,
    /// Only where something needs the clock: a limit in time or an observer.
    began: Option<Began>,
    decision: Option<Decision>,
    /// The last outcome that was not a success or a stop.
    outcome: Outcome,
    /// It waits by blocking its thread, so it tells the time of threads.
    is_blocking: bool,
}

impl Policy {
    /// Starts a call whose retries `budget` limits, with the settings of this
    /// policy. The clock (tokio's, with the feature `tokio`) is read here only
    /// if the policy has a time limit.
    ///
    /// ```
    /// use retry_runtime::{Budget, Outcome, Policy};
    ///
    /// static PAYMENTS: Budget = Budget::new(10, 0.1);
    /// const POLICY: Policy = Policy::new(4);
    ///
    /// # async fn send() -> Result<(), std::io::Error> { Ok(()) }
    /// # fn classify<T, E>(r: &Result<T, E>) -> Outcome { if r.is_ok() { Outcome::Success } else { Outcome::Retry } }
    /// async fn charge() -> Result<(), std::io::Error> {
    ///     let mut call = POLICY.call(&PAYMENTS);
    ///     loop {
    ///         let result = send().await;
    ///         if !call.again(classify(&result)).await {
    ///             break result;
    ///         }
    ///     }
    /// }
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(charge()).unwrap();
    /// ```
    #[inline]
    pub fn call<'b>(&self, budget: &'b Budget) -> Call<'b> {
        Call::new(self, Some(budget), ())
    }

    /// Starts a call without a budget. This is right if only one caller retries, such as for a
    /// connection made at startup; on the path of requests, retries without a budget multiply an
    /// outage.
    #[inline]
    pub fn call_without_budget(&self) -> Call<'static> {
        Call::new(self, None, ())
    }
}

impl<'b, C> Call<'b, DefaultTimer, C> {
    #[inline]
    pub(crate) fn new(policy: &Policy, budget: Option<&'b Budget>, classifier: C) -> Self {
        // Before the policy is copied, so that it is copied once.
        let began = policy.within.map(|_| Began::at(DefaultTimer.now()));
        Call {
            policy: *policy,
            budget,
            schedule: None,
            observer: None,
            name: None,
            timer: DefaultTimer,
            classifier,
            progress: Progress::START,
            began,
            decision: None,
            outcome: Outcome::Success,
            is_blocking: false,
        }
    }
}

impl<'b, T, C> Call<'b, T, C> {
    /// The number of the running attempt, from 1. After `Again`, the number of the next one; after
    /// a final decision, of the last one.
    #[must_use]
    pub const fn attempt(&self) -> u32 {
        self.progress.attempt
    }

    /// The last decision, or `None` before the first.
    #[must_use]
    pub const fn decision(&self) -> Option<Decision> {
        self.decision
    }

    /// The label of the events.
    #[inline]
    fn label(&self) -> &'b str {
        self.name.unwrap_or_default()
    }

    /// Goes on with a call at a later attempt.
    #[cfg(feature = "tower")]
    pub(crate) fn resumed(mut self, attempt: u32, started: Option<Instant>) -> Self {
        self.progress.attempt = attempt;
        self.began = started.map(Began::at);
        self
    }

    /// Reports the call if its future is dropped before it has ended.
    #[inline]
    pub(crate) fn watch(&self) -> Watch<'b> {
        Watch::new(self.label())
    }

    /// Tells the watch of the last decision.
    #[inline]
    pub(crate) fn tell_watch(&self, watch: &mut Watch<'b>) {
        if let Some(decision) = self.decision {
            watch.decided(self.label(), decision, self.progress.attempt);
        }
    }

    /// The budget that pays for its attempts.
    #[inline]
    pub(crate) const fn paying(&self) -> Option<&'b Budget> {
        self.budget
    }

    #[inline]
    pub(crate) const fn timing(&self) -> &T {
        &self.timer
    }

    #[inline]
    pub(crate) const fn classifier(&self) -> &C {
        &self.classifier
    }
}

impl<T, C> fmt::Debug for Call<'_, T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("name", &self.label())
            .field("attempt", &self.progress.attempt)
            .field("decision", &self.decision)
            .field("policy", &self.policy)
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}
