//! `attempt = name`: what the body and the other keys can ask.

use std::sync::Mutex;
use std::time::Duration;

use retry_runtime::{
    Attempt, Backoff, Budget, Decision, Outcome, RunningAttempt, TokioTimer, retry,
};
use tokio::time::{sleep, timeout};

use crate::support::{Calls, Error, Seen, classify, ms};

#[tokio::test(start_paused = true)]
async fn the_body_knows_its_number_and_the_time_left() {
    type Line = (u32, bool, Option<Duration>);
    #[retry(
        attempts = 9,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(300ms),
        within = 1s,
        attempt = this,
    )]
    async fn call(lines: &Mutex<Vec<Line>>) -> Result<(), Error> {
        sleep(ms(100)).await;
        // Read afresh at each ask: the attempt has run for a while.
        lines.lock().unwrap().push((this.number(), this.is_first(), this.remaining()));
        Err(Error::Again)
    }
    let lines = Mutex::default();
    call(&lines).await.unwrap_err();
    assert_eq!(
        lines.into_inner().unwrap(),
        [(1, true, Some(ms(900))), (2, false, Some(ms(500))), (3, false, Some(ms(100))),]
    );
}

#[tokio::test(start_paused = true)]
async fn there_is_no_time_left_to_know_without_a_limit() {
    #[retry(attempts = 2, budget = none, classify = classify, attempt = this)]
    async fn call() -> Result<Option<Duration>, Error> {
        Ok(this.remaining())
    }
    assert_eq!(call().await, Ok(None));
}

#[tokio::test(start_paused = true)]
async fn the_time_left_can_bound_an_attempt() {
    #[retry(attempts = 9, budget = none, classify = classify, within = 1s, attempt = this)]
    async fn call() -> Result<(), Error> {
        let left = this.remaining().expect("there is a limit");
        timeout(left, sleep(Duration::from_secs(60))).await.map_err(|_| Error::Again)
    }
    let calls = Calls::new();
    assert_eq!(call().await, Err(Error::Again));
    assert_eq!(calls.now(), 1000);
}

#[tokio::test(start_paused = true)]
async fn the_other_keys_know_the_attempt() {
    #[retry(
        attempts = 9,
        budget = none,
        classify = |_| if this.number() < 4 { Outcome::Retry } else { Outcome::Stop },
        schedule = |_| Duration::from_millis(10) * this.number(),
        attempt = this,
        observe = |event| assert_eq!(event.attempt, this.number()),
    )]
    async fn call(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    let calls = Calls::new();
    call(&calls).await.unwrap_err();
    assert_eq!(calls.at(), [0, 10, 30, 60]);
}

#[tokio::test(start_paused = true)]
async fn a_nested_function_counts_its_own_attempts() {
    #[retry(attempts = 2, budget = none, classify = classify, schedule = Backoff::none(), attempt = this)]
    async fn outer(lines: &Mutex<Vec<(u32, u32)>>) -> Result<(), Error> {
        #[retry(attempts = 2, budget = none, classify = classify, schedule = Backoff::none(), attempt = this)]
        async fn inner(outer: u32, lines: &Mutex<Vec<(u32, u32)>>) -> Result<(), Error> {
            lines.lock().unwrap().push((outer, this.number()));
            Err(Error::Again)
        }
        inner(this.number(), lines).await
    }
    let lines = Mutex::default();
    outer(&lines).await.unwrap_err();
    assert_eq!(lines.into_inner().unwrap(), [(1, 1), (1, 2), (2, 1), (2, 2)]);
}

#[tokio::test(start_paused = true)]
async fn the_body_judges_what_only_it_knows() {
    static BUDGET: Budget = Budget::new(10, 0.1);
    #[retry(
        attempts = 9,
        budget = BUDGET,
        classify = classify,
        schedule = Backoff::none(),
        attempt = attempt,
        observe = |event| seen.push(event),
    )]
    async fn call(calls: &Calls, token: Result<u32, Error>, seen: &Seen) -> Result<u32, Error> {
        calls.next();
        // The same error is final here, and is repeated where the call gives it.
        let token = token.clone().inspect_err(|_| attempt.judge(Outcome::Stop))?;
        if attempt.number() < token { Err(Error::Again) } else { Ok(attempt.number()) }
    }
    let (calls, seen) = (Calls::new(), Seen::default());
    assert_eq!(call(&calls, Err(Error::Again), &seen).await, Err(Error::Again));
    assert_eq!((calls.count(), seen.last()), (1, Some(Decision::Stopped)));
    assert_eq!(BUDGET.tokens(), 10.0);
    assert_eq!(call(&calls, Ok(3), &seen).await, Ok(3));
    assert_eq!((calls.count(), seen.last()), (4, Some(Decision::Succeeded)));
}

#[tokio::test(start_paused = true)]
async fn the_classifier_is_not_asked_where_the_body_has_judged() {
    #[retry(
        attempts = 9,
        budget = none,
        classify = |_| panic!("asked"),
        schedule = Backoff::constant(1s),
        attempt = attempt,
    )]
    async fn call(calls: &Calls) -> u32 {
        match calls.next() {
            1 => attempt.judge(Outcome::RepeatIn(ms(5))),
            2 => {
                // Of two verdicts the last counts.
                attempt.judge(Outcome::Success);
                attempt.judge(Outcome::Retry);
            }
            _ => attempt.judge(Outcome::Success),
        }
        attempt.number()
    }
    let calls = Calls::new();
    assert_eq!(call(&calls).await, 3);
    assert_eq!(calls.at(), [0, 5, 1005]);
}

#[tokio::test(start_paused = true)]
async fn a_verdict_is_that_of_one_attempt() {
    #[retry(
        attempts = 9,
        budget = none,
        classify = |result| if matches!(result, Ok(3)) { Outcome::Success } else { Outcome::Stop },
        schedule = Backoff::none(),
        cancel = std::future::pending::<()>(),
        attempt = attempt,
    )]
    async fn call(judged: u32) -> Result<u32, Error> {
        if attempt.number() <= judged {
            attempt.judge(Outcome::Retry);
        }
        Ok(attempt.number())
    }
    assert_eq!(call(1).await, Ok(2), "the second attempt is the classifier's, which stops");
    assert_eq!(call(2).await, Ok(3));
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_runs_out_of_time_loses_its_verdict() {
    #[retry(
        attempts = 3,
        budget = none,
        classify = classify,
        schedule = Backoff::none(),
        attempt = attempt,
        attempt_timeout = 100ms,
        on_timeout = Err(Error::Numbered(attempt.number())),
    )]
    async fn call(calls: &Calls, slow: u32) -> Result<u32, Error> {
        calls.next();
        attempt.judge(Outcome::Stop);
        if attempt.number() <= slow {
            sleep(ms(500)).await;
        }
        Err(Error::Again)
    }
    let calls = Calls::new();
    assert_eq!(call(&calls, 9).await, Err(Error::Numbered(3)), "each was classified");
    assert_eq!(calls.at(), [0, 100, 200]);
    // The second is in time, and its verdict counts.
    let calls = Calls::new();
    assert_eq!(call(&calls, 1).await, Err(Error::Again));
    assert_eq!(calls.count(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_verdict_leaves_the_future_as_sendable_as_it_was() {
    #[retry(attempts = 3, budget = none, classify = classify, attempt = attempt, timer = TokioTimer)]
    async fn call(text: String) -> Result<usize, Error> {
        tokio::task::yield_now().await;
        if attempt.is_first() {
            attempt.judge(Outcome::Repeat);
        }
        tokio::task::yield_now().await;
        Ok(text.len())
    }
    let spawned = tokio::spawn(call("four".to_owned()));
    assert_eq!(spawned.await.unwrap(), Ok(4));
}

#[tokio::test(start_paused = true)]
async fn a_function_that_the_body_calls_can_judge() {
    fn judged(attempt: &mut RunningAttempt, outcome: Outcome) -> u32 {
        attempt.judge(outcome);
        // What it derefs to can be copied out.
        let copy: Attempt = **attempt;
        copy.number()
    }
    #[retry(attempts = 2, budget = none, classify = |_| Outcome::Success, attempt = attempt)]
    async fn call() -> u32 {
        judged(attempt, Outcome::Repeat)
    }
    assert_eq!(call().await, 2);
}
