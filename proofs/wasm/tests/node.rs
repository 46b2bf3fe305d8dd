//! Annotated functions with every key, and calls by hand, on `setTimeout` and the clock of
//! node. The waits are short, and no test depends on how short.
#![cfg(all(target_family = "wasm", target_os = "unknown"))]

use std::cell::{Cell, RefCell};
use std::future::{Future, pending, ready};
use std::time::Duration;

use retry_runtime::test_util::EventLog;
use retry_runtime::{
    Backoff, Budget, Decision, Instant, Jitter, NoBudget, Outcome, Policy, Retrier, Timer, WasmTimer,
    on_err, retry, retry_block,
};
use wasm_bindgen_test::wasm_bindgen_test;

const MS: fn(u64) -> Duration = Duration::from_millis;

#[derive(Clone, Debug, PartialEq)]
enum Error {
    Busy,
    Broken,
    TooLong,
}

fn classify<T>(result: &Result<T, Error>) -> Outcome {
    match result {
        Ok(_) => Outcome::Success,
        Err(Error::Busy | Error::TooLong) => Outcome::Retry,
        Err(Error::Broken) => Outcome::Stop,
    }
}

/// The default timer of this target, and every key of a call that is limited by attempts.
struct Client {
    budget: Budget,
    log: EventLog,
}

fn client() -> Client {
    Client { budget: Budget::new(10, 0.1), log: EventLog::new() }
}

impl Client {
    #[retry(
        attempts = 4,
        budget = self.budget,
        classify = classify,
        schedule = Backoff::constant(2ms),
        within = 1h,
        deadline = deadline,
        attempt = attempt,
        clone(key),
        observe = |event| self.log.push(event),
        err(Debug),
        name = "charge",
    )]
    async fn charge(&self, key: String, succeed_at: u32, deadline: Instant) -> Result<u32, Error> {
        drop(key);
        assert!(attempt.remaining() <= Some(Duration::from_secs(3600)));
        if attempt.number() < succeed_at { Err(Error::Busy) } else { Ok(attempt.number()) }
    }

    #[retry(
        attempts = 2,
        budget = self.budget,
        classify_err = |_| Outcome::RetryIn(Duration::ZERO),
        attempt = attempt,
        timer = WasmTimer,
        attempt_timeout = 5ms,
        on_timeout = Err(Error::TooLong),
    )]
    async fn hang_once(&self) -> Result<u32, Error> {
        if attempt.is_first() {
            pending::<()>().await;
        }
        Ok(attempt.number())
    }
}

#[wasm_bindgen_test]
async fn attempts_are_made_until_one_succeeds_and_each_wait_lasts_its_time() {
    let (client, start) = (client(), Instant::now());
    let deadline = start + Duration::from_secs(60);
    assert_eq!(client.charge("k".into(), 3, deadline).await, Ok(3));
    assert!(start.elapsed() >= MS(4), "{:?}", start.elapsed());
    let again = Decision::Again { delay: MS(2) };
    assert_eq!(client.log.decisions(), [again, again, Decision::Succeeded]);
    assert_eq!(client.budget.tokens(), 8.1);
}

#[wasm_bindgen_test]
async fn a_call_that_fails_for_good_has_all_its_attempts() {
    let client = client();
    let deadline = Instant::now() + Duration::from_secs(60);
    assert_eq!(client.charge("k".into(), 9, deadline).await, Err(Error::Busy));
    assert_eq!(client.log.decisions().len(), 4);
}

#[wasm_bindgen_test]
async fn a_deadline_that_is_past_ends_the_call() {
    let client = client();
    assert_eq!(client.charge("k".into(), 9, Instant::now()).await, Err(Error::Busy));
    assert_eq!(client.log.decisions(), [Decision::Expired]);
}

#[wasm_bindgen_test]
async fn an_attempt_that_takes_too_long_is_dropped() {
    assert_eq!(client().hang_once().await, Ok(2));
}

#[wasm_bindgen_test]
async fn a_call_without_a_bound_ends_with_its_cancellation() {
    thread_local!(static ATTEMPTS: Cell<u32> = const { Cell::new(0) });
    #[retry(
        attempts = unlimited,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(1ms),
        cancel = stop,
        clone(key),
    )]
    async fn poll(key: Vec<u8>, stop: impl Future) -> Result<u32, Error> {
        drop(key);
        ATTEMPTS.with(|attempts| attempts.set(attempts.get() + 1));
        Err(Error::Busy)
    }
    assert_eq!(poll(vec![1], WasmTimer.sleep(MS(20))).await, Err(Error::Busy));
    assert!(ATTEMPTS.with(Cell::get) >= 2);
    assert_eq!(poll(vec![1], ready(())).await, Err(Error::Busy));
}

#[wasm_bindgen_test]
async fn a_retrier_and_a_policy_give_what_their_keys_give() {
    const POLICY: Policy = Policy::new(3).backoff(Backoff::constant(Duration::from_millis(1)));
    #[retry(retrier = retrier, attempt = attempt)]
    async fn by_retrier(
        retrier: &Retrier<fn(&Result<u32, Error>) -> Outcome>,
    ) -> Result<u32, Error> {
        if attempt.number() < 3 { Err(Error::Busy) } else { Ok(attempt.number()) }
    }
    #[retry(policy = POLICY, budget = none, classify = classify, attempt = attempt)]
    async fn by_policy() -> Result<u32, Error> {
        if attempt.is_first() { Err(Error::Busy) } else { Err(Error::Broken) }
    }
    let retrier = Retrier::new(POLICY, Budget::new(10, 0.1), classify as fn(&_) -> _);
    assert_eq!(by_retrier(&retrier).await, Ok(3));
    assert_eq!(by_policy().await, Err(Error::Broken));
}

#[wasm_bindgen_test]
async fn a_loop_by_hand_a_closure_and_a_block_wait_on_the_default_timer() {
    let policy = Policy::new(3).backoff(Backoff::constant(MS(1)));
    let mut call = policy.call_without_budget();
    let mut attempts = 0;
    while call.again(Outcome::Retry).await {
        attempts += 1;
    }
    assert_eq!((attempts, call.decision()), (2, Some(Decision::Exhausted)));

    let retrier = Retrier::new(policy, NoBudget, on_err(|_: &Error| Outcome::Retry));
    let made = RefCell::new(0);
    let answer = retrier
        .run(async |attempt| {
            *made.borrow_mut() += 1;
            if attempt.is_first() { Err(Error::Busy) } else { Ok(7) }
        })
        .await;
    assert_eq!((answer, made.into_inner()), (Ok(7), 2));

    let mut seen = 0;
    let answer = retry_block!(
        policy = policy,
        budget = none,
        classify = classify,
        async {
            seen += 1;
            if seen < 3 { Err(Error::Busy) } else { Ok(seen) }
        }
    )
    .await;
    assert_eq!(answer, Ok(3));
}

#[wasm_bindgen_test]
async fn full_jitter_draws_from_the_browsers_randomness() {
    let backoff = Backoff::constant(Duration::from_secs(1)).jitter(Jitter::Full);
    let policy = Policy::new(3).backoff(backoff);
    let mut delays = Vec::new();
    for _ in 0..8 {
        let mut call = policy.call_without_budget();
        delays.push(call.decide(Outcome::Retry));
    }
    delays.dedup();
    assert!(delays.len() > 1, "{delays:?}");
}

#[wasm_bindgen_test]
async fn a_date_of_retry_after_is_read_by_the_browsers_clock() {
    use retry_runtime::Classify;
    use retry_runtime::http::{ErrorKind, HttpPolicy};
    let past = std::time::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let response = http::Response::builder()
        .status(503)
        .header("retry-after", httpdate::fmt_http_date(past))
        .body(())
        .unwrap();
    let policy = HttpPolicy::DEFAULT.for_method(&http::Method::GET);
    let outcome = policy.classifier(|_: &Error| ErrorKind::Request).classify(&Ok::<_, Error>(response));
    assert!(outcome.is_failure(), "{outcome:?}");
}

#[wasm_bindgen_test]
fn a_wait_that_no_timeout_can_count_does_not_end_at_once() {
    let mut sleep = std::pin::pin!(WasmTimer.sleep(Duration::MAX));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(sleep.as_mut().poll(&mut context).is_pending());
}
