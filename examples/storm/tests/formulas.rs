//! The closed formulas of the budget, and of what stands on it: the switch at
//! `r / (1 + r)`, layers of services, and a load just above what a server accepts.

use retry_runtime::{Budget, Decision, Outcome, Policy};
use retry_storm::Budgets;
use retry_storm::climb::Climb;
use retry_storm::layers::Layers;

/// Attempts that fail independently with the same chance, drawn by an explicit
/// generator (SplitMix64), so that the figures are the same everywhere.
struct Failures {
    state: u64,
    /// Of 2^64.
    chance: u64,
}

impl Failures {
    fn new(share: f64) -> Failures {
        Failures { state: 1, chance: (share * 2_f64.powi(64)) as u64 }
    }

    fn next(&mut self) -> Outcome {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        if mixed ^ (mixed >> 31) < self.chance { Outcome::Retry } else { Outcome::Success }
    }
}

/// Retries for each call, and the share of the calls that succeed.
fn steady(max: u32, ratio: f64, attempts: u32, share: f64) -> (f64, f64) {
    const CALLS: u32 = 200_000;
    let budget = Budget::new(max, ratio);
    let policy = Policy::new(attempts);
    let mut failures = Failures::new(share);
    let (mut retries, mut successes) = (0, 0);
    for _ in 0..CALLS {
        let mut call = policy.call(&budget);
        loop {
            match call.decide(failures.next()) {
                Decision::Again { .. } => retries += 1,
                decision => {
                    successes += u32::from(decision == Decision::Succeeded);
                    break;
                }
            }
        }
    }
    (f64::from(retries) / f64::from(CALLS), f64::from(successes) / f64::from(CALLS))
}

fn assert_near(actual: f64, expected: f64, within: f64, what: &str) {
    assert!((actual - expected).abs() <= within, "{actual} is not {expected}: {what}");
}

#[test]
fn below_the_critical_share_calls_retry_as_if_there_were_no_budget() {
    // A budget of 100 switches sharply; the critical share of 0.1 is 9.09 %.
    for p in [0.01, 0.05, 0.08] {
        let (retries, successes) = steady(100, 0.1, 3, p);
        assert_near(retries, (p - p.powi(3)) / (1.0 - p), 0.002, &format!("retries at {p}"));
        assert_near(successes, 1.0 - p.powi(3), 0.001, &format!("successes at {p}"));
    }
}

#[test]
fn above_the_critical_share_calls_make_one_attempt() {
    for p in [0.12, 0.2, 0.5, 1.0] {
        let (retries, successes) = steady(100, 0.1, 3, p);
        assert_near(retries, 0.0, 0.001, &format!("retries at {p}"));
        assert_near(successes, 1.0 - p, 0.004, &format!("successes at {p}"));
    }
}

#[test]
fn the_switch_is_at_r_of_one_plus_r() {
    for ratio in [0.02, 0.1, 0.5, 1.0] {
        let critical = ratio / (1.0 + ratio);
        let granted = |share: f64| steady(200, ratio, 2, share).0 / share;
        assert!(granted(0.9 * critical) > 0.95, "ratio {ratio}");
        // It takes a while until the bucket is down to its half.
        assert!(granted(1.2 * critical) < 0.2, "ratio {ratio}");
    }
}

#[test]
fn in_the_long_run_the_load_stays_below_one_plus_the_ratio() {
    for (max, ratio, attempts) in [(10, 0.1, 3), (100, 0.1, 4), (10, 0.2, 3), (10, 1.0, 3)] {
        for share in [0.03, 0.07, 0.09, 0.12, 0.16, 0.2, 0.4, 0.5, 0.6, 1.0] {
            let (retries, _) = steady(max, ratio, attempts, share);
            // The worst of all shares, and the first burst.
            let n = attempts as i32;
            let worst = ratio - ratio.powi(n) / (1.0 + ratio).powi(n - 1);
            assert!(retries < worst + 0.002, "{retries} at {share} with {max} and {ratio}");
        }
    }
}

/// The exact values of the Markov chain of `Budget::new(10, 0.1)` and 3 attempts. Near
/// the critical share the bucket forgets slowly, hence the tolerance.
#[test]
fn a_small_budget_refuses_some_retries_before_the_critical_share() {
    for (p, retries, successes) in [
        (0.01, 0.0101, 1.0),
        (0.05, 0.05198, 0.99938),
        (0.08, 0.06005, 0.97525),
        (0.1, 0.02027, 0.91824),
        (0.12, 0.00303, 0.88267),
        (0.2, 0.0, 0.8),
    ] {
        let (measured, succeeded) = steady(10, 0.1, 3, p);
        assert_near(measured, retries, 0.006, &format!("retries at {p}"));
        assert_near(succeeded, successes, 0.006, &format!("successes at {p}"));
    }
}

const OUTAGE: Layers =
    Layers { layers: 3, attempts: 3, budgets: None, calls: 1000, fails_every: 1 };

#[test]
fn without_budgets_layers_multiply_their_attempts() {
    assert_eq!(OUTAGE.attempts_at_the_dependency(), 27_000);
    assert_eq!(Layers { attempts: 4, ..OUTAGE }.amplification(), 64.0);
    assert_eq!(Layers { layers: 5, ..OUTAGE }.amplification(), 243.0);
}

#[test]
fn with_budgets_layers_add_the_burst_of_each() {
    let budgets = Some(Budgets::new(10, 0.1));
    for (layers, attempts, expected) in [(3, 3, 1.009), (3, 4, 1.009), (5, 3, 1.015)] {
        let stack = Layers { layers, attempts, budgets, ..OUTAGE };
        let amplification = stack.amplification();
        assert_near(amplification, expected, 0.0005, &format!("{stack:?}"));
        // One burst of ceil(10 / 2) - 1 retries in each layer.
        assert!(amplification <= 1.0 + 4.0 * layers as f64 / 1000.0, "{stack:?}");
    }
}

#[test]
fn budgets_in_layers_cost_a_healthy_dependency_nothing() {
    // Every twentieth attempt fails, so one in nineteen calls makes another.
    let healthy = Layers { fails_every: 20, ..OUTAGE };
    let with_budgets = Layers { budgets: Some(Budgets::new(10, 0.1)), ..healthy };
    assert_eq!(healthy.attempts_at_the_dependency(), with_budgets.attempts_at_the_dependency(),);
    assert_near(healthy.amplification(), 20.0 / 19.0, 0.001, "one retry in nineteen calls");
}

const CLIMB: Climb =
    Climb { load: 10_100, accepted: 10_000, policy: Policy::unlimited(), budget: None };

#[test]
fn without_a_limit_the_requests_above_the_capacity_pile_up_for_ever() {
    let requests = CLIMB.requests(60);
    let expected: Vec<u64> = (0..60).map(|second| 10_100 + 100 * second).collect();
    assert_eq!(requests, expected);
}

#[test]
fn a_number_of_attempts_ends_the_climb_where_as_many_calls_end_as_begin() {
    // 10 100 * (1 - f^3) = 10 000 for the share f that fails.
    let failing = (1.0 / 101.0_f64).cbrt();
    let settled = 10_000.0 / (1.0 - failing);
    let last = *Climb { policy: Policy::new(3), ..CLIMB }.requests(150).last().unwrap();
    assert_near(last as f64, settled, 20.0, "requests in a second");
}

#[test]
fn a_budget_turns_the_climb_around_at_one_plus_its_ratio() {
    for max in [10, 100] {
        let requests = Climb { budget: Some((max, 0.1)), ..CLIMB }.requests(300);
        let peak = *requests.iter().max().unwrap();
        // One step of 100 and the burst above 10 000 * (1 + 0.1).
        let ceiling = 11_000 + 100 + u64::from(max) / 2;
        assert!((11_000..=ceiling).contains(&peak), "{peak} with {max}");
        assert!(requests[11..].iter().any(|requests| *requests < 10_500), "{max}");
    }
}
