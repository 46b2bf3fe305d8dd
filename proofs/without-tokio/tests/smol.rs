//! The attribute and the loop by hand on smol's executor and its real timer. The
//! times are short, and no test depends on how short: exact times are tested with a
//! fake clock, in `fake_clock.rs`.

use std::future::pending;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

use retry_runtime::{Backoff, Budget, Decision, Outcome, Policy, retry};
use without_tokio::SmolTimer;

#[derive(Debug, PartialEq)]
enum Error {
    Busy,
    TooLong,
}

struct Client {
    attempts: AtomicU32,
    timer: SmolTimer,
}

static BUDGET: Budget = Budget::new(1000, 0.1);

impl Client {
    #[retry(
        attempts = 4,
        budget = BUDGET,
        classify_err = |_| Outcome::Retry,
        schedule = Backoff::constant(2ms),
        within = 1h,
        attempt = attempt,
        timer = self.timer,
    )]
    async fn get(&self, succeed_at: u32) -> Result<u32, Error> {
        self.attempts.fetch_add(1, Relaxed);
        assert!(attempt.remaining() <= Some(Duration::from_secs(3600)));
        if attempt.number() < succeed_at { Err(Error::Busy) } else { Ok(attempt.number()) }
    }

    #[retry(
        attempts = 2,
        budget = BUDGET,
        classify_err = |_| Outcome::RetryIn(Duration::ZERO),
        attempt = attempt,
        timer = self.timer,
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

fn client() -> Client {
    Client { attempts: AtomicU32::new(0), timer: SmolTimer }
}

#[test]
fn a_call_is_retried_until_it_succeeds_or_has_no_attempts_left() {
    let client = client();
    let begin = Instant::now();
    assert_eq!(smol::block_on(client.get(3)), Ok(3));
    assert!(begin.elapsed() >= Duration::from_millis(4), "it has waited twice");
    assert_eq!(smol::block_on(client.get(9)), Err(Error::Busy));
    assert_eq!(client.attempts.load(Relaxed), 3 + 4);
}

#[test]
fn an_attempt_that_hangs_is_ended() {
    assert_eq!(smol::block_on(client().hang_once()), Ok(2));
}

#[test]
fn the_future_can_be_sent_to_smols_threads() {
    let task = smol::spawn(async { (client().get(3).await, client().hang_once().await) });
    assert_eq!(smol::block_on(task), (Ok(3), Ok(2)));
}

#[test]
fn a_wait_ends_when_the_call_is_cancelled() {
    #[retry(
        attempts = 9,
        budget = none,
        classify_err = |_| Outcome::RetryIn(Duration::from_secs(3600)),
        cancel = stop.recv(),
        timer = SmolTimer,
        observe = |event| decisions.push(event.decision),
    )]
    async fn get(
        stop: smol::channel::Receiver<()>,
        decisions: &mut Vec<Decision>,
    ) -> Result<(), Error> {
        Err(Error::Busy)
    }
    let (stopping, stop) = smol::channel::bounded(1);
    let mut decisions = Vec::new();
    let result = smol::block_on(async {
        let stopper = smol::spawn(async move {
            smol::Timer::after(Duration::from_millis(5)).await;
            stopping.send(()).await.unwrap();
            stopping
        });
        let result = get(stop, &mut decisions).await;
        drop(stopper.await);
        result
    });
    assert_eq!(result, Err(Error::Busy));
    assert_eq!(decisions.last(), Some(&Decision::Cancelled));
}

#[test]
fn a_loop_by_hand_waits_on_smols_timer() {
    let policy = Policy::new(3).backoff(Backoff::constant(Duration::from_millis(2)));
    let mut call = policy.call(&BUDGET).timer(&SmolTimer);
    let begin = Instant::now();
    smol::block_on(async { while call.again(Outcome::Retry).await {} });
    assert_eq!((call.attempt(), call.decision()), (3, Some(Decision::Exhausted)));
    assert!(begin.elapsed() >= Duration::from_millis(4), "it has waited twice");
}

#[test]
fn a_loop_by_hand_needs_no_timer_at_all() {
    let policy = Policy::new(3).backoff(Backoff::constant(Duration::from_millis(1)));
    let start = Instant::now();
    let mut call = policy.call_without_budget().starting_at(start);
    smol::block_on(async {
        while let Decision::Again { delay } = call.decide_at(Outcome::Retry, Instant::now()) {
            smol::Timer::after(delay).await;
        }
    });
    assert_eq!(call.attempt(), 3);
}
