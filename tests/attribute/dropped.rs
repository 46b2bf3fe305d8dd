//! Calls whose future is dropped, at every point where it can be.

use std::cell::Cell;
use std::future::{Future, pending};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use retry_runtime::{Backoff, Budget, retry};
use tokio::task::yield_now;
use tokio::time::{advance, sleep};

use crate::support::{Calls, Error, Seen, classify, ms};

/// The attempts that have begun, and how many have failed.
struct Attempts {
    begun: Calls,
    failed: Cell<usize>,
}

/// What the body does in each attempt: it waits in two places.
async fn attempt(attempts: &Attempts) -> Result<(), Error> {
    attempts.begun.next();
    sleep(ms(2)).await;
    yield_now().await;
    attempts.failed.set(attempts.failed.get() + 1);
    Err(Error::Again)
}

#[retry(
    attempts = 3,
    budget = *budget,
    classify = classify,
    schedule = Backoff::constant(3ms),
    observe = |event| seen.push(event),
)]
async fn plain(begun: &Attempts, budget: &Budget, seen: &Seen) -> Result<(), Error> {
    attempt(begun).await
}

#[retry(
    attempts = 3,
    budget = *budget,
    classify = classify,
    schedule = Backoff::constant(3ms),
    within = 1s,
    cancel = pending::<()>(),
    observe = |event| seen.push(event),
)]
async fn with_limits(begun: &Attempts, budget: &Budget, seen: &Seen) -> Result<(), Error> {
    attempt(begun).await
}

#[tokio::test(start_paused = true)]
async fn each_failure_is_paid_and_nothing_else() {
    let ends = dropped_after_each_poll(|begun, budget, seen| Box::pin(plain(begun, budget, seen)));
    assert_eq!(ends.await, EVERY_POINT);
}

#[tokio::test(start_paused = true)]
async fn with_a_limit_and_a_cancellation_it_is_the_same() {
    let ends =
        dropped_after_each_poll(|begun, budget, seen| Box::pin(with_limits(begun, budget, seen)));
    // A cancellation is polled twice after each attempt, so there is one point more.
    let mut expected = EVERY_POINT.to_vec();
    for attempt in (1..=3).rev() {
        let index = expected.iter().position(|point| *point == (attempt, attempt - 1)).unwrap();
        expected.insert(index, (attempt, attempt - 1));
    }
    assert_eq!(ends.await, expected);
}

/// The attempts begun and decided on when a call is dropped after so many polls, with
/// a millisecond between them: never begun; then for each attempt two polls in its
/// sleep and one where it yields, and three in the wait that follows.
const EVERY_POINT: [(usize, usize); 17] = [
    (0, 0),
    (1, 0),
    (1, 0),
    (1, 0),
    (1, 1),
    (1, 1),
    (1, 1),
    (2, 1),
    (2, 1),
    (2, 1),
    (2, 2),
    (2, 2),
    (2, 2),
    (3, 2),
    (3, 2),
    (3, 2),
    (3, 3),
];

type Call<'a> = Pin<Box<dyn Future<Output = Result<(), Error>> + 'a>>;

/// Drops a call before its first poll, after one poll, and so on until it is over.
async fn dropped_after_each_poll(
    call: impl for<'a> Fn(&'a Attempts, &'a Budget, &'a Seen) -> Call<'a>,
) -> Vec<(usize, usize)> {
    let mut ends = Vec::new();
    for polls in 0.. {
        let budget = Budget::new(10, 0.1);
        let attempts = Attempts { begun: Calls::new(), failed: Cell::new(0) };
        let seen = Seen::default();
        let mut future = call(&attempts, &budget, &seen);
        let mut is_over = false;
        for _ in 0..polls {
            advance(ms(1)).await;
            is_over = poll(future.as_mut()).is_ready();
        }
        drop(future);
        let decided = seen.all().len();
        // Also where the call was dropped before it had decided on the last one.
        let failed = attempts.failed.get();
        assert_eq!(budget.tokens(), 10.0 - failed as f64, "after {polls} polls");
        ends.push((attempts.begun.count(), decided));
        if is_over {
            break;
        }
    }
    ends
}

fn poll<F: Future + ?Sized>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}
