//! A caller that gives up, by a cancellation or by dropping the wait: the call
//! ends at once, and the budget is as the last decision left it.

#![cfg(feature = "tokio")]

use std::future::{Future, pending, ready};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use retry_runtime::{Backoff, Budget, Decision, Outcome, Policy};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

const SECOND: Duration = Duration::from_secs(1);
const SECONDS: Policy = Policy::new(4).backoff(Backoff::linear(SECOND, Duration::from_secs(10)));
const AT_ONCE: Policy = Policy::new(4).backoff(Backoff::none());

#[tokio::test(start_paused = true)]
async fn a_cancellation_before_the_decision_ends_the_call_without_a_token() {
    let budget = Budget::new(10, 0.1);
    let start = Instant::now();
    let mut call = SECONDS.call(&budget);
    assert!(!call.again_unless(Outcome::Retry, ready(())).await);
    assert_eq!((call.decision(), call.attempt()), (Some(Decision::Cancelled), 1));
    assert_eq!((budget.tokens(), start.elapsed()), (10.0, Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_counts_before_the_deadline_and_the_last_attempt() {
    let past = Instant::now();
    let mut late = AT_ONCE.call_without_budget().deadline(past);
    assert!(!late.again_unless(Outcome::Retry, ready(())).await);
    assert_eq!(late.decision(), Some(Decision::Cancelled));
    let one = Policy::new(1);
    let mut last = one.call_without_budget();
    assert!(!last.again_unless(Outcome::Retry, ready(())).await);
    assert_eq!(last.decision(), Some(Decision::Cancelled));
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_changes_nothing_for_a_result_that_ends_the_call_anyway() {
    for (outcome, decision, tokens) in [
        (Outcome::Success, Decision::Succeeded, 9.1),
        (Outcome::Stop, Decision::Stopped, 9.0),
        (Outcome::Fail, Decision::Failed, 8.0),
    ] {
        let budget = Budget::new(10, 0.1);
        let _ = AT_ONCE.call(&budget).decide(Outcome::Fail);
        let mut call = AT_ONCE.call(&budget);
        assert!(!call.again_unless(outcome, ready(())).await);
        assert_eq!((call.decision(), budget.tokens()), (Some(decision), tokens), "{outcome}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_during_the_wait_ends_it_at_that_moment() {
    let budget = Budget::new(10, 0.1);
    let start = Instant::now();
    let mut call = SECONDS.call(&budget);
    assert!(call.again_unless(Outcome::Retry, sleep(SECOND * 60)).await);
    assert!(!call.again_unless(Outcome::Retry, sleep(SECOND / 2)).await);
    assert_eq!(start.elapsed(), SECOND * 3 / 2);
    assert_eq!((call.decision(), call.attempt()), (Some(Decision::Cancelled), 2));
    assert_eq!(budget.tokens(), 8.0, "the token of the failure stays paid");
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_from_another_task_wakes_the_wait() {
    let (cancel, cancelled) = oneshot::channel::<()>();
    let start = Instant::now();
    let waiting = tokio::spawn(async move {
        let policy = Policy::new(2).backoff(Backoff::constant(SECOND * 3600));
        let mut call = policy.call_without_budget();
        (call.again_unless(Outcome::Retry, cancelled).await, call.decision())
    });
    sleep(SECOND * 7).await;
    cancel.send(()).unwrap();
    assert_eq!(waiting.await.unwrap(), (false, Some(Decision::Cancelled)));
    assert_eq!(start.elapsed(), SECOND * 7);
}

#[tokio::test(start_paused = true)]
async fn when_the_wait_and_the_cancellation_end_together_the_cancellation_counts() {
    let mut call = SECONDS.call_without_budget();
    assert!(!call.again_unless(Outcome::Retry, sleep(SECOND)).await);
    assert_eq!(call.decision(), Some(Decision::Cancelled));
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_that_never_comes_changes_nothing() {
    let start = Instant::now();
    let mut call = SECONDS.call_without_budget();
    while call.again_unless(Outcome::Retry, pending::<()>()).await {}
    assert_eq!((call.decision(), start.elapsed()), (Some(Decision::Exhausted), SECOND * 6));
}

#[tokio::test(start_paused = true)]
async fn one_cancellation_can_serve_all_waits_of_a_call() {
    let shutdown = sleep(SECOND * 2);
    let mut shutdown = pin!(shutdown);
    let start = Instant::now();
    let mut call = SECONDS.call_without_budget();
    assert!(call.again_unless(Outcome::Retry, shutdown.as_mut()).await);
    assert!(!call.again_unless(Outcome::Retry, shutdown.as_mut()).await);
    assert_eq!((call.attempt(), start.elapsed()), (2, SECOND * 2));
}

#[tokio::test(start_paused = true)]
async fn a_zero_wait_is_cut_by_a_cancellation_that_comes_while_it_yields() {
    let (cancel, cancelled) = oneshot::channel::<()>();
    let other = tokio::spawn(async move { cancel.send(()) });
    let mut call = AT_ONCE.call_without_budget();
    assert!(!call.again_unless(Outcome::Retry, cancelled).await);
    assert_eq!((call.decision(), call.attempt()), (Some(Decision::Cancelled), 1));
    other.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn dropping_a_wait_leaves_the_budget_as_the_decision_left_it() {
    let budget = Budget::new(10, 0.1);
    let mut call = SECONDS.call(&budget);
    {
        let mut wait = pin!(call.again(Outcome::Retry));
        assert_eq!(poll(wait.as_mut()), Poll::Pending);
    }
    assert_eq!(budget.tokens(), 9.0);
    {
        // Never polled: nothing was decided.
        let wait = call.again(Outcome::Retry);
        drop(wait);
    }
    assert_eq!((budget.tokens(), call.attempt()), (9.0, 2));
    // The loop may go on after a wait that was dropped.
    assert!(call.again(Outcome::Retry).await);
    assert_eq!((budget.tokens(), call.attempt()), (8.0, 3));
}

#[tokio::test(start_paused = true)]
async fn a_wait_under_a_timeout_of_the_caller_keeps_the_budget_exact() {
    let budget = Budget::new(10, 0.1);
    let mut call = SECONDS.call(&budget);
    let timed_out = tokio::time::timeout(SECOND / 2, call.again(Outcome::Retry)).await;
    assert!(timed_out.is_err());
    drop(call);
    assert_eq!(budget.tokens(), 9.0);
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "asked again after the call had ended (cancelled)")]
async fn again_after_a_cancellation_panics() {
    let mut call = SECONDS.call_without_budget();
    assert!(!call.again_unless(Outcome::Retry, sleep(SECOND / 2)).await);
    call.again(Outcome::Retry).await;
}

fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_behind_a_used_up_turn_is_seen_before_the_decision() {
    let budget = Budget::new(10, 0.1);
    let start = Instant::now();
    let (stop, stopped) = oneshot::channel::<()>();
    stop.send(()).unwrap();
    // What tokio's cooperative scheduling lets a task do in one poll: then no future of
    // tokio's completes before the next.
    std::future::poll_fn(|context| {
        loop {
            let one = pin!(tokio::task::consume_budget());
            if one.poll(context).is_pending() {
                return Poll::Ready(());
            }
        }
    })
    .await;
    let mut call = SECONDS.call(&budget);
    assert!(!call.again_unless(Outcome::Retry, stopped).await);
    assert_eq!((call.decision(), call.attempt()), (Some(Decision::Cancelled), 1));
    assert_eq!((budget.tokens(), start.elapsed()), (10.0, Duration::ZERO));
}
