//! `attempt = name`: what the body and the other keys can ask.

use std::sync::Mutex;
use std::time::Duration;

use retry_runtime::{Backoff, Outcome, retry};
use tokio::time::{sleep, timeout};

use crate::support::{Calls, Error, classify, ms};

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
