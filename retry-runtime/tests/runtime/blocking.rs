//! Calls that block their thread. What they wait for is real time, of a few milliseconds;
//! nothing here depends on how fast it passes.

use std::cell::RefCell;
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use retry_runtime::{
    Backoff, Budget, Decision, Event, EventKind, Outcome, Policy, Retrier, on_err,
};

const MILLISECOND: Duration = Duration::from_millis(1);
const HOUR: Duration = Duration::from_secs(3600);
const AT_ONCE: Policy = Policy::new(4).backoff(Backoff::none());

fn constant(delay: Duration) -> Policy {
    Policy::new(4).backoff(Backoff::constant(delay))
}

fn retry(_: &u8) -> Outcome {
    Outcome::Retry
}

#[test]
fn the_whole_call_runs_on_a_thread() {
    let retrier = Retrier::new(constant(MILLISECOND), Budget::new(10, 0.1), on_err(retry));
    let start = Instant::now();
    let mut call = retrier.call();
    let mut numbers = Vec::new();
    let result = call.run_blocking(|attempt| {
        numbers.push((attempt.number(), attempt.is_first(), attempt.max()));
        if numbers.len() < 3 { Err(7) } else { Ok("done") }
    });
    assert_eq!((result, call.attempt()), (Ok("done"), 3));
    assert_eq!(call.decision(), Some(Decision::Succeeded));
    assert_eq!(numbers, [(1, true, Some(4)), (2, false, Some(4)), (3, false, Some(4))]);
    assert!(start.elapsed() >= MILLISECOND * 2, "both waits were waited");
    assert_eq!(retrier.budget().unwrap().tokens(), 8.1);
    assert_eq!(retrier.run_blocking(|_| Ok::<_, u8>(5)), Ok(5));
}

#[cfg(feature = "tokio")]
#[tokio::test(start_paused = true)]
async fn its_limits_pass_although_tokios_clock_is_paused() {
    // Far more attempts than there is time for.
    let policy =
        Policy::unlimited().backoff(Backoff::constant(MILLISECOND)).within(MILLISECOND * 8);
    let mut call = policy.call_without_budget();
    while call.again_blocking(Outcome::Retry) {}
    assert_eq!(call.decision(), Some(Decision::Expired));

    let mut call = policy.call_without_budget();
    while call.again_blocking_unless(Outcome::Retry, |_| false) {}
    assert_eq!(call.decision(), Some(Decision::Expired));

    let retrier = Retrier::new(policy, retry_runtime::NoBudget, on_err(retry));
    let mut call = retrier.call();
    let mut left = Vec::new();
    let result = call.run_blocking(|attempt: retry_runtime::Attempt| {
        left.push(attempt.remaining().unwrap());
        Err::<(), u8>(1)
    });
    assert_eq!((result, call.decision()), (Err(1), Some(Decision::Expired)));
    assert!(left.windows(2).all(|pair| pair[1] < pair[0]), "{left:?}");
    assert!(call.elapsed().unwrap() > Duration::ZERO);
    assert!(call.remaining().unwrap() < MILLISECOND * 8);

    // A body that takes longer than the call may.
    let mut call = retrier.call();
    let result = call.run_blocking(|_| {
        thread::sleep(MILLISECOND * 9);
        Err::<(), u8>(1)
    });
    assert_eq!((result, call.attempt()), (Err(1), 1));
    assert_eq!(call.decision(), Some(Decision::Expired));
}

#[cfg(feature = "tokio")]
#[tokio::test(start_paused = true)]
async fn a_deadline_of_tokios_clock_is_as_far_away_as_it_was() {
    tokio::time::advance(HOUR).await;
    let deadline = tokio::time::Instant::now() + HOUR;
    let mut call = constant(HOUR * 2).call_without_budget().deadline(deadline);
    assert!(call.again_blocking(Outcome::RetryIn(MILLISECOND)));
    let remaining = call.remaining().unwrap();
    assert!(remaining <= HOUR - MILLISECOND && remaining > HOUR / 2, "{remaining:?}");
    assert!(!call.again_blocking(Outcome::Retry));
    assert_eq!(call.decision(), Some(Decision::Expired));
}

#[test]
fn it_is_asked_with_zero_then_with_the_wait() {
    let asked = RefCell::new(Vec::new());
    let cancelled = |delay| {
        asked.borrow_mut().push(delay);
        false
    };
    let mut call = constant(MILLISECOND * 2).call_without_budget();
    assert!(call.again_blocking_unless(Outcome::Retry, cancelled));
    assert_eq!(*asked.borrow(), [Duration::ZERO, MILLISECOND * 2]);

    // Not again for a wait of zero; not at all where no other attempt is asked for.
    asked.borrow_mut().clear();
    assert!(call.again_blocking_unless(Outcome::RetryIn(Duration::ZERO), cancelled));
    assert_eq!(*asked.borrow(), [Duration::ZERO]);
    assert!(!call.again_blocking_unless(Outcome::Success, cancelled));
    assert!(!AT_ONCE.call_without_budget().again_blocking_unless(Outcome::Stop, cancelled));
    assert!(!AT_ONCE.call_without_budget().again_blocking_unless(Outcome::Fail, cancelled));
    assert_eq!(*asked.borrow(), [Duration::ZERO]);

    // Nor where the last attempt was made.
    let mut call = Policy::new(1).call_without_budget();
    assert!(!call.again_blocking_unless(Outcome::Retry, cancelled));
    assert_eq!(*asked.borrow(), [Duration::ZERO, Duration::ZERO]);
    assert_eq!(call.decision(), Some(Decision::Exhausted));
}

#[test]
fn an_early_no_does_not_shorten_the_wait() {
    // A channel whose sender is gone answers at once.
    let (sender, stop) = mpsc::channel::<()>();
    drop(sender);
    let start = Instant::now();
    let mut call = constant(MILLISECOND * 20).call_without_budget();
    assert!(call.again_blocking_unless(Outcome::Retry, |d| stop.recv_timeout(d).is_ok()));
    assert!(start.elapsed() >= MILLISECOND * 20);
}

#[test]
fn a_cancellation_before_the_decision_costs_nothing() {
    let budget = Budget::new(10, 0.1);
    let mut call = constant(HOUR).call(&budget);
    assert!(!call.again_blocking_unless(Outcome::Retry, |_| true));
    assert_eq!((call.decision(), call.attempt()), (Some(Decision::Cancelled), 1));
    assert_eq!(budget.tokens(), 10.0);
}

#[test]
fn a_signal_ends_a_wait() {
    let retrier = Retrier::new(constant(HOUR), Budget::new(10, 0.1), on_err(retry));
    let events = Mutex::new(Vec::new());
    let observer = |event: &Event<'_>| {
        events.lock().unwrap().push((event.kind, event.attempt, event.decision));
    };
    let (sender, stop) = mpsc::channel::<()>();
    let mut asked = 0;
    let mut call = retrier.call().observe(&observer);
    let result = call.run_blocking_unless(
        |delay| {
            asked += 1;
            if asked == 2 {
                // Somebody presses Ctrl-C while the call waits.
                let sender = sender.clone();
                thread::spawn(move || sender.send(()));
            }
            stop.recv_timeout(delay).is_ok()
        },
        |_| Err::<(), u8>(9),
    );
    assert_eq!((result, asked), (Err(9), 2));
    assert_eq!((call.decision(), call.attempt()), (Some(Decision::Cancelled), 1));
    let again = Decision::Again { delay: HOUR };
    assert_eq!(
        events.into_inner().unwrap(),
        [(EventKind::Attempt, 1, again), (EventKind::WaitCut, 1, Decision::Cancelled)]
    );
    assert_eq!(retrier.budget().unwrap().tokens(), 9.0, "the wait had been granted");
}
