//! Events passed to observers.

#![cfg(feature = "tokio")]

use std::future::ready;
use std::sync::Mutex;
use std::time::Duration;

use retry_runtime::{Backoff, Budget, Decision, Event, EventKind, Outcome, Policy};
use tokio::time::{Instant, sleep};

const SECOND: Duration = Duration::from_secs(1);
const SECONDS: Policy = Policy::new(3).backoff(Backoff::linear(SECOND, Duration::from_secs(10)));

/// The parts of an event that are compared.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    kind: EventKind,
    attempt: u32,
    outcome: Outcome,
    decision: Decision,
    elapsed: Duration,
    tokens: Option<f64>,
}

fn seen(event: &Event<'_>) -> Seen {
    Seen {
        kind: event.kind,
        attempt: event.attempt,
        outcome: event.outcome,
        decision: event.decision,
        elapsed: event.elapsed,
        tokens: event.budget.map(Budget::tokens),
    }
}

fn attempt(attempt: u32, outcome: Outcome, decision: Decision, seconds: u64, tokens: f64) -> Seen {
    let elapsed = Duration::from_secs(seconds);
    Seen { kind: EventKind::Attempt, attempt, outcome, decision, elapsed, tokens: Some(tokens) }
}

#[tokio::test(start_paused = true)]
async fn every_attempt_is_told_once_with_what_was_decided() {
    let budget = Budget::new(10, 0.1);
    let events = Mutex::new(Vec::new());
    let observer = |event: &Event<'_>| events.lock().unwrap().push(seen(event));
    let mut call = SECONDS.call(&budget).observe(&observer);
    sleep(SECOND).await;
    assert!(call.again(Outcome::Retry).await);
    sleep(SECOND).await;
    assert!(call.again(Outcome::RetryAfter(SECOND * 5)).await);
    assert!(!call.again(Outcome::Success).await);
    drop(call);
    assert_eq!(
        events.into_inner().unwrap(),
        [
            attempt(1, Outcome::Retry, Decision::Again { delay: SECOND }, 1, 9.0),
            attempt(
                2,
                Outcome::RetryAfter(SECOND * 5),
                Decision::Again { delay: SECOND * 5 },
                3,
                8.0
            ),
            attempt(3, Outcome::Success, Decision::Succeeded, 8, 8.1),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn every_final_decision_is_told_with_the_attempt_that_was_the_last() {
    let low = Budget::new(3, 0.1);
    for _ in 0..2 {
        let _ = SECONDS.call(&low).decide(Outcome::Fail);
    }
    let now = Instant::now();
    let one = Policy::new(1);
    let events = Mutex::new(Vec::new());
    let observer = |event: &Event<'_>| {
        assert_eq!((event.kind, event.attempt), (EventKind::Attempt, 1));
        events.lock().unwrap().push(event.decision);
    };
    let call = || SECONDS.call_without_budget().observe(&observer);
    let _ = call().decide(Outcome::Success);
    let _ = call().decide(Outcome::Stop);
    let _ = call().decide(Outcome::Fail);
    let _ = one.call_without_budget().observe(&observer).decide(Outcome::Retry);
    let _ = SECONDS.call(&low).observe(&observer).decide(Outcome::Retry);
    let _ = call().deadline(now).decide(Outcome::Retry);
    let _ = call().again_unless(Outcome::Retry, ready(())).await;
    assert_eq!(
        *events.lock().unwrap(),
        [
            Decision::Succeeded,
            Decision::Stopped,
            Decision::Failed,
            Decision::Exhausted,
            Decision::Throttled,
            Decision::Expired,
            Decision::Cancelled,
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_is_cut_short_is_told_of_the_attempt_before_it() {
    let budget = Budget::new(10, 0.1);
    let events = Mutex::new(Vec::new());
    let observer = |event: &Event<'_>| events.lock().unwrap().push(seen(event));
    let mut call = SECONDS.call(&budget).observe(&observer);
    assert!(call.again(Outcome::Retry).await);
    assert!(!call.again_unless(Outcome::RetryIn(SECOND * 9), sleep(SECOND * 2)).await);
    drop(call);
    let outcome = Outcome::RetryIn(SECOND * 9);
    let cut = Seen { kind: EventKind::WaitCut, ..attempt(2, outcome, Decision::Cancelled, 3, 8.0) };
    assert_eq!(
        events.into_inner().unwrap(),
        [
            attempt(1, Outcome::Retry, Decision::Again { delay: SECOND }, 0, 9.0),
            attempt(2, outcome, Decision::Again { delay: SECOND * 9 }, 1, 8.0),
            cut,
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn elapsed_counts_from_the_start_of_a_call_with_a_time_limit() {
    let elapsed = Mutex::new(None);
    let observer = |event: &Event<'_>| *elapsed.lock().unwrap() = Some(event.elapsed);
    let policy = SECONDS.within(SECOND * 100);
    let call = policy.call_without_budget();
    sleep(SECOND * 2).await;
    let mut call = call.observe(&observer);
    sleep(SECOND).await;
    let _ = call.decide(Outcome::Success);
    assert_eq!(*elapsed.lock().unwrap(), Some(SECOND * 3));
}

#[test]
fn elapsed_is_measured_on_the_clock_that_the_call_is_given() {
    let elapsed = Mutex::new(Vec::new());
    let observer = |event: &Event<'_>| elapsed.lock().unwrap().push(event.elapsed);
    // No other clock is anywhere near this one, and there is no time limit.
    let start = std::time::Instant::now() + SECOND * 1_000_000;
    let mut call = SECONDS.call_without_budget().starting_at(start).observe(&observer);
    let _ = call.decide_at(Outcome::Retry, start + SECOND);
    let _ = call.decide_at(Outcome::Stop, start + SECOND * 4);
    drop(call);
    assert_eq!(elapsed.into_inner().unwrap(), [SECOND, SECOND * 4]);
}

#[test]
fn an_event_carries_the_names_of_the_call_and_of_its_budget() {
    static PAYMENTS: Budget = Budget::new(10, 0.1).named("payments");
    let names = Mutex::new(Vec::new());
    let observer = |event: &Event<'_>| {
        let budget = event.budget.and_then(Budget::name);
        names.lock().unwrap().push((event.name.to_owned(), budget));
    };
    let _ = SECONDS.call(&PAYMENTS).named("charge").observe(&observer).decide(Outcome::Stop);
    let _ = SECONDS.call_without_budget().observe(&observer).decide(Outcome::Stop);
    assert_eq!(
        names.into_inner().unwrap(),
        [("charge".to_owned(), Some("payments")), (String::new(), None)]
    );
}

#[test]
fn an_observer_that_panics_does_so_after_the_decision() {
    let budget = Budget::new(10, 0.1);
    let observer = |_: &Event<'_>| panic!("no such sink");
    let mut call = SECONDS.call(&budget).observe(&observer);
    let told =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| call.decide(Outcome::Retry)));
    assert!(told.is_err());
    assert_eq!((call.decision(), budget.tokens()), (Some(Decision::Again { delay: SECOND }), 9.0));
}

#[test]
fn an_observer_that_panics_does_not_make_a_call_endless() {
    let policy = Policy::new(2).backoff(Backoff::none());
    let observer = |_: &Event<'_>| panic!("the observer's own fault");
    let mut call = policy.call_without_budget().observe(&observer);
    let mut decisions = Vec::new();
    for _ in 0..2 {
        let told = std::panic::AssertUnwindSafe(|| call.decide(Outcome::Retry));
        assert!(std::panic::catch_unwind(told).is_err());
        decisions.push(call.decision());
    }
    let again = Decision::Again { delay: Duration::ZERO };
    assert_eq!(decisions, [Some(again), Some(Decision::Exhausted)]);
    assert_eq!(call.attempt(), 2);
}
