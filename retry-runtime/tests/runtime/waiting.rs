//! Waiting between attempts, under tokio's paused clock: what was decided, no
//! more and no less.

#![cfg(feature = "tokio")]

use std::cell::Cell;
use std::future::{Future, pending};
use std::pin::pin;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use retry_runtime::{Backoff, Budget, Decision, Outcome, Policy, Retrier};
use tokio::time::{Instant, advance, sleep};

const SECOND: Duration = Duration::from_secs(1);
const SECONDS: Policy = Policy::new(4).backoff(Backoff::linear(SECOND, Duration::from_secs(10)));
const AT_ONCE: Policy = Policy::new(4).backoff(Backoff::none());

#[tokio::test(start_paused = true)]
async fn again_waits_exactly_what_it_decided() {
    let start = Instant::now();
    let mut call = SECONDS.call_without_budget();
    let mut elapsed = Vec::new();
    while call.again(Outcome::Retry).await {
        elapsed.push(start.elapsed());
    }
    assert_eq!(elapsed, [SECOND, SECOND * 3, SECOND * 6]);
    assert_eq!(start.elapsed(), SECOND * 6, "the last attempt waits for nothing");
    assert_eq!((call.attempt(), call.decision()), (4, Some(Decision::Exhausted)));
}

#[tokio::test(start_paused = true)]
async fn again_waits_the_servers_delay() {
    let start = Instant::now();
    let mut call = SECONDS.call_without_budget();
    assert!(call.again(Outcome::RetryAfter(SECOND * 5)).await);
    assert_eq!(start.elapsed(), SECOND * 5);
    assert!(call.again(Outcome::RetryIn(SECOND)).await);
    assert_eq!(start.elapsed(), SECOND * 6);
}

#[tokio::test(start_paused = true)]
async fn a_seeded_full_jitter_is_waited_to_the_millisecond() {
    let backoff = Backoff::exponential(SECOND, SECOND * 8).seed(42);
    let policy = Policy::new(5).backoff(backoff);
    let mut call = policy.call_without_budget();
    for attempt in 1..5 {
        let start = Instant::now();
        assert!(call.again(Outcome::Retry).await);
        let waited = start.elapsed();
        let delay = retry_runtime::Schedule::delay(&backoff, attempt);
        // The timer's step is a millisecond, rounded up.
        assert!(delay <= waited && waited <= delay + Duration::from_millis(1), "{waited:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_final_decision_returns_at_once() {
    let start = Instant::now();
    for outcome in [Outcome::Success, Outcome::Stop, Outcome::Fail] {
        assert!(!SECONDS.call_without_budget().again(outcome).await);
    }
    // A wait that would end at the deadline is not begun.
    let mut call = SECONDS.call_without_budget().deadline(start + SECOND);
    assert!(!call.again(Outcome::Retry).await);
    assert_eq!(call.decision(), Some(Decision::Expired));
    assert_eq!(start.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_time_limit_counts_from_the_start_of_the_call_on_tokios_clock() {
    let policy = SECONDS.within(SECOND * 5);
    let start = Instant::now();
    let mut call = policy.call_without_budget();
    assert_eq!(call.remaining(), Some(SECOND * 5));
    advance(SECOND).await;
    assert_eq!(call.remaining(), Some(SECOND * 4));
    assert!(call.again(Outcome::Retry).await);
    assert_eq!(call.remaining(), Some(SECOND * 3));
    assert!(call.again(Outcome::Retry).await);
    assert_eq!(call.remaining(), Some(SECOND));
    // The third wait, of 3 seconds, would end after the limit.
    assert!(!call.again(Outcome::Retry).await);
    assert_eq!((call.decision(), start.elapsed()), (Some(Decision::Expired), SECOND * 4));
    advance(SECOND * 2).await;
    assert_eq!(call.remaining(), Some(Duration::ZERO));
}

/// tokio's timer rounds up to a millisecond.
#[tokio::test(start_paused = true)]
async fn no_attempt_starts_at_the_limit_because_a_timer_is_coarse() {
    for (micros, again) in [(998_999, true), (999_000, true), (999_500, false), (999_999, false)] {
        let budget = Budget::new(10, 0.1);
        let wait = Backoff::constant(Duration::from_micros(micros));
        let policy = Policy::new(2).backoff(wait).within(SECOND);
        let (start, mut call) = (Instant::now(), policy.call(&budget));
        assert_eq!(call.again(Outcome::Retry).await, again, "{micros} \u{b5}s");
        assert!(start.elapsed() < SECOND, "{micros} \u{b5}s");
        if !again {
            assert_eq!(call.decision(), Some(Decision::Expired));
            assert_eq!((start.elapsed(), budget.tokens()), (Duration::ZERO, 9.0));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_outlasts_the_deadline_ends_the_call_without_a_token() {
    let budget = Budget::new(10, 0.1);
    let policy = AT_ONCE.within(SECOND);
    let mut call = policy.call(&budget);
    sleep(SECOND * 3).await;
    assert!(!call.again(Outcome::Retry).await);
    assert_eq!((call.decision(), budget.tokens()), (Some(Decision::Expired), 10.0));
}

#[tokio::test(start_paused = true)]
async fn remaining_is_none_without_a_limit_and_follows_a_deadline() {
    assert_eq!(AT_ONCE.call_without_budget().remaining(), None);
    let call = AT_ONCE.call_without_budget().deadline(Instant::now() + SECOND * 2);
    advance(SECOND).await;
    assert_eq!(call.remaining(), Some(SECOND));
}

#[test]
fn a_zero_wait_yields_once_and_needs_no_timer() {
    // A runtime without a time driver: a timer would panic.
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let mut call = AT_ONCE.call_without_budget();
        assert!(call.again(Outcome::Retry).await);
        assert!(call.again_unless(Outcome::RetryIn(Duration::ZERO), pending::<()>()).await);
    });
    // And no runtime at all.
    let mut call = AT_ONCE.call_without_budget();
    let mut wait = pin!(call.again(Outcome::Retry));
    assert_eq!(poll(wait.as_mut()), Poll::Pending);
    assert_eq!(poll(wait.as_mut()), Poll::Ready(true));
}

#[tokio::test(start_paused = true)]
async fn a_zero_wait_lets_other_tasks_run_and_takes_no_time() {
    let start = Instant::now();
    let turns = Rc::new(Cell::new(0));
    let local = tokio::task::LocalSet::new();
    local
        .run_until(async {
            let other = Rc::clone(&turns);
            tokio::task::spawn_local(async move {
                loop {
                    other.set(other.get() + 1);
                    tokio::task::yield_now().await;
                }
            });
            let policy = Policy::new(50).backoff(Backoff::none());
            let mut call = policy.call_without_budget();
            while call.again(Outcome::Retry).await {}
        })
        .await;
    assert!(turns.get() >= 49, "{} turns", turns.get());
    assert_eq!(start.elapsed(), Duration::ZERO);
}

#[test]
fn a_thread_waits_without_a_runtime() {
    let budget = Budget::new(10, 0.1);
    let policy = Policy::new(3).backoff(Backoff::constant(Duration::from_millis(20)));
    let mut call = policy.call(&budget);
    let start = std::time::Instant::now();
    assert!(call.again_blocking(Outcome::Retry));
    assert!(call.again_blocking(Outcome::Retry));
    assert!(start.elapsed() >= Duration::from_millis(40), "both waits were waited");
    assert!(!call.again_blocking(Outcome::Retry));
    assert_eq!((call.attempt(), budget.tokens()), (3, 7.0));
    assert_eq!(call.decision(), Some(Decision::Exhausted));

    let mut at_once = AT_ONCE.call_without_budget();
    assert!(at_once.again_blocking(Outcome::Retry));
    assert!(!at_once.again_blocking(Outcome::Success));
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "asked again after the call had ended (succeeded)")]
async fn again_after_a_final_decision_panics() {
    let mut call = AT_ONCE.call_without_budget();
    assert!(!call.again(Outcome::Success).await);
    call.again(Outcome::Retry).await;
}

#[test]
fn the_futures_of_a_wait_can_move_between_threads() {
    fn sendable<T: Send>(value: T) -> T {
        value
    }
    static BUDGET: LazyLock<Budget> = LazyLock::new(|| Budget::new(10, 0.1));
    let schedule = |_: u32| SECOND;
    let observer = |_: &retry_runtime::Event<'_>| {};
    let mut call = AT_ONCE.call(&BUDGET).schedule(&schedule).observe(&observer);
    drop(sendable(call.again(Outcome::Retry)));
    drop(sendable(call.again_unless(Outcome::Retry, pending::<()>())));
    drop(sendable(call));

    // A whole call by hand, on a task of a runtime.
    let shared = Arc::new(Budget::new(10, 0.1));
    drop(sendable(async move {
        let retrier = Retrier::new(AT_ONCE, shared, |_: &Result<(), u8>| Outcome::Retry);
        let mut call = retrier.call();
        loop {
            let result: Result<(), u8> = Err(1);
            if !call.again(retrier.classify(&result)).await {
                break result;
            }
        }
    }));
}

#[tokio::test(start_paused = true)]
async fn the_longest_wait_there_is_waits_without_a_panic() {
    let policy = Policy::new(2).backoff(Backoff::constant(Duration::MAX));
    let mut call = policy.call_without_budget();
    assert!(!call.again_unless(Outcome::Retry, sleep(SECOND * 3600 * 24 * 365)).await);
    assert_eq!(call.decision(), Some(Decision::Cancelled));
}

#[tokio::test(start_paused = true)]
async fn a_wait_of_years_ends_when_it_should() {
    // The wheel of tokio's timer spans a bit more than two years.
    let day = SECOND * 3600 * 24;
    for days in [700, 800, 4000] {
        let start = Instant::now();
        let mut call = AT_ONCE.call_without_budget();
        assert!(call.again(Outcome::RetryIn(day * days)).await);
        assert_eq!(start.elapsed(), day * days);
    }
}

fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}
