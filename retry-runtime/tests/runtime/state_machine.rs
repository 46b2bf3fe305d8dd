//! Calls and their budget, as a state machine beside a naive model of both:
//! several calls are open at once, and every one of them can be decided on,
//! wait, be cancelled before or during a wait, have its wait dropped before it
//! begins, during it or at its end, run into its deadline or be abandoned, in any
//! order. What their observers are told is compared too.
//! One file, however long: the machine and its model are read side by side.

#![cfg(feature = "tokio")]

use std::future::{Future, ready};
use std::pin::pin;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use proptest::prelude::*;
use retry_runtime::{Backoff, Budget, Call, Decision, Event, EventKind, Outcome, Policy};
use tokio::time::{Instant, advance, sleep};

const MS: Duration = Duration::from_millis(1);
const CALLS: usize = 3;

/// The settings of one history.
#[derive(Clone, Debug)]
struct Settings {
    /// `None` is no limit.
    attempts: Option<u32>,
    /// Linear, `step` after the first attempt.
    step: Duration,
    within: Option<Duration>,
    max_tokens: u32,
    ratio: i64,
}

#[derive(Clone, Debug)]
enum Step {
    /// Time passes, as while an attempt runs.
    Pass(Duration),
    /// Decide, and leave the wait to nobody.
    Decide(usize, Outcome),
    /// Decide and wait to the end.
    Again(usize, Outcome),
    /// Decide when the call has been cancelled before.
    Cancelled(usize, Outcome),
    /// Decide and wait, with a cancellation after this much time.
    CancelAfter(usize, Outcome, Duration),
    /// Decide, wait for at most this much time and drop the wait; the call may go on.
    DropWait(usize, Outcome, Duration),
    /// Drop the decision and its wait before either has begun.
    DropUnpolled(usize, Outcome),
    /// Drop the call, and begin another in its place.
    Abandon(usize),
}

fn outcomes() -> impl Strategy<Value = Outcome> {
    let delay = (0..40_u32).prop_map(|n| MS * n);
    prop_oneof![
        2 => Just(Outcome::Success),
        5 => Just(Outcome::Retry),
        2 => Just(Outcome::Repeat),
        1 => delay.clone().prop_map(Outcome::RepeatAfter),
        1 => delay.clone().prop_map(Outcome::RepeatIn),
        2 => delay.clone().prop_map(Outcome::RetryAfter),
        2 => delay.prop_map(Outcome::RetryIn),
        1 => Just(Outcome::Fail),
        1 => Just(Outcome::Stop),
    ]
}

fn steps() -> impl Strategy<Value = Step> {
    let call = 0..CALLS;
    let time = (0..60_u32).prop_map(|n| MS * n);
    prop_oneof![
        2 => time.clone().prop_map(Step::Pass),
        4 => (call.clone(), outcomes()).prop_map(|(c, o)| Step::Decide(c, o)),
        4 => (call.clone(), outcomes()).prop_map(|(c, o)| Step::Again(c, o)),
        2 => (call.clone(), outcomes()).prop_map(|(c, o)| Step::Cancelled(c, o)),
        2 => (call.clone(), outcomes(), time.clone())
            .prop_map(|(c, o, t)| Step::CancelAfter(c, o, t)),
        2 => (call.clone(), outcomes(), time).prop_map(|(c, o, t)| Step::DropWait(c, o, t)),
        1 => (call.clone(), outcomes()).prop_map(|(c, o)| Step::DropUnpolled(c, o)),
        1 => call.prop_map(Step::Abandon),
    ]
}

fn settings() -> impl Strategy<Value = Settings> {
    (
        prop::option::of(1..6_u32),
        prop_oneof![Just(Duration::ZERO), (1..20_u32).prop_map(|n| MS * n)],
        prop::option::of((1..200_u32).prop_map(|n| MS * n)),
        3..9_u32,
        prop_oneof![1..500_i64, Just(1000), Just(2500)],
    )
        .prop_map(|(attempts, step, within, max_tokens, ratio)| Settings {
            attempts,
            step,
            within,
            max_tokens,
            ratio,
        })
}

/// The model of one call: the words of the contract, one after the other.
#[derive(Clone, Debug)]
struct ModelCall {
    started: Instant,
    attempt: u32,
    /// The waits by the schedule since it began, or began again.
    waits: u32,
    deadline: Option<Instant>,
    decision: Option<Decision>,
}

#[derive(Debug)]
struct Model {
    settings: Settings,
    tokens: i64,
    successes: i64,
    granted: i64,
    told: Vec<Told>,
}

/// What an observer is told: the kind, the attempt, the decision and the time.
type Told = (EventKind, u32, Decision, Duration);

impl Model {
    fn begin(&self, now: Instant) -> ModelCall {
        let deadline = self.settings.within.map(|limit| now + limit);
        ModelCall { started: now, attempt: 1, waits: 0, deadline, decision: None }
    }

    fn take(&mut self) -> bool {
        self.tokens = (self.tokens - 1000).max(0);
        self.tokens > i64::from(self.settings.max_tokens) * 500
    }

    fn decide(
        &mut self,
        call: &mut ModelCall,
        outcome: Outcome,
        cancelled: bool,
        now: Instant,
    ) -> Decision {
        let decision = self.next(call, outcome, cancelled, now);
        call.decision = Some(decision);
        self.told.push((EventKind::Attempt, call.attempt, decision, now - call.started));
        if !decision.is_final() {
            call.attempt += 1;
            self.granted += i64::from(outcome.is_failure());
            call.waits = match outcome {
                Outcome::RetryIn(_) => 0,
                Outcome::RepeatIn(_) => call.waits,
                _ => call.waits + 1,
            };
        }
        decision
    }

    /// The wait of a call was cut short.
    fn cut(&mut self, call: &mut ModelCall, now: Instant) {
        call.attempt -= 1;
        call.decision = Some(Decision::Cancelled);
        let elapsed = now - call.started;
        self.told.push((EventKind::WaitCut, call.attempt, Decision::Cancelled, elapsed));
    }

    fn next(
        &mut self,
        call: &ModelCall,
        outcome: Outcome,
        cancelled: bool,
        now: Instant,
    ) -> Decision {
        let curve = self.settings.step * (call.waits + 1);
        let delay = match outcome {
            Outcome::Success => {
                let full = i64::from(self.settings.max_tokens) * 1000;
                self.tokens = (self.tokens + self.settings.ratio).min(full);
                self.successes += 1;
                return Decision::Succeeded;
            }
            Outcome::Stop => return Decision::Stopped,
            Outcome::Fail => {
                self.take();
                return Decision::Failed;
            }
            Outcome::RetryAfter(floor) | Outcome::RepeatAfter(floor) => curve.max(floor),
            Outcome::RetryIn(exact) | Outcome::RepeatIn(exact) => exact,
            _ => curve,
        };
        if cancelled {
            return Decision::Cancelled;
        }
        if call.deadline.is_some_and(|deadline| now >= deadline) {
            return Decision::Expired;
        }
        let allowed = !outcome.is_failure() || self.take();
        if Some(call.attempt) == self.settings.attempts {
            Decision::Exhausted
        } else if !allowed {
            Decision::Throttled
        } else if call.deadline.is_some_and(|deadline| now + delay >= deadline) {
            Decision::Expired
        } else {
            Decision::Again { delay }
        }
    }
}

/// Plays one history on the calls and on the model, and compares after each step.
async fn play(settings: Settings, steps: Vec<Step>) {
    let budget = Budget::new(settings.max_tokens, settings.ratio as f64 / 1000.0);
    let linear = |step| Backoff::linear(step, step * 1000);
    let backoff = if settings.step.is_zero() { Backoff::none() } else { linear(settings.step) };
    let policy = settings.attempts.map_or(Policy::unlimited(), Policy::new);
    let mut policy = policy.backoff(backoff);
    if let Some(limit) = settings.within {
        policy = policy.within(limit);
    }
    let full = i64::from(settings.max_tokens) * 1000;
    let mut model = Model { settings, tokens: full, successes: 0, granted: 0, told: Vec::new() };
    let told = Mutex::new(Vec::new());
    let observer = |event: &Event<'_>| {
        let entry = (event.kind, event.attempt, event.decision, event.elapsed);
        told.lock().unwrap().push(entry);
    };
    let begin = || policy.call(&budget).observe(&observer);
    let mut calls: [(Call<'_>, ModelCall); CALLS] =
        std::array::from_fn(|_| (begin(), model.begin(Instant::now())));

    for step in steps {
        let now = Instant::now();
        let mut waited = Duration::ZERO;
        match step {
            Step::Pass(time) => {
                advance(time).await;
                waited = time;
            }
            Step::Decide(index, outcome) => {
                let (call, expected) = &mut calls[index];
                let decision = model.decide(expected, outcome, false, now);
                assert_eq!(call.decide(outcome), decision);
            }
            Step::Again(index, outcome) => {
                let (call, expected) = &mut calls[index];
                let decision = model.decide(expected, outcome, false, now);
                assert_eq!(call.again(outcome).await, !decision.is_final());
                if let Decision::Again { delay } = decision {
                    waited = delay;
                }
            }
            Step::Cancelled(index, outcome) => {
                let (call, expected) = &mut calls[index];
                let _ = model.decide(expected, outcome, true, now);
                assert!(!call.again_unless(outcome, ready(())).await);
            }
            Step::CancelAfter(index, outcome, time) => {
                let (call, expected) = &mut calls[index];
                let cancelled = time.is_zero();
                let decision = model.decide(expected, outcome, cancelled, now);
                let again = call.again_unless(outcome, sleep_exactly(time)).await;
                match decision {
                    Decision::Again { delay } if delay < time => {
                        assert!(again);
                        waited = delay;
                    }
                    Decision::Again { .. } => {
                        assert!(!again);
                        model.cut(expected, now + time);
                        waited = time;
                    }
                    _ => assert!(!again),
                }
            }
            Step::DropWait(index, outcome, time) => {
                let (call, expected) = &mut calls[index];
                let decision = model.decide(expected, outcome, false, now);
                let mut wait = pin!(call.again(outcome));
                match decision {
                    Decision::Again { delay } => {
                        assert_eq!(poll(wait.as_mut()), Poll::Pending);
                        advance(time).await;
                        waited = time;
                        let is_over = delay <= time;
                        assert_eq!(poll(wait.as_mut()).is_ready(), is_over);
                    }
                    _ => assert_eq!(poll(wait.as_mut()), Poll::Ready(false)),
                }
            }
            Step::DropUnpolled(index, outcome) => drop(calls[index].0.again(outcome)),
            Step::Abandon(index) => calls[index] = (begin(), model.begin(now)),
        }
        assert_eq!(now.elapsed(), waited);
        assert_eq!(budget.tokens(), model.tokens as f64 / 1000.0);
        assert_eq!(*told.lock().unwrap(), model.told);
        for (call, expected) in &mut calls {
            assert_eq!(call.attempt(), expected.attempt);
            assert_eq!(call.decision(), expected.decision);
            let left = expected.deadline.map(|end| end.saturating_duration_since(Instant::now()));
            assert_eq!(call.remaining(), left);
            // A call that is over makes room for another.
            if expected.decision.is_some_and(|decision| decision.is_final()) {
                *call = begin();
                *expected = model.begin(Instant::now());
            }
        }
        let settings = &model.settings;
        let paid = 500 * i64::from(settings.max_tokens) + settings.ratio * model.successes;
        assert!(1000 * model.granted < paid, "more retries than the budget can pay");
    }
}

fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// A cancellation after `time`: at once for zero, unlike tokio's sleep.
async fn sleep_exactly(time: Duration) {
    if !time.is_zero() {
        sleep(time).await;
    }
}

proptest! {
    // `PROPTEST_CASES` asks for more of them.
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(400)))]

    #[test]
    fn calls_and_budget_do_what_the_model_does(
        settings in settings(),
        steps in prop::collection::vec(steps(), 1..80),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(play(settings, steps));
    }
}
