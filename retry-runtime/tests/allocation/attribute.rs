//! A call allocates nothing that its body does not, retries and waits included.
//!
//! A binary of its own, because it counts with a global allocator. It is among this
//! package's tests, because only here a test can say without which feature it holds:
//! with `metrics`, an attempt allocates its labels.

#![cfg(all(feature = "macros", feature = "tokio", not(feature = "metrics")))]

use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::time::Duration;

use retry_runtime::{Backoff, Budget, Decision, Outcome, Policy, Retrier, on_err, retry};

#[derive(Debug, PartialEq)]
struct Busy;

fn classify(result: &Result<u32, Busy>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

/// How many allocations `future` makes, in all its polls.
async fn allocations<F: Future>(future: F) -> (u64, F::Output) {
    let mut future = pin!(future);
    let mut total = 0;
    let output = poll_fn(|context| {
        let mut poll = None;
        let counted = allocation_counter::measure(|| poll = Some(future.as_mut().poll(context)));
        total += counted.count_total;
        poll.expect("it was polled")
    })
    .await;
    (total, output)
}

#[tokio::test(start_paused = true)]
async fn the_count_sees_an_allocation() {
    let (count, _) = allocations(async { Box::new(1_u8) }).await;
    assert_eq!(count, 1);
}

#[tokio::test(start_paused = true)]
async fn of_a_success_and_of_retries_with_waits() {
    static BUDGET: Budget = Budget::new(100, 0.1);
    #[retry(attempts = 5, budget = BUDGET, classify = classify, attempt = this)]
    async fn default_schedule(succeed_at: u32) -> Result<u32, Busy> {
        if this.number() < succeed_at { Err(Busy) } else { Ok(this.number()) }
    }
    #[retry(
        attempts = 5,
        budget = BUDGET,
        classify = classify,
        attempt = this,
        schedule = Backoff::constant(10ms),
        within = 1m,
        observe = |event| *told += u32::from(matches!(event.decision, Decision::Again { .. })),
    )]
    async fn limited(succeed_at: u32, told: &mut u32) -> Result<u32, Busy> {
        if this.number() < succeed_at { Err(Busy) } else { Ok(this.number()) }
    }
    // The clock and the generator of each thread are made at their first use.
    default_schedule(9).await.unwrap_err();
    assert_eq!(allocations(default_schedule(1)).await, (0, Ok(1)));
    assert_eq!(allocations(default_schedule(4)).await, (0, Ok(4)));
    assert_eq!(allocations(default_schedule(9)).await, (0, Err(Busy)));
    let mut told = 0;
    assert_eq!(allocations(limited(4, &mut told)).await, (0, Ok(4)));
    assert_eq!(told, 3);
}

#[tokio::test(start_paused = true)]
async fn of_a_wait_that_can_be_cut() {
    #[retry(
        attempts = 3,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(10ms),
        cancel = pending::<()>(),
    )]
    async fn never() -> Result<u32, Busy> {
        Err(Busy)
    }
    #[retry(
        attempts = 3,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(10ms),
        cancel = tokio::time::sleep(Duration::from_millis(15)),
    )]
    async fn soon() -> Result<u32, Busy> {
        Err(Busy)
    }
    assert_eq!(allocations(never()).await, (0, Err(Busy)));
    assert_eq!(allocations(soon()).await, (0, Err(Busy)));
}

#[tokio::test(start_paused = true)]
async fn of_an_attempt_that_is_ended() {
    #[retry(
        attempts = 3,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(10ms),
        attempt_timeout = 10ms,
        on_timeout = Err(Busy),
        attempt = this,
    )]
    async fn hangs(succeed_at: u32) -> Result<u32, Busy> {
        if this.number() < succeed_at { pending().await } else { Ok(this.number()) }
    }
    assert_eq!(allocations(hangs(3)).await, (0, Ok(3)));
    assert_eq!(allocations(hangs(9)).await, (0, Err(Busy)));
}

#[tokio::test(start_paused = true)]
async fn of_a_retrier_and_of_a_loop_by_hand() {
    let retrier = Retrier::new(
        Policy::new(4).backoff(Backoff::constant(Duration::from_millis(10))),
        Budget::new(10, 0.1),
        on_err(|Busy: &Busy| Outcome::Retry),
    );
    struct Client<'a, C> {
        retrier: &'a Retrier<C>,
    }
    impl<C: retry_runtime::Classify<Result<u32, Busy>>> Client<'_, C> {
        #[retry(retrier = self.retrier, attempt = this)]
        async fn get(&self) -> Result<u32, Busy> {
            if this.number() < 3 { Err(Busy) } else { Ok(3) }
        }
        async fn get_by_hand(&self) -> Result<u32, Busy> {
            let mut call = self.retrier.call();
            loop {
                let result = if call.attempt() < 3 { Err(Busy) } else { Ok(3) };
                if !call.again(self.retrier.classify(&result)).await {
                    return result;
                }
            }
        }
    }
    let client = Client { retrier: &retrier };
    assert_eq!(allocations(client.get()).await, (0, Ok(3)));
    assert_eq!(allocations(client.get_by_hand()).await, (0, Ok(3)));
}
