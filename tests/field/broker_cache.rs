//! rskafka 0.6, `maybe_retry` of a partition's client: a generic helper. What the error says of
//! the broker is forgotten before the next attempt: a broken connection, a broker that leads
//! the partition no more. An unknown topic is repeated only if the caller says so. A throttle
//! notice is waited for exactly and leaves the curve (factor 3) where it is. Past the deadline
//! the error names the one that came last.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::time::Duration;

use retry_runtime::{Backoff, Decision, Jitter, Outcome, Policy};
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Failure {
    Connection,
    LeaderNotAvailable,
    NotLeader,
    UnknownTopic,
    Malformed,
    Throttle(Duration),
}

#[derive(Debug, PartialEq)]
enum Error {
    Failed(Failure),
    DeadlineExceeded(Failure),
}

#[derive(Default)]
struct BrokerCache {
    invalidated: Cell<u32>,
}

impl BrokerCache {
    async fn invalidate(&self) {
        tokio::task::yield_now().await;
        self.invalidated.set(self.invalidated.get() + 1);
    }
}

async fn maybe_retry<T, F: Future<Output = Result<T, Failure>>>(
    deadline: Option<Duration>,
    retry_unknown_topic: bool,
    cache: &BrokerCache,
    request: impl Fn() -> F,
) -> Result<T, Error> {
    let waits = Backoff::exponential(SECOND, SECOND * 500).factor(3.0).jitter(Jitter::None);
    let policy = match deadline {
        Some(deadline) => Policy::unlimited().within(deadline),
        None => Policy::unlimited(),
    };
    let classify = |result: &Result<T, Failure>| match result {
        Ok(_) => Outcome::Success,
        Err(Failure::Throttle(delay)) => Outcome::RepeatIn(*delay),
        Err(Failure::UnknownTopic) if !retry_unknown_topic => Outcome::Stop,
        Err(Failure::Malformed) => Outcome::Stop,
        Err(_) => Outcome::Retry,
    };
    let mut call = policy.backoff(waits).call_without_budget();
    let result = call
        .run_with(classify, async |_| {
            let result = request().await;
            if let Err(Failure::Connection | Failure::NotLeader | Failure::UnknownTopic) = result {
                cache.invalidate().await;
            }
            result
        })
        .await;
    result.map_err(|failure| match call.decision() {
        Some(Decision::Expired) => Error::DeadlineExceeded(failure),
        _ => Error::Failed(failure),
    })
}

/// The result, how long it took, and how often the cache was invalidated.
async fn fetch(
    deadline: Option<Duration>,
    retry_unknown_topic: bool,
    answers: &[Result<u32, Failure>],
) -> (Result<u32, Error>, Duration, u32) {
    let (cache, start) = (BrokerCache::default(), Instant::now());
    let answers: RefCell<VecDeque<_>> = RefCell::new(answers.iter().copied().collect());
    let request = || async { answers.borrow_mut().pop_front().unwrap() };
    let result = maybe_retry(deadline, retry_unknown_topic, &cache, request).await;
    (result, start.elapsed(), cache.invalidated.get())
}

#[tokio::test(start_paused = true)]
async fn what_the_error_says_of_the_broker_is_forgotten() {
    let answers = [
        Err(Failure::Connection),
        Err(Failure::LeaderNotAvailable),
        Err(Failure::NotLeader),
        Ok(7),
    ];
    assert_eq!(fetch(None, false, &answers).await, (Ok(7), SECOND * (1 + 3 + 9), 2));
}

#[tokio::test(start_paused = true)]
async fn a_throttle_leaves_the_curve_where_it_is() {
    let throttled = Err(Failure::Throttle(SECOND * 20));
    let busy = Err(Failure::LeaderNotAvailable);
    let answers = [busy, throttled, busy, Ok(7)];
    assert_eq!(fetch(None, false, &answers).await, (Ok(7), SECOND * (1 + 20 + 3), 0));
}

#[tokio::test(start_paused = true)]
async fn an_unknown_topic_is_repeated_where_the_caller_says_so() {
    let answers = [Err(Failure::UnknownTopic), Ok(7)];
    let failed = Err(Error::Failed(Failure::UnknownTopic));
    assert_eq!(fetch(None, false, &answers).await, (failed, Duration::ZERO, 1));
    assert_eq!(fetch(None, true, &answers).await, (Ok(7), SECOND, 1));
    let (result, ..) = fetch(None, true, &[Err(Failure::Malformed)]).await;
    assert_eq!(result, Err(Error::Failed(Failure::Malformed)));
}

#[tokio::test(start_paused = true)]
async fn past_the_deadline_the_last_error_is_named() {
    let answers = [Err(Failure::LeaderNotAvailable), Err(Failure::NotLeader)];
    let expired = Err(Error::DeadlineExceeded(Failure::NotLeader));
    assert_eq!(fetch(Some(SECOND * 3), false, &answers).await, (expired, SECOND, 1));
}
