//! The token bucket: its worked numbers, its bounds and its settings.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use retry_runtime::{Budget, BudgetConfig, Decision, Outcome, Policy};

const UNLIMITED: Policy = Policy::unlimited();

/// A retryable failure: whether the budget allows a retry.
fn fail(budget: &Budget) -> bool {
    match UNLIMITED.call(budget).decide(Outcome::RetryIn(Duration::ZERO)) {
        Decision::Again { .. } => true,
        Decision::Throttled => false,
        other => panic!("{other}"),
    }
}

fn succeed(budget: &Budget) {
    assert_eq!(UNLIMITED.call(budget).decide(Outcome::Success), Decision::Succeeded);
}

fn thousandths(budget: &Budget) -> u32 {
    (budget.tokens() * 1000.0).round() as u32
}

/// Replays steps such as `F3000+ S4000 F2000-`: the operation, the thousandths
/// left after it, and whether a failure may be retried.
fn replay(budget: &Budget, steps: &str) {
    for (index, step) in steps.split_whitespace().enumerate() {
        let granted = match step.as_bytes()[0] {
            b'F' => fail(budget),
            b'S' => {
                succeed(budget);
                false
            }
            _ => panic!("{step}"),
        };
        let sign = if granted { "+" } else { "-" };
        let expected = step.trim_start_matches(['F', 'S']);
        let (tokens, grants) = match expected.strip_suffix(['+', '-']) {
            Some(tokens) => (tokens, &expected[tokens.len()..]),
            None => (expected, "-"),
        };
        assert_eq!(
            (thousandths(budget).to_string().as_str(), sign),
            (tokens, grants),
            "step {index}, {step}"
        );
    }
}

#[test]
fn a_budget_starts_full() {
    let budget = Budget::new(10, 0.1);
    assert_eq!(budget.tokens(), 10.0);
    assert_eq!(budget.max_tokens(), 10);
    assert_eq!(budget.token_ratio(), 0.1);
}

#[test]
fn failures_of_ten_tokens_are_retried_down_to_the_half_and_stop_at_zero() {
    let budget = Budget::new(10, 0.1);
    replay(&budget, "F9000+ F8000+ F7000+ F6000+ F5000- F4000- F3000- F2000- F1000- F0- F0- F0-");
}

#[test]
fn from_empty_the_half_one_token_and_a_bit_must_be_earned_first() {
    // The n-th success gives n tenths: a failure leaves more than 5 from 6.1 on.
    for (successes, granted) in [(60, false), (61, true)] {
        let budget = Budget::new(10, 0.1);
        for _ in 0..12 {
            fail(&budget);
        }
        assert_eq!(budget.tokens(), 0.0);
        for _ in 0..successes {
            succeed(&budget);
        }
        assert_eq!(thousandths(&budget), successes * 100);
        assert_eq!(fail(&budget), granted, "{successes} successes");
    }
}

#[test]
fn a_ratio_above_one_pays_for_more_than_a_retry() {
    let budget = Budget::new(4, 1.6);
    replay(
        &budget,
        "F3000+ S4000 F3000+ F2000- F1000- F0- F0- S1600 S3200 F2200+ F1200- S2800 F1800- S3400 F2400+",
    );
}

#[test]
fn more_than_half_before_the_token_is_taken_is_not_enough() {
    let budget = Budget::new(3, 0.001);
    replay(&budget, "F2000+ F1000-");
    for _ in 0..501 {
        succeed(&budget);
    }
    assert_eq!(thousandths(&budget), 1501);
    replay(&budget, "F501-");
}

#[test]
fn exactly_half_is_not_more_than_half_for_even_and_odd_sizes() {
    replay(&Budget::new(6, 1.0), "F5000+ F4000+ F3000-");
    // Half of 5 tokens is 2.5: 3 are more, 2 are not.
    replay(&Budget::new(5, 1.0), "F4000+ F3000+ F2000-");
    replay(&Budget::new(3, 0.5), "F2000+ F1000- S1500 S2000 S2500 F1500- S2000 S2500 S3000 F2000+");
}

#[test]
fn an_outage_grants_one_less_than_half_the_tokens_rounded_up() {
    for max in 3..=40 {
        let budget = Budget::new(max, 0.1);
        let granted = (0..3 * max).filter(|_| fail(&budget)).count() as u32;
        assert_eq!(granted, max.div_ceil(2) - 1, "max_tokens {max}");
    }
}

#[test]
fn a_success_never_overfills_and_a_tenth_adds_up_exactly() {
    let budget = Budget::new(10, 0.1);
    succeed(&budget);
    assert_eq!(budget.tokens(), 10.0);
    fail(&budget);
    for tenths in 1..=10 {
        succeed(&budget);
        assert_eq!(thousandths(&budget), 9000 + 100 * tenths);
    }
    succeed(&budget);
    assert_eq!(budget.tokens(), 10.0);

    let generous = Budget::new(10, 7.0);
    fail(&generous);
    succeed(&generous);
    assert_eq!(generous.tokens(), 10.0);
}

#[test]
fn the_largest_budget_counts_exactly() {
    let budget = Budget::new(Budget::TOKEN_LIMIT, f64::from(Budget::TOKEN_LIMIT));
    assert!(fail(&budget));
    assert_eq!(budget.tokens(), 65_535.0);
    succeed(&budget);
    assert_eq!(budget.tokens(), 65_536.0);
}

#[test]
fn while_a_dependency_is_down_whole_calls_fall_to_one_attempt() {
    let budget = Budget::new(10, 0.1);
    let policy = Policy::new(3);
    let calls: Vec<(u32, f64)> = (0..6)
        .map(|_| {
            let mut call = policy.call(&budget);
            while let Decision::Again { .. } = call.decide(Outcome::Retry) {}
            (call.attempt(), budget.tokens())
        })
        .collect();
    assert_eq!(calls, [(3, 7.0), (2, 5.0), (1, 4.0), (1, 3.0), (1, 2.0), (1, 1.0)]);
}

#[test]
fn the_ratio_is_rounded_to_the_nearest_thousandth() {
    for (given, kept) in [
        (0.001, 0.001),
        (0.0014, 0.001),
        (0.0016, 0.002),
        (0.1, 0.1),
        (0.5466, 0.547),
        (0.9996, 1.0),
        (1.6, 1.6),
        (65_535.999_9, 65_536.0),
        (65_536.0, 65_536.0),
    ] {
        let budget = Budget::new(10, given);
        assert_eq!(budget.token_ratio(), kept, "{given}");
        let config = BudgetConfig::new(10, given);
        assert_eq!(Budget::from_config(&config).unwrap().token_ratio(), kept, "{given}");
    }
}

#[test]
fn a_configuration_names_every_bad_field_with_its_value() {
    for max_tokens in [0, 1, 2, 65_537, u32::MAX] {
        for token_ratio in
            [0.0, -0.1, 0.000_99, 65_536.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY]
        {
            let both =
                Budget::from_config(&BudgetConfig::new(max_tokens, token_ratio)).unwrap_err();
            assert_eq!(both.fields().collect::<Vec<_>>(), ["max_tokens", "token_ratio"]);
            let text = both.to_string();
            assert!(text.contains(&format!("`max_tokens` is {max_tokens}")), "{text}");
            assert!(text.contains(&format!("`token_ratio` is {token_ratio}")), "{text}");
            assert!(text.contains("3 to 65536") && text.contains("0.001 to 65536"), "{text}");

            let ratio = BudgetConfig::new(3, token_ratio);
            let error = Budget::from_config(&ratio).unwrap_err();
            assert_eq!(error.fields().collect::<Vec<_>>(), ["token_ratio"]);
        }
        let config = BudgetConfig::new(max_tokens, 0.001);
        let error = Budget::from_config(&config).unwrap_err();
        assert_eq!(error.fields().collect::<Vec<_>>(), ["max_tokens"]);
    }
    for (max_tokens, token_ratio) in [(3, 0.001), (65_536, 65_536.0)] {
        assert!(Budget::from_config(&BudgetConfig::new(max_tokens, token_ratio)).is_ok());
    }
}

#[test]
#[should_panic(expected = "`max_tokens` must be 3 to 65536: a budget of 1 or 2 tokens")]
fn two_tokens_could_never_grant_a_retry() {
    let _ = Budget::new(2, 0.1);
}

#[test]
#[should_panic(expected = "`max_tokens` must be 3 to 65536")]
fn more_tokens_than_the_limit_are_refused() {
    let _ = Budget::new(Budget::TOKEN_LIMIT + 1, 0.1);
}

#[test]
#[should_panic(expected = "`token_ratio` must be 0.001 to 65536")]
fn a_ratio_of_zero_is_refused() {
    let _ = Budget::new(10, 0.0);
}

#[test]
#[should_panic(expected = "`token_ratio` must be 0.001 to 65536")]
fn a_ratio_that_is_not_a_number_is_refused() {
    let _ = Budget::new(10, f64::NAN);
}

#[test]
#[should_panic(expected = "`token_ratio` must be 0.001 to 65536")]
fn an_infinite_ratio_is_refused() {
    let _ = Budget::new(10, f64::INFINITY);
}

#[test]
#[should_panic(expected = "1 or 2 tokens could never grant a retry), and `token_ratio` must be")]
fn both_bad_arguments_are_named_in_one_panic() {
    let _ = Budget::new(0, -1.0);
}

#[test]
fn a_static_an_arc_and_a_lazy_lock_all_serve_as_the_budget() {
    static STATIC: Budget = Budget::new(10, 0.1);
    static LAZY: LazyLock<Budget> = LazyLock::new(|| {
        let config = BudgetConfig::new(4, 0.5);
        Budget::from_config(&config).expect("both settings are in range")
    });
    let shared = Arc::new(Budget::new(3, 0.1));

    let policy = Policy::new(2);
    let _ = policy.call(&STATIC).decide(Outcome::Retry);
    let _ = policy.call(&LAZY).decide(Outcome::Retry);
    let _ = policy.call(&shared).decide(Outcome::Retry);
    assert_eq!((STATIC.tokens(), LAZY.tokens(), shared.tokens()), (9.0, 3.0, 2.0));
}

#[test]
fn a_name_changes_nothing_else() {
    static NAMED: Budget = Budget::new(10, 0.1).named("payments");
    assert_eq!((NAMED.name(), NAMED.tokens(), NAMED.max_tokens()), (Some("payments"), 10.0, 10));
    assert_eq!(Budget::new(10, 0.1).name(), None);
    let text = format!("{NAMED:?}");
    assert!(text.contains("payments") && text.contains("tokens: 10.0"), "{text}");
}
