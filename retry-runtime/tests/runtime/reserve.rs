//! The reserve of a budget: one retry in a period although the tokens refuse.
//! One file, however long: the examples, and the model that they are cases of.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use retry_runtime::{Backoff, Budget, Decision, Outcome, Policy, Schedule};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const UNLIMITED: Policy = Policy::unlimited();
const AT_ONCE: Outcome = Outcome::RetryIn(Duration::ZERO);

/// Whether a failure at `now` may be retried.
fn retries(budget: &Budget, now: Instant) -> bool {
    !UNLIMITED.call(budget).decide_at(AT_ONCE, now).is_final()
}

/// Takes every token, without a retry.
fn empty(budget: &Budget) {
    for _ in 0..budget.max_tokens() {
        assert_eq!(Policy::new(1).call(budget).decide(Outcome::Fail), Decision::Failed);
    }
    assert_eq!(budget.tokens(), 0.0);
}

/// A budget without a token, and the time at which a test begins.
fn dry(every: Duration) -> (Budget, Instant) {
    let budget = Budget::new(3, 0.1).one_retry_every(every);
    empty(&budget);
    (budget, Instant::now() + MINUTE)
}

#[test]
fn without_tokens_one_retry_is_allowed_in_a_period() {
    let (budget, start) = dry(MINUTE);
    let allowed: Vec<u64> =
        (0..=300).filter(|second| retries(&budget, start + SECOND * *second as u32)).collect();
    assert_eq!(allowed, [0, 60, 120, 180, 240, 300]);
    assert_eq!(budget.tokens(), 0.0, "the reserve is no token");
}

#[test]
fn while_the_tokens_allow_a_retry_the_reserve_is_kept() {
    let budget = Budget::new(10, 0.1).one_retry_every(MINUTE);
    let start = Instant::now();
    let allowed = (0..20).filter(|_| retries(&budget, start)).count();
    assert_eq!(allowed, 4 + 1, "four by a token and one by the reserve");
}

#[test]
fn a_time_before_the_last_one_is_no_time_passed() {
    let (budget, start) = dry(MINUTE);
    assert!(retries(&budget, start + MINUTE));
    assert!(!retries(&budget, start));
    assert!(!retries(&budget, start + MINUTE + SECOND * 59));
    assert!(retries(&budget, start + MINUTE * 2));
}

#[test]
fn the_shortest_period_is_a_millisecond_and_less_is_refused() {
    let (budget, start) = dry(Duration::from_millis(1));
    let allowed = (0..1000).filter(|n| retries(&budget, start + Duration::from_micros(*n) * 10));
    assert_eq!(allowed.count(), 10);
    let refused = std::panic::catch_unwind(|| {
        Budget::new(3, 0.1).one_retry_every(Duration::from_micros(999))
    });
    let message = *refused.unwrap_err().downcast::<&str>().unwrap();
    assert!(message.contains("one_retry_every"), "{message}");
    assert!(message.contains("1 ms"), "{message}");
}

#[test]
fn the_longest_period_is_claimed_once() {
    let (budget, start) = dry(Duration::MAX);
    assert!(retries(&budget, start));
    assert!(!retries(&budget, start + MINUTE * 60 * 24 * 365 * 100));
}

/// A schedule that must not be asked.
struct Unasked;

impl Schedule for Unasked {
    fn delay(&self, _: u32) -> Duration {
        panic!("asked for a wait");
    }
}

#[test]
fn no_call_spends_the_reserve_without_a_retry() {
    let (budget, start) = dry(MINUTE);
    let untouched = |call: &str| {
        assert!(format!("{budget:?}").contains("60s"));
        assert_eq!(budget.tokens(), 0.0, "{call}");
    };
    let within = |limit| Policy::new(9).backoff(Backoff::constant(SECOND)).within(limit);
    let decide = |policy: Policy, outcome, now: Instant| {
        policy.call(&budget).starting_at(start).decide_at(outcome, now)
    };
    // The last attempt, a final outcome, a deadline behind, and one that the wait meets.
    assert_eq!(decide(Policy::new(1), Outcome::Retry, start), Decision::Exhausted);
    assert_eq!(decide(Policy::new(9), Outcome::Fail, start), Decision::Failed);
    assert_eq!(decide(Policy::new(9), Outcome::Stop, start), Decision::Stopped);
    assert_eq!(decide(within(SECOND), Outcome::Retry, start + MINUTE), Decision::Expired);
    assert_eq!(decide(within(SECOND), Outcome::Retry, start), Decision::Expired);
    let long = Outcome::RetryAfter(MINUTE * 9);
    assert_eq!(decide(within(MINUTE), long, start), Decision::Expired);
    let again = Decision::Again { delay: SECOND };
    assert_eq!(decide(within(MINUTE), Outcome::Repeat, start), again);
    untouched("every call so far");
    // It is all there, and spent by the first retry that it allows.
    assert_eq!(decide(within(MINUTE), Outcome::Retry, start), again);
    assert_eq!(decide(within(MINUTE), Outcome::Retry, start), Decision::Throttled);
    // A refused call does not ask its schedule.
    let mut call = UNLIMITED.call(&budget).schedule(&Unasked);
    assert_eq!(call.decide_at(Outcome::Retry, start), Decision::Throttled);
}

#[test]
fn a_schedule_that_panics_leaves_the_reserve() {
    let (budget, start) = dry(MINUTE);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut call = UNLIMITED.call(&budget).schedule(&Unasked);
        call.decide_at(Outcome::Retry, start)
    }));
    assert!(panicked.is_err());
    assert!(retries(&budget, start));
}

#[test]
fn a_suspended_budget_allows_no_retry_and_counts_as_before() {
    let budget = Budget::new(10, 0.5).one_retry_every(MINUTE);
    let start = Instant::now();
    budget.suspend();
    assert!(!retries(&budget, start));
    assert!(!retries(&budget, start + MINUTE * 5), "the reserve is suspended too");
    assert_eq!(budget.tokens(), 8.0);
    let mut call = UNLIMITED.call(&budget);
    assert!(!call.decide_at(Outcome::Repeat, start).is_final(), "a repeat is free of charge");
    assert_eq!(call.decide_at(Outcome::Success, start), Decision::Succeeded);
    assert_eq!(budget.tokens(), 8.5);
    budget.resume();
    assert!(!budget.is_suspended());
    assert!(retries(&budget, start));
    assert_eq!(budget.tokens(), 7.5, "with the tokens that there were");
}

#[test]
fn a_reset_fills_the_bucket_opens_the_reserve_and_keeps_a_suspension() {
    let (budget, start) = dry(MINUTE);
    assert!(retries(&budget, start), "by the reserve");
    budget.suspend();
    budget.reset();
    assert_eq!(budget.tokens(), 3.0);
    assert!(budget.is_suspended());
    assert!(!retries(&budget, start));
    budget.resume();
    budget.reset();
    assert!(retries(&budget, start), "by a token");
    assert!(retries(&budget, start), "by the reserve");
    assert!(!retries(&budget, start));
}

/// A budget and its reserve in the words of the contract.
struct Model {
    tokens: i64,
    max: i64,
    ratio: i64,
    every: i64,
    granted_at: Option<i64>,
    suspended: bool,
}

#[derive(Clone, Debug)]
enum Step {
    Outcome(Outcome),
    Suspend(bool),
    Reset,
}

impl Model {
    fn decide(&mut self, outcome: Outcome, now: i64) -> Decision {
        match outcome {
            Outcome::Success => {
                self.tokens = (self.tokens + self.ratio).min(self.max);
                return Decision::Succeeded;
            }
            Outcome::Stop => return Decision::Stopped,
            Outcome::RepeatIn(delay) => return Decision::Again { delay },
            _ => self.tokens = (self.tokens - 1000).max(0),
        }
        if outcome == Outcome::Fail {
            return Decision::Failed;
        }
        let by_token = 2 * self.tokens > self.max;
        let by_reserve = || self.granted_at.is_none_or(|at| (now - at).max(0) >= self.every);
        if self.suspended || !(by_token || by_reserve()) {
            return Decision::Throttled;
        }
        if !by_token {
            self.granted_at = Some(now);
        }
        Decision::Again { delay: Duration::ZERO }
    }
}

fn steps() -> impl Strategy<Value = (Step, i64)> {
    let step = prop_oneof![
        3 => Just(Step::Outcome(Outcome::Success)),
        12 => Just(Step::Outcome(AT_ONCE)),
        1 => Just(Step::Outcome(Outcome::RepeatIn(Duration::ZERO))),
        1 => Just(Step::Outcome(Outcome::Fail)),
        1 => Just(Step::Outcome(Outcome::Stop)),
        1 => any::<bool>().prop_map(Step::Suspend),
    ];
    // Time goes forwards as a rule, and backwards at times.
    let passed = prop_oneof![5 => 0..40_i64, 1 => -100..0_i64];
    (prop_oneof![20 => step, 1 => Just(Step::Reset)], passed)
}

proptest! {
    // `PROPTEST_CASES` asks for more of them.
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(500)))]

    #[test]
    fn every_step_decides_as_the_model_does_and_the_bound_holds(
        max in 3..9_u32,
        ratio in 1..1500_i64,
        every in 1..200_i64,
        steps in prop::collection::vec(steps(), 1..150),
    ) {
        let millis = |n: i64| Duration::from_millis(n.unsigned_abs());
        let budget = Budget::new(max, ratio as f64 / 1000.0).one_retry_every(millis(every));
        let full = i64::from(max) * 1000;
        let mut model =
            Model { tokens: full, max: full, ratio, every, granted_at: None, suspended: false };
        let origin = Instant::now();
        let (mut now, mut retries, mut successes) = (1_000_000_i64, 0_i64, 0_i64);
        let (mut first, mut last) = (now, now);
        for (step, passed) in steps {
            now += passed;
            (first, last) = (first.min(now), last.max(now));
            match step {
                Step::Outcome(outcome) => {
                    let at = origin + millis(now);
                    let decision = UNLIMITED.call(&budget).decide_at(outcome, at);
                    prop_assert_eq!(decision, model.decide(outcome, now));
                    retries += i64::from(!decision.is_final() && outcome.is_failure());
                    successes += i64::from(outcome == Outcome::Success);
                }
                Step::Suspend(true) => {
                    budget.suspend();
                    model.suspended = true;
                }
                Step::Suspend(false) => {
                    budget.resume();
                    model.suspended = false;
                }
                Step::Reset => {
                    budget.reset();
                    model.tokens = model.max;
                    model.granted_at = None;
                    // The bound is of the time since.
                    (retries, successes, first, last) = (0, 0, now, now);
                }
            }
            prop_assert_eq!(budget.tokens(), model.tokens as f64 / 1000.0);
            prop_assert_eq!(budget.is_suspended(), model.suspended);
            // `1000*R < 500*max + ratio*S + 1000*(1 + T/every)`, times `every`.
            let paid = 500 * i64::from(max) + ratio * successes + 1000;
            prop_assert!(1000 * retries * every < paid * every + 1000 * (last - first));
        }
    }
}

#[test]
fn threads_together_are_granted_no_more_than_the_bound() {
    let (budget, start) = dry(Duration::from_millis(10));
    let granted = AtomicU64::new(0);
    thread::scope(|scope| {
        for thread in 0..4_u64 {
            let (budget, granted) = (&budget, &granted);
            scope.spawn(move || {
                for step in 0..20_000_u64 {
                    // Two seconds, and each thread's clock a bit apart.
                    let now = start + Duration::from_micros(step * 100 + thread * 37);
                    granted.fetch_add(u64::from(retries(budget, now)), Ordering::Relaxed);
                }
            });
        }
    });
    let granted = granted.into_inner();
    assert!((1..=201).contains(&granted), "{granted} in two seconds");
}

#[cfg(feature = "tokio")]
mod on_the_clock_of_the_call {
    use std::future::ready;
    use std::sync::Mutex;

    use retry_runtime::Timer;
    use tokio::time::{Instant as TokioInstant, sleep};

    use super::*;

    /// How many seconds after the start a dry budget allowed a retry, for five minutes.
    #[tokio::test(start_paused = true)]
    async fn tokios_paused_clock() {
        let budget = Budget::new(3, 0.1).one_retry_every(MINUTE);
        empty(&budget);
        let start = TokioInstant::now();
        let mut allowed = Vec::new();
        while start.elapsed() <= MINUTE * 3 {
            let mut call = Policy::new(2).backoff(Backoff::none()).call(&budget);
            if call.again(Outcome::Retry).await {
                allowed.push(start.elapsed().as_secs());
            }
            sleep(SECOND).await;
        }
        assert_eq!(allowed, [0, 60, 120, 180]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_cancelled_call_leaves_the_reserve() {
        let budget = Budget::new(3, 0.1).one_retry_every(MINUTE);
        empty(&budget);
        let policy = Policy::new(2).backoff(Backoff::none());
        let mut call = policy.call(&budget);
        assert!(!call.again_unless(Outcome::Retry, ready(())).await);
        assert_eq!(call.decision(), Some(Decision::Cancelled));
        assert!(policy.call(&budget).again(Outcome::Retry).await);
    }

    /// A clock that only its own sleeps move.
    struct Fake {
        start: Instant,
        passed: Mutex<Duration>,
    }

    impl Timer for Fake {
        type Sleep = std::future::Ready<()>;

        fn now(&self) -> Instant {
            self.start + *self.passed.lock().unwrap()
        }

        fn sleep(&self, delay: Duration) -> Self::Sleep {
            *self.passed.lock().unwrap() += delay;
            ready(())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_timer_of_another_executor() {
        let budget = Budget::new(3, 0.1).one_retry_every(MINUTE);
        empty(&budget);
        let fake = Fake { start: Instant::now(), passed: Mutex::default() };
        let policy = Policy::new(9).backoff(Backoff::constant(SECOND * 40));
        // Waits 40 s after each retry: only every second one finds the reserve open.
        let mut call = policy.call(&budget).timer(&fake);
        assert!(call.again(Outcome::Retry).await);
        assert!(!call.again(Outcome::Retry).await);
        assert_eq!(call.decision(), Some(Decision::Throttled));
        fake.sleep(SECOND * 20).await;
        let mut call = policy.call(&budget).timer(&fake);
        assert!(call.again(Outcome::Retry).await);
        assert_eq!(*fake.passed.lock().unwrap(), SECOND * 100);
    }
}
