//! Calls whose future is dropped, at every point where it can be.

use std::future::{Future, pending};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use retry_runtime::{Backoff, Budget, retry};
use tokio::task::yield_now;
use tokio::time::{advance, sleep};

use crate::support::{Calls, Error, Seen, classify, ms};

/// What the body does in each attempt: it waits in two places.
async fn attempt(calls: &Calls) -> Result<(), Error> {
    calls.next();
    sleep(ms(2)).await;
    yield_now().await;
    Err(Error::Again)
}

#[retry(
    attempts = 3,
    budget = *budget,
    classify = classify,
    schedule = Backoff::constant(3ms),
    observe = |event| seen.push(event),
)]
async fn plain(calls: &Calls, budget: &Budget, seen: &Seen) -> Result<(), Error> {
    attempt(calls).await
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
async fn with_limits(calls: &Calls, budget: &Budget, seen: &Seen) -> Result<(), Error> {
    attempt(calls).await
}

#[tokio::test(start_paused = true)]
async fn the_budget_is_as_the_decisions_so_far_left_it() {
    let ends = dropped_after_each_poll(|calls, budget, seen| Box::pin(plain(calls, budget, seen)));
    assert_eq!(ends.await, EVERY_POINT);
}

#[tokio::test(start_paused = true)]
async fn with_a_limit_and_a_cancellation_it_is_the_same() {
    let ends =
        dropped_after_each_poll(|calls, budget, seen| Box::pin(with_limits(calls, budget, seen)));
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
    call: impl for<'a> Fn(&'a Calls, &'a Budget, &'a Seen) -> Call<'a>,
) -> Vec<(usize, usize)> {
    let mut ends = Vec::new();
    for polls in 0.. {
        let budget = Budget::new(10, 0.1);
        let (calls, seen) = (Calls::new(), Seen::default());
        let mut future = call(&calls, &budget, &seen);
        let mut is_over = false;
        for _ in 0..polls {
            advance(ms(1)).await;
            is_over = poll(future.as_mut()).is_ready();
        }
        drop(future);
        let decided = seen.all().len();
        assert_eq!(budget.tokens(), 10.0 - decided as f64, "after {polls} polls");
        ends.push((calls.count(), decided));
        if is_over {
            break;
        }
    }
    ends
}

fn poll<F: Future + ?Sized>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}
