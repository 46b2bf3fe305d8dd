//! The fixed order in which a call decides, and what each decision costs.

use std::time::{Duration, Instant};

use retry_runtime::{Backoff, Budget, Decision, Jitter, Outcome, Policy};

const SECOND: Duration = Duration::from_secs(1);

/// The outcomes that ask for another attempt.
const RETRIES: [Outcome; 3] =
    [Outcome::Retry, Outcome::RetryAfter(SECOND), Outcome::RetryIn(SECOND)];

/// What is in the way of another attempt.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    deadline_passed: bool,
    last_attempt: bool,
    throttled: bool,
    wait_too_long: bool,
}

impl Way {
    fn all() -> impl Iterator<Item = Way> {
        (0..16_u8).map(|bits| Way {
            deadline_passed: bits & 1 != 0,
            last_attempt: bits & 2 != 0,
            throttled: bits & 4 != 0,
            wait_too_long: bits & 8 != 0,
        })
    }
}

/// The decision on the first attempt of a call, and the tokens that it cost.
fn decide(way: Way, outcome: Outcome) -> (Decision, f64) {
    // With 9 of 10 tokens a retry is allowed, with 6 it is not.
    let budget = Budget::new(10, 0.1);
    for _ in 0..(if way.throttled { 4 } else { 1 }) {
        let _ = Policy::new(1).call(&budget).decide(Outcome::Fail);
    }
    let before = budget.tokens();

    let attempts = if way.last_attempt { 1 } else { 3 };
    let policy = Policy::new(attempts).backoff(Backoff::constant(SECOND));
    let start = Instant::now();
    let left = if way.wait_too_long { SECOND } else { SECOND * 2 };
    let mut call = policy.call(&budget).starting_at(start).deadline(start + SECOND * 10 + left);
    let now = if way.deadline_passed { start + SECOND * 20 } else { start + SECOND * 10 };
    let decision = call.decide_at(outcome, now);
    // Round away what a difference of two floats adds.
    (decision, ((before - budget.tokens()) * 1000.0).round() / 1000.0)
}

#[test]
fn a_retry_is_weighed_in_a_fixed_order_and_pays_unless_time_is_up() {
    for way in Way::all() {
        let expected = match way {
            Way { deadline_passed: true, .. } => (Decision::Expired, 0.0),
            Way { last_attempt: true, .. } => (Decision::Exhausted, 1.0),
            Way { throttled: true, .. } => (Decision::Throttled, 1.0),
            Way { wait_too_long: true, .. } => (Decision::Expired, 1.0),
            _ => (Decision::Again { delay: SECOND }, 1.0),
        };
        for outcome in RETRIES {
            assert_eq!(decide(way, outcome), expected, "{outcome}, {way:?}");
        }
    }
}

#[test]
fn success_fail_and_stop_look_at_nothing_else() {
    for way in Way::all() {
        assert_eq!(decide(way, Outcome::Success), (Decision::Succeeded, -0.1), "{way:?}");
        assert_eq!(decide(way, Outcome::Stop), (Decision::Stopped, 0.0), "{way:?}");
        assert_eq!(decide(way, Outcome::Fail), (Decision::Failed, 1.0), "{way:?}");
    }
}

#[test]
fn a_success_adds_the_ratio_of_the_budget() {
    let budget = Budget::new(10, 0.25);
    let policy = Policy::new(3).backoff(Backoff::none());
    let mut call = policy.call(&budget);
    assert_eq!(call.decide(Outcome::Retry), Decision::Again { delay: Duration::ZERO });
    assert_eq!(call.decide(Outcome::Retry), Decision::Again { delay: Duration::ZERO });
    assert_eq!(call.decide(Outcome::Success), Decision::Succeeded);
    assert_eq!(budget.tokens(), 8.25);
}

#[test]
fn without_a_budget_nothing_throttles_a_call() {
    let policy = Policy::new(1000).backoff(Backoff::none());
    let mut call = policy.call_without_budget();
    while let Decision::Again { .. } = call.decide(Outcome::Retry) {}
    assert_eq!((call.attempt(), call.decision()), (1000, Some(Decision::Exhausted)));
}

#[test]
fn an_unlimited_call_is_ended_by_its_budget_alone() {
    let budget = Budget::new(100, 0.1);
    let policy = Policy::unlimited().backoff(Backoff::none());
    let mut call = policy.call(&budget);
    while let Decision::Again { .. } = call.decide(Outcome::Retry) {}
    assert_eq!((call.attempt(), call.decision()), (50, Some(Decision::Throttled)));
    assert_eq!(budget.tokens(), 50.0);
}

#[test]
fn a_servers_delay_is_a_floor_or_exact_and_adds_no_attempt() {
    let policy = Policy::new(3).backoff(Backoff::linear(SECOND * 2, SECOND * 10));
    let floors = [
        (Outcome::RetryAfter(SECOND), SECOND * 2),
        (Outcome::RetryAfter(SECOND * 7), SECOND * 7),
        (Outcome::RetryAfter(Duration::ZERO), SECOND * 2),
        (Outcome::RetryAfter(Duration::MAX), Duration::MAX),
        (Outcome::RetryIn(SECOND), SECOND),
        (Outcome::RetryIn(SECOND * 7), SECOND * 7),
        (Outcome::RetryIn(Duration::ZERO), Duration::ZERO),
        (Outcome::RetryIn(Duration::MAX), Duration::MAX),
    ];
    for (outcome, delay) in floors {
        let mut call = policy.call_without_budget();
        assert_eq!(call.decide(outcome), Decision::Again { delay }, "{outcome}");
        assert!(!call.decide(outcome).is_final());
        assert_eq!(call.decide(outcome), Decision::Exhausted);
        assert_eq!(call.attempt(), 3);
    }
}

#[test]
fn added_jitter_comes_on_top_of_the_servers_floor() {
    // The first output of SplitMix64 for the seed 0 is 0.8833 of its range, and
    // the range is as long as the floor here.
    let backoff = Backoff::constant(SECOND).jitter(Jitter::Add(1.0)).seed(0);
    let policy = Policy::new(2).backoff(backoff);
    let decision = policy.call_without_budget().decide(Outcome::RetryAfter(SECOND * 3));
    let Decision::Again { delay } = decision else { panic!("{decision}") };
    assert_eq!(delay.as_millis(), 3000 + 2649);
}

#[test]
fn an_exact_delay_starts_the_schedule_over_and_an_exact_repeat_leaves_it_alone() {
    let policy = Policy::new(8).backoff(Backoff::linear(SECOND, SECOND * 10));
    let mut call = policy.call_without_budget();
    let outcomes = [
        (Outcome::Retry, SECOND),
        (Outcome::RetryIn(Duration::ZERO), Duration::ZERO),
        (Outcome::RetryAfter(SECOND), SECOND),
        (Outcome::Repeat, SECOND * 2),
        (Outcome::RepeatIn(Duration::ZERO), Duration::ZERO),
        (Outcome::RepeatAfter(Duration::ZERO), SECOND * 3),
        (Outcome::Retry, SECOND * 4),
    ];
    for (outcome, delay) in outcomes {
        assert_eq!(call.decide(outcome), Decision::Again { delay });
    }
}

#[test]
fn a_wait_may_end_before_the_deadline_and_not_at_it() {
    let nanosecond = Duration::from_nanos(1);
    let start = Instant::now();
    for (delay, expected) in [
        (SECOND - nanosecond, Decision::Again { delay: SECOND - nanosecond }),
        (SECOND, Decision::Expired),
        (SECOND + nanosecond, Decision::Expired),
        (Duration::MAX, Decision::Expired),
    ] {
        for outcome in [Outcome::Retry, Outcome::RetryIn(delay), Outcome::RetryAfter(delay)] {
            let budget = Budget::new(10, 0.1);
            let policy = Policy::new(3).backoff(Backoff::constant(delay)).within(SECOND);
            let mut call = policy.call(&budget).starting_at(start);
            assert_eq!(call.decide_at(outcome, start), expected, "{outcome}");
            assert_eq!(budget.tokens(), 9.0, "the token is paid before the wait is known");
        }
    }
}

#[test]
fn a_deadline_has_passed_at_its_own_instant() {
    let start = Instant::now();
    let nanosecond = Duration::from_nanos(1);
    let policy = Policy::new(3).backoff(Backoff::none()).within(SECOND);
    for (now, expected, tokens) in [
        (start + SECOND - nanosecond, Decision::Again { delay: Duration::ZERO }, 9.0),
        (start + SECOND, Decision::Expired, 10.0),
        (start + SECOND * 1000, Decision::Expired, 10.0),
    ] {
        let budget = Budget::new(10, 0.1);
        let mut call = policy.call(&budget).starting_at(start);
        assert_eq!(call.decide_at(Outcome::Retry, now), expected);
        assert_eq!(budget.tokens(), tokens);
    }
}

#[test]
fn of_a_limit_and_a_deadline_the_earlier_counts() {
    let start = Instant::now();
    for (within, deadline) in [(SECOND, SECOND * 5), (SECOND * 5, SECOND)] {
        let policy = Policy::new(9).backoff(Backoff::none()).within(within);
        let call = || policy.call_without_budget().starting_at(start).deadline(start + deadline);
        let just_before = start + SECOND - Duration::from_millis(1);
        assert!(!call().decide_at(Outcome::Retry, just_before).is_final());
        assert_eq!(call().decide_at(Outcome::Retry, start + SECOND), Decision::Expired);
    }
    // Of two deadlines too.
    for (first, second) in [(SECOND, SECOND * 5), (SECOND * 5, SECOND)] {
        let policy = Policy::new(9).backoff(Backoff::none());
        let mut call = policy
            .call_without_budget()
            .starting_at(start)
            .deadline(start + first)
            .deadline(start + second);
        assert_eq!(call.decide_at(Outcome::Retry, start + SECOND), Decision::Expired);
    }
}

#[test]
fn a_limit_that_no_clock_can_express_is_no_limit() {
    let policy = Policy::new(2).backoff(Backoff::none()).within(Duration::MAX);
    let mut call = policy.call_without_budget();
    assert_eq!(call.remaining(), None);
    assert!(!call.decide(Outcome::Retry).is_final());
}

#[test]
fn a_limit_of_zero_allows_one_attempt_and_takes_no_token() {
    let budget = Budget::new(10, 0.1);
    let policy = Policy::new(5).within(Duration::ZERO);
    let mut call = policy.call(&budget);
    assert_eq!(call.decide(Outcome::Retry), Decision::Expired);
    assert_eq!((call.attempt(), budget.tokens()), (1, 10.0));
}

#[test]
fn decisions_and_outcomes_have_bounded_names_and_tell_their_delay() {
    let delay = Duration::from_millis(250);
    let decisions = [
        (Decision::Again { delay }, "again", "again in 250ms"),
        (Decision::Succeeded, "succeeded", "succeeded"),
        (Decision::Stopped, "stopped", "stopped"),
        (Decision::Exhausted, "exhausted", "exhausted"),
        (Decision::Throttled, "throttled", "throttled"),
        (Decision::Expired, "expired", "expired"),
        (Decision::Cancelled, "cancelled", "cancelled"),
    ];
    for (decision, name, text) in decisions {
        assert_eq!((decision.as_str(), decision.to_string().as_str()), (name, text));
        assert_eq!(decision.is_final(), name != "again");
    }
    let outcomes = [
        (Outcome::Success, "success", "success"),
        (Outcome::Retry, "retry", "retry"),
        (Outcome::RetryAfter(delay), "retry_after", "retry_after(250ms)"),
        (Outcome::RetryIn(delay), "retry_in", "retry_in(250ms)"),
        (Outcome::Fail, "fail", "fail"),
        (Outcome::Stop, "stop", "stop"),
    ];
    for (outcome, name, text) in outcomes {
        assert_eq!((outcome.as_str(), outcome.to_string().as_str()), (name, text));
        assert_eq!(outcome.asks_again(), name.starts_with("retry"));
    }
}
