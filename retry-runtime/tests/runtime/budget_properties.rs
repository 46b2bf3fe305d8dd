//! The token bucket against a naive model, and its bound under real threads.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use proptest::prelude::*;
use retry_runtime::{Budget, Decision, Outcome, Policy};

const UNLIMITED: Policy = Policy::unlimited();

fn decide(budget: &Budget, outcome: Outcome) -> Decision {
    UNLIMITED.call(budget).decide(outcome)
}

/// The bucket as gRFC A6 words it, one step after the other.
struct Model {
    tokens: i64,
    max: i64,
    ratio: i64,
}

impl Model {
    fn decide(&mut self, outcome: Outcome) -> Decision {
        let fail = |model: &mut Model| {
            model.tokens = (model.tokens - 1000).max(0);
            2 * model.tokens > model.max
        };
        match outcome {
            Outcome::Success => {
                self.tokens = (self.tokens + self.ratio).min(self.max);
                Decision::Succeeded
            }
            Outcome::Stop => Decision::Stopped,
            Outcome::Fail => {
                fail(self);
                Decision::Failed
            }
            Outcome::RepeatIn(delay) => Decision::Again { delay },
            _ if fail(self) => Decision::Again { delay: Duration::ZERO },
            _ => Decision::Throttled,
        }
    }
}

fn outcomes() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        4 => Just(Outcome::Success),
        5 => Just(Outcome::RetryIn(Duration::ZERO)),
        1 => Just(Outcome::RepeatIn(Duration::ZERO)),
        1 => Just(Outcome::Fail),
        1 => Just(Outcome::Stop),
    ]
}

/// Small budgets most of the time: they reach both rails.
fn sizes() -> impl Strategy<Value = u32> {
    prop_oneof![4 => 3..12_u32, 1 => 3..=Budget::TOKEN_LIMIT]
}

fn ratios() -> impl Strategy<Value = i64> {
    prop_oneof![4 => 1..3000_i64, 1 => 1..=65_536_000_i64]
}

proptest! {
    #[test]
    fn every_step_decides_and_counts_as_the_model_does(
        max in sizes(),
        ratio in ratios(),
        outcomes in prop::collection::vec(outcomes(), 1..200),
    ) {
        let budget = Budget::new(max, ratio as f64 / 1000.0);
        let full = i64::from(max) * 1000;
        let mut model = Model { tokens: full, max: full, ratio };
        let (mut retries, mut successes) = (0, 0);
        for outcome in outcomes {
            let decision = decide(&budget, outcome);
            prop_assert_eq!(decision, model.decide(outcome));
            prop_assert_eq!(budget.tokens(), model.tokens as f64 / 1000.0);
            retries += i64::from(!decision.is_final() && outcome.is_failure());
            successes += i64::from(outcome == Outcome::Success);
            prop_assert!(1000 * retries < 500 * i64::from(max) + ratio * successes);
        }
    }

    #[test]
    fn any_ratio_in_range_is_kept_to_the_nearest_thousandth(ratio in 0.001..65_536.0_f64) {
        let kept = Budget::new(3, ratio).token_ratio();
        prop_assert!((kept - ratio).abs() <= 0.000_5 + 1e-9, "{} for {}", kept, ratio);
        prop_assert_eq!(kept, (ratio * 1000.0).round() / 1000.0);
    }
}

/// A cheap fixed sequence, different for each thread.
fn mix(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

#[test]
fn threads_together_are_granted_no_more_than_the_bound() {
    const THREADS: u64 = 4;
    const STEPS: u64 = 20_000;
    for (max, ratio, failures_in_ten) in [(10, 100_u64, 2), (10, 100, 9), (3, 1, 5), (5, 1600, 6)] {
        let budget = Budget::new(max, ratio as f64 / 1000.0);
        let (retries, successes) = (AtomicU64::new(0), AtomicU64::new(0));
        thread::scope(|scope| {
            for seed in 0..THREADS {
                let (budget, retries, successes) = (&budget, &retries, &successes);
                scope.spawn(move || {
                    let mut state = seed;
                    for _ in 0..STEPS {
                        if mix(&mut state) % 10 < failures_in_ten {
                            let decision = decide(budget, Outcome::RetryIn(Duration::ZERO));
                            retries.fetch_add(u64::from(!decision.is_final()), Ordering::Relaxed);
                        } else {
                            let _ = decide(budget, Outcome::Success);
                            successes.fetch_add(1, Ordering::Relaxed);
                        }
                        assert!(budget.tokens() <= f64::from(max));
                    }
                });
            }
        });
        let (retries, successes) = (retries.into_inner(), successes.into_inner());
        assert!(
            1000 * retries < 500 * u64::from(max) + ratio * successes,
            "{retries} retries for {successes} successes with ({max}, {ratio} thousandths)"
        );
    }
}

/// Runs the same work on four threads that start together.
fn together(work: impl Fn() + Sync) {
    let start = Barrier::new(4);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                start.wait();
                work();
            });
        }
    });
}

#[test]
fn threads_away_from_the_rails_lose_no_update() {
    // A failure takes one token and two successes give it back: in any order
    // the count stays between zero and the maximum, so the sum is exact.
    let budget = Budget::new(65_536, 0.5);
    for _ in 0..30_000 {
        let _ = decide(&budget, Outcome::Fail);
    }
    together(|| {
        for _ in 0..100_000 {
            let _ = decide(&budget, Outcome::Fail);
            let _ = decide(&budget, Outcome::Success);
            let _ = decide(&budget, Outcome::Success);
        }
    });
    assert_eq!(budget.tokens(), 35_536.0);
}

#[test]
fn threads_that_all_fail_are_granted_exactly_what_one_would_be() {
    for max in [3, 4, 11, 1000, 20_001, 50_000] {
        let budget = Budget::new(max, 0.1);
        let granted = AtomicU64::new(0);
        together(|| {
            for _ in 0..max {
                let decision = decide(&budget, Outcome::RetryIn(Duration::ZERO));
                granted.fetch_add(u64::from(!decision.is_final()), Ordering::Relaxed);
            }
        });
        assert_eq!(granted.into_inner(), u64::from(max.div_ceil(2) - 1), "max_tokens {max}");
        assert_eq!(budget.tokens(), 0.0);
    }
}
