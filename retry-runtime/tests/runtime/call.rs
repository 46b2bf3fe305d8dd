//! The state of one call: numbers, clocks, mistakes in the loop, and panics.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use retry_runtime::{Backoff, Budget, Call, Decision, Outcome, Policy, Schedule};

const SECOND: Duration = Duration::from_secs(1);
const AT_ONCE: Policy = Policy::new(4).backoff(Backoff::none());

#[test]
fn attempts_are_numbered_from_one_and_keep_the_last_number_at_the_end() {
    let mut call = AT_ONCE.call_without_budget();
    assert_eq!((call.attempt(), call.decision()), (1, None));
    for next in 2..=4 {
        let again = Decision::Again { delay: Duration::ZERO };
        assert_eq!(call.decide(Outcome::Retry), again);
        assert_eq!((call.attempt(), call.decision()), (next, Some(again)));
    }
    assert_eq!(call.decide(Outcome::Retry), Decision::Exhausted);
    assert_eq!((call.attempt(), call.decision()), (4, Some(Decision::Exhausted)));
}

#[test]
fn a_success_after_failures_tells_how_many_attempts_it_took() {
    let mut call = AT_ONCE.call_without_budget();
    let _ = call.decide(Outcome::Retry);
    assert_eq!(call.decide(Outcome::Success), Decision::Succeeded);
    assert_eq!(call.attempt(), 2);
}

#[test]
fn the_schedule_is_asked_for_the_number_of_the_attempt_that_failed() {
    let asked = std::sync::Mutex::new(Vec::new());
    let schedule = |attempt: u32| {
        asked.lock().unwrap().push(attempt);
        SECOND * attempt
    };
    let mut call = AT_ONCE.call_without_budget().schedule(&schedule);
    for attempt in 1..=3 {
        assert_eq!(call.decide(Outcome::Retry), Decision::Again { delay: SECOND * attempt });
    }
    assert_eq!(call.decide(Outcome::Retry), Decision::Exhausted);
    drop(call);
    assert_eq!(asked.into_inner().unwrap(), [1, 2, 3]);
}

#[test]
fn the_schedule_is_asked_only_when_another_attempt_may_follow() {
    let asked = AtomicU32::new(0);
    let schedule = |_: u32| {
        asked.fetch_add(1, Ordering::Relaxed);
        SECOND
    };
    let empty = Budget::new(3, 0.001);
    for _ in 0..3 {
        let _ = AT_ONCE.call(&empty).decide(Outcome::Fail);
    }
    let start = Instant::now();
    let call = || AT_ONCE.call_without_budget().schedule(&schedule);
    let _ = call().decide(Outcome::Success);
    let _ = call().decide(Outcome::Stop);
    let _ = call().decide(Outcome::Fail);
    let _ = call().decide(Outcome::RetryIn(SECOND));
    let _ = call().deadline(start).decide_at(Outcome::Retry, start);
    let _ = AT_ONCE.call(&empty).schedule(&schedule).decide(Outcome::Retry);
    let _ = Policy::new(1).call_without_budget().schedule(&schedule).decide(Outcome::Retry);
    assert_eq!(asked.load(Ordering::Relaxed), 0);
    let _ = call().decide(Outcome::RetryAfter(SECOND * 3));
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

/// A schedule that adds its own to a server's floor, or ignores it.
struct Floored {
    extra: Option<Duration>,
}

impl Schedule for Floored {
    fn delay(&self, attempt: u32) -> Duration {
        SECOND * attempt
    }

    fn delay_at_least(&self, attempt: u32, floor: Duration) -> Duration {
        self.extra.map_or(self.delay(attempt), |extra| floor + extra)
    }
}

#[test]
fn a_schedule_may_weigh_the_servers_floor_itself_but_not_undercut_it() {
    let (extra, floor) = (Duration::from_millis(5), SECOND * 3);
    for (schedule, delay) in
        [(Floored { extra: Some(extra) }, floor + extra), (Floored { extra: None }, floor)]
    {
        let mut call = AT_ONCE.call_without_budget().schedule(&schedule);
        assert_eq!(call.decide(Outcome::RetryAfter(floor)), Decision::Again { delay });
        assert_eq!(call.decide(Outcome::Retry), Decision::Again { delay: SECOND * 2 });
    }
}

#[test]
fn a_schedule_that_panics_does_so_after_the_token_and_passes_through() {
    let budget = Budget::new(10, 0.1);
    let broken = |_: u32| -> Duration { panic!("no such row") };
    let mut call = AT_ONCE.call(&budget).schedule(&broken);
    let panic = catch_unwind(AssertUnwindSafe(|| call.decide(Outcome::Retry))).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"no such row"));
    assert_eq!((budget.tokens(), call.attempt(), call.decision()), (9.0, 1, None));
}

#[test]
fn to_ask_again_after_any_final_decision_panics_with_a_sentence() {
    let start = Instant::now();
    let mut ended: Vec<Call<'_>> = Vec::new();
    let budget = Budget::new(3, 0.1);
    for outcome in [Outcome::Success, Outcome::Stop, Outcome::Fail] {
        let mut call = AT_ONCE.call_without_budget();
        assert!(call.decide(outcome).is_final());
        ended.push(call);
    }
    let mut expired = AT_ONCE.call_without_budget().deadline(start);
    assert_eq!(expired.decide_at(Outcome::Retry, start), Decision::Expired);
    ended.push(expired);
    for _ in 0..2 {
        let _ = AT_ONCE.call(&budget).decide(Outcome::Fail);
    }
    let mut throttled = AT_ONCE.call(&budget);
    assert_eq!(throttled.decide(Outcome::Retry), Decision::Throttled);
    ended.push(throttled);

    let tokens = budget.tokens();
    for mut call in ended {
        let decision = call.decision().unwrap();
        for outcome in [Outcome::Success, Outcome::Retry, Outcome::Stop, Outcome::Fail] {
            let panic = catch_unwind(AssertUnwindSafe(|| call.decide(outcome))).unwrap_err();
            let text = panic.downcast_ref::<String>().expect("the panic has a sentence");
            assert!(
                text.contains("asked again after the call had ended")
                    && text.contains(decision.as_str()),
                "{text}"
            );
        }
        assert_eq!(call.decision(), Some(decision));
    }
    assert_eq!(budget.tokens(), tokens, "a mistake in the loop costs nothing");
}

#[test]
fn the_panic_points_at_the_loop_that_made_the_mistake() {
    thread_local!(static LINE: Cell<Option<(bool, u32)>> = const { Cell::new(None) });
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|panic| {
        let here = |at: &std::panic::Location<'_>| (at.file().ends_with("call.rs"), at.line());
        LINE.set(panic.location().map(here));
    }));
    let mut call = AT_ONCE.call_without_budget();
    let _ = call.decide(Outcome::Stop);
    let line = line!() + 1;
    let asked = catch_unwind(AssertUnwindSafe(|| call.decide(Outcome::Stop)));
    std::panic::set_hook(hook);
    assert!(asked.is_err());
    assert_eq!(LINE.get(), Some((true, line)));
}

#[test]
fn deadlines_and_times_are_stds_or_tokios() {
    let start = Instant::now();
    let tokio_start = tokio::time::Instant::from_std(start);
    let mut std_call = AT_ONCE.call_without_budget().starting_at(start).deadline(start + SECOND);
    let mut tokio_call =
        AT_ONCE.call_without_budget().starting_at(tokio_start).deadline(tokio_start + SECOND);
    assert_eq!(
        std_call.decide_at(Outcome::RetryIn(SECOND / 2), tokio_start),
        Decision::Again { delay: SECOND / 2 }
    );
    assert_eq!(tokio_call.decide_at(Outcome::RetryIn(SECOND), start), Decision::Expired);
}

#[test]
fn a_clock_of_ones_own_drives_a_whole_call() {
    // An executor's clock that no other clock knows of.
    let mut now = Instant::now() + Duration::from_secs(3600);
    let budget = Budget::new(10, 0.1);
    let policy = Policy::new(9).backoff(Backoff::linear(SECOND, SECOND * 10)).within(SECOND * 10);
    let mut call = policy.call(&budget).starting_at(now);
    let mut waits = Vec::new();
    let end = loop {
        match call.decide_at(Outcome::Retry, now) {
            Decision::Again { delay } => {
                waits.push(delay);
                now += delay;
            }
            decision => break decision,
        }
    };
    // 1 + 2 + 3 seconds; a fourth wait would end at the limit itself.
    assert_eq!(waits, [SECOND, SECOND * 2, SECOND * 3]);
    assert_eq!((end, call.attempt(), budget.tokens()), (Decision::Expired, 4, 6.0));
}

#[test]
fn dropping_a_call_anywhere_holds_nothing_of_the_budget() {
    let budget = Budget::new(10, 0.1);
    drop(AT_ONCE.call(&budget));
    assert_eq!(budget.tokens(), 10.0);
    let mut call = AT_ONCE.call(&budget);
    assert!(!call.decide(Outcome::Retry).is_final());
    drop(call);
    assert_eq!(budget.tokens(), 9.0, "only the failure itself was counted");
}

#[test]
fn calls_at_once_share_the_budget_and_nothing_else() {
    let budget = Budget::new(10, 0.1);
    let (long, short) = (Policy::new(9).backoff(Backoff::none()), AT_ONCE);
    let (mut first, mut second) = (long.call(&budget), short.call(&budget));
    assert!(!first.decide(Outcome::Retry).is_final());
    assert!(!second.decide(Outcome::Retry).is_final());
    assert!(!first.decide(Outcome::Retry).is_final());
    assert_eq!((first.attempt(), second.attempt()), (3, 2));
    assert!(!second.decide(Outcome::Retry).is_final());
    assert_eq!(first.decide(Outcome::Retry), Decision::Throttled);
    assert_eq!((second.attempt(), budget.tokens()), (3, 5.0));
}

#[test]
fn a_call_tells_its_state_for_debugging() {
    let policy = AT_ONCE;
    let mut call = policy.call_without_budget().named("payments.charge");
    let _ = call.decide(Outcome::Stop);
    let text = format!("{call:?}");
    assert!(text.contains("payments.charge") && text.contains("Stopped"), "{text}");
}
