//! The figures of the guide on budgets, `guide/budgets.md`.

use retry_runtime::{Budget, Call, Decision, Outcome, Policy};

/// How many of `n` calls in flight are throttled when their first `k` attempts fail together.
fn throttled(n: u32, k: u32, max_tokens: u32) -> usize {
    let (budget, policy) = (Budget::new(max_tokens, 0.1), Policy::new(k + 1));
    let mut calls: Vec<Call<'_>> = (0..n).map(|_| policy.call(&budget)).collect();
    for _ in 0..k {
        calls.retain(|call| !call.decision().is_some_and(|decision| decision.is_final()));
        for call in &mut calls {
            let _ = call.decide(Outcome::Retry);
        }
    }
    let going_on = |call: &&Call<'_>| call.decision().is_some_and(|d| !d.is_final());
    n as usize - calls.iter().filter(going_on).count()
}

#[test]
fn the_table_of_calls_in_flight_is_enough_and_not_one_token_too_much() {
    for (n, one, two) in [(1, 3, 5), (8, 17, 33), (50, 101, 201), (500, 1001, 2001)] {
        for (k, max_tokens) in [(1, one), (2, two)] {
            assert_eq!(max_tokens, 2 * n * k + 1);
            assert_eq!(throttled(n, k, max_tokens), 0, "{n} calls, {k} retries");
            if max_tokens > 3 {
                assert!(throttled(n, k, max_tokens - 1) > 0, "{n} calls, {k} retries");
            }
            // What an outage costs.
            let budget = Budget::new(max_tokens, 0.1);
            let policy = Policy::unlimited();
            let retried = |_: &u32| !policy.call(&budget).decide(Outcome::Retry).is_final();
            assert_eq!((0..10 * max_tokens).filter(retried).count(), (n * k) as usize);
        }
    }
}

#[test]
fn ten_tokens_are_for_a_few_callers() {
    // One alone gets four retries, whatever `attempts` says.
    let budget = Budget::new(10, 0.1);
    let policy = Policy::new(50);
    let mut call = policy.call(&budget);
    while !call.decide(Outcome::Retry).is_final() {}
    assert_eq!((call.attempt(), call.decision()), (5, Some(Decision::Throttled)));
    // Of eight that fail together, four are throttled at once.
    assert_eq!(throttled(8, 1, 10), 4);
}

#[test]
fn a_queue_of_ten_jobs_an_hour_waits_for_six_hours() {
    let budget = Budget::new(10, 0.1);
    for _ in 0..10 {
        let _ = Policy::new(1).call(&budget).decide(Outcome::Fail);
    }
    let mut jobs = 0;
    let allows_a_retry = |budget: &Budget| budget.tokens() - 1.0 > 5.0;
    while !allows_a_retry(&budget) {
        let _ = Policy::new(1).call(&budget).decide(Outcome::Success);
        jobs += 1;
    }
    assert_eq!(jobs, 61);
    assert_eq!(jobs / 10, 6, "hours");
}
