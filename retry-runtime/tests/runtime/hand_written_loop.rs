//! Whole loops by hand, as the documentation shows them: which result reaches
//! the caller, and what ends the loop.

#![cfg(feature = "tokio")]

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use retry_runtime::{
    Backoff, Budget, Call, Classify, Decision, NoBudget, Outcome, Policy, Retrier,
};
use tokio::time::{Instant, sleep};

const SECOND: Duration = Duration::from_secs(1);
const AT_ONCE: Policy = Policy::new(4).backoff(Backoff::none());

/// What a server answered: a status, and a body that tells answers apart. It can
/// be neither cloned nor compared, so that a loop can only hand it through.
#[derive(Debug)]
struct Answer {
    status: u16,
    body: String,
}

fn classify(answer: &Answer) -> Outcome {
    match answer.status {
        200 => Outcome::Success,
        503 => Outcome::Retry,
        500 => Outcome::Fail,
        _ => Outcome::Stop,
    }
}

/// Answers with these statuses, one for each attempt.
fn answer(statuses: &[u16], attempt: u32) -> Answer {
    let status = statuses[attempt as usize - 1];
    Answer { status, body: format!("answer {attempt}") }
}

async fn run(mut call: Call<'_>, statuses: &[u16]) -> (Answer, Decision) {
    loop {
        let result = answer(statuses, call.attempt());
        if !call.again(classify(&result)).await {
            break (result, call.decision().expect("the call has decided"));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_result_reaches_the_caller_untouched_whatever_ends_the_loop() {
    let empty = Budget::new(3, 0.1);
    for _ in 0..2 {
        let _ = AT_ONCE.call(&empty).decide(Outcome::Fail);
    }
    let soon = Instant::now() + SECOND;
    let seconds = Policy::new(4).backoff(Backoff::linear(SECOND / 2, SECOND * 9));
    let free = || AT_ONCE.call_without_budget();
    let cases: [(Call<'_>, &[u16], Decision, &str); 7] = [
        (free(), &[200], Decision::Succeeded, "answer 1"),
        (free(), &[503, 503, 200], Decision::Succeeded, "answer 3"),
        (free(), &[503, 404], Decision::Stopped, "answer 2"),
        (free(), &[503, 500], Decision::Failed, "answer 2"),
        (free(), &[503, 503, 503, 503], Decision::Exhausted, "answer 4"),
        (AT_ONCE.call(&empty), &[503], Decision::Throttled, "answer 1"),
        // After half a second the next wait, of a second, would pass the deadline.
        (seconds.call_without_budget().deadline(soon), &[503, 503], Decision::Expired, "answer 2"),
    ];
    for (call, statuses, decision, body) in cases {
        let (result, ended) = run(call, statuses).await;
        assert_eq!((ended, result.body.as_str()), (decision, body));
        assert_eq!(result.status, *statuses.last().unwrap());
    }
}

#[tokio::test(start_paused = true)]
async fn a_value_that_the_classifier_calls_retry_is_retried_and_in_the_end_returned() {
    // Not an error at all: an order that is still pending.
    let retrier = Retrier::new(AT_ONCE, NoBudget, |order: &Result<&str, ()>| match order {
        Ok("pending") => Outcome::Retry,
        Ok(_) => Outcome::Success,
        Err(()) => Outcome::Stop,
    });
    for (orders, expected) in
        [(["pending", "pending", "shipped", ""], "shipped"), (["pending"; 4], "pending")]
    {
        let mut call = retrier.call();
        let result = loop {
            let result = Ok(orders[call.attempt() as usize - 1]);
            if !call.again(retrier.classify(&result)).await {
                break result;
            }
        };
        assert_eq!(result, Ok(expected));
    }
}

#[tokio::test(start_paused = true)]
async fn only_the_budget_ends_a_loop_of_fifty_attempts_and_other_calls_refill_it() {
    let budget = Budget::new(10, 0.5);
    let policy = Policy::new(50).backoff(Backoff::none());
    let outage = [503; 50];
    assert_eq!(run(policy.call(&budget), &outage).await.0.body, "answer 5");
    assert_eq!(run(policy.call(&budget), &outage).await.0.body, "answer 1");
    // 4 of 10 tokens are left, and more than 6 are needed for a retry.
    let refund = Policy::new(2);
    let refunds = [(4, 6.0, "answer 1"), (3, 6.5, "answer 2")];
    for (successes, tokens, body) in refunds {
        for _ in 0..successes {
            assert_eq!(run(refund.call(&budget), &[200]).await.1, Decision::Succeeded);
        }
        assert_eq!(budget.tokens(), tokens);
        let (result, decision) = run(policy.call(&budget), &outage).await;
        assert_eq!((decision, result.body.as_str()), (Decision::Throttled, body));
    }
}

#[tokio::test(start_paused = true)]
async fn concurrent_calls_share_the_budget_and_nothing_else() {
    let budget = Arc::new(Budget::new(10, 0.1));
    let attempts = Arc::new(AtomicU32::new(0));
    let tasks: Vec<_> = (0..20)
        .map(|_| {
            let (budget, attempts) = (Arc::clone(&budget), Arc::clone(&attempts));
            tokio::spawn(async move {
                let policy = Policy::new(5).backoff(Backoff::constant(SECOND));
                let mut call = policy.call(&budget);
                loop {
                    attempts.fetch_add(1, Ordering::Relaxed);
                    sleep(SECOND).await;
                    if !call.again(Outcome::Retry).await {
                        break call.attempt();
                    }
                }
            })
        })
        .collect();
    let mut made = Vec::new();
    for task in tasks {
        made.push(task.await.unwrap());
    }
    // Twenty first attempts, and the four retries that ten tokens pay for.
    assert_eq!(attempts.load(Ordering::Relaxed), 24);
    assert_eq!(made.iter().filter(|attempts| **attempts == 2).count(), 4);
    assert_eq!(budget.tokens(), 0.0);
}

#[test]
fn a_classifier_that_panics_leaves_the_budget_as_it_was() {
    let retrier = Retrier::new(AT_ONCE, Budget::new(10, 0.1), |_: &u8| panic!("no such status"));
    let mut call = retrier.call();
    let judged = std::panic::catch_unwind(AssertUnwindSafe(|| {
        let _ = call.decide(retrier.classify(&7));
    }));
    assert_eq!(judged.unwrap_err().downcast_ref::<&str>(), Some(&"no such status"));
    assert_eq!((call.attempt(), call.decision()), (1, None));
    assert_eq!(retrier.budget().map(Budget::tokens), Some(10.0));
}

#[test]
fn a_classifier_can_be_used_behind_a_reference_to_a_trait() {
    let classifier: &dyn Classify<Answer> = &classify;
    let broken = Answer { status: 500, body: String::new() };
    assert_eq!(classifier.classify(&broken), Outcome::Fail);
}

#[test]
fn a_loop_that_returns_early_on_success_runs_the_budget_dry() {
    // The figures of the guide: 2,000 calls, of which one in a hundred fails once.
    let (early, whole) = (Budget::new(10, 0.1), Budget::new(10, 0.1));
    let policy = Policy::new(3);
    let mut refused = (0, 0);
    for number in 0..2000 {
        let fails_once = number % 100 == 0;
        // Returns at once where the attempt succeeds.
        if fails_once && policy.call(&early).decide(Outcome::Retry).is_final() {
            refused.0 += 1;
        }
        // Tells the call of its success.
        let mut call = policy.call(&whole);
        if fails_once && call.decide(Outcome::Retry).is_final() {
            refused.1 += 1;
        } else {
            assert_eq!(call.decide(Outcome::Success), Decision::Succeeded);
        }
    }
    assert_eq!((early.tokens(), whole.tokens()), (0.0, 10.0));
    assert_eq!(refused, (16, 0));
}
