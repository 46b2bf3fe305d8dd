//! The arguments of the attribute: commas inside values, units, order.

#![allow(clippy::redundant_closure, reason = "closures whose parameters have no type")]

use core::time::Duration;

use retry_runtime::{Backoff, Event, Jitter, Outcome, Policy, retry};

use super::{BUDGET, judge, run};

const ATTEMPTS: u32 = 2 + 1;
const POLICY: Policy = Policy::new(3).backoff(Backoff::none());

fn judge_by<T, const STRICT: bool>(result: &Result<T, &'static str>) -> Outcome {
    if STRICT && result.is_err() { Outcome::Stop } else { judge(result) }
}

fn spread<A, B>(_: &A, _: &B) -> Backoff {
    Backoff::linear(Duration::from_millis(1), Duration::from_millis(2))
}

#[retry(
    classify = judge_by::<u8, true>,
    schedule = spread::<u8, u8>(&1, &2).jitter(Jitter::Subtract(0.5)),
    budget = BUDGET,
    attempts = ATTEMPTS,
)]
async fn commas_in_generics(number: u8) -> Result<u8, &'static str> {
    Ok(number)
}

#[retry(attempts = 3, budget = &BUDGET, schedule = |attempt| { let _: u32 = attempt; 0ms }, classify = |result| judge(result))]
async fn closures_without_types(number: u8) -> Result<u8, &'static str> {
    if number == 0 { Err("again") } else { Ok(number) }
}

#[retry(policy = POLICY, budget = BUDGET, classify = judge, within = 1_500ms, observe = |event: &Event<'_>| count(event.attempt, number))]
async fn observed(number: u8) -> Result<u8, &'static str> {
    Ok(number)
}

fn count(attempt: u32, number: u8) {
    assert_eq!(attempt, u32::from(number));
}

#[retry(attempts = unlimited, within = 2h, budget = None, classify = judge, schedule = Backoff::exponential(1us, 1ms))]
async fn unlimited(number: u8) -> Result<u8, &'static str> {
    Ok(number)
}

struct Limits<const N: u32>;

impl<const N: u32> Limits<N> {
    const HALF: u32 = N / 2;

    #[retry(attempts = N, budget = none, classify = judge, attempt = attempt)]
    async fn generic(&self) -> Result<u32, &'static str> {
        if attempt.number() < N { Err("again") } else { Ok(attempt.number()) }
    }

    #[retry(attempts = Self::HALF, budget = none, classify = judge, attempt = attempt)]
    async fn associated(&self) -> Result<u32, &'static str> {
        if attempt.number() < Self::HALF { Err("again") } else { Ok(attempt.number()) }
    }
}

struct Limited<const LIMIT: u32>;

impl<const LIMIT: u32> Limited<LIMIT> {
    #[retry(attempts = LIMIT, budget = none, classify = judge, attempt = attempt)]
    async fn of_the_impl(&self) -> Result<u32, &'static str> {
        if attempt.number() < LIMIT { Err("again") } else { Ok(attempt.number()) }
    }
}

mod foreign {
    pub use core::prelude::v1::test as retry;
}

/// Another crate's attribute of the same name: it makes this a test.
#[retry(attempts = 1, budget = none, classify = judge, blocking)]
#[foreign::retry]
fn an_attribute_of_the_same_name() -> Result<(), &'static str> {
    Ok(())
}

#[test]
fn they_behave() {
    assert_eq!(run(Limited::<3>.of_the_impl()), Ok(3));
    assert_eq!(run(commas_in_generics(1)), Ok(1));
    assert_eq!(run(closures_without_types(0)), Err("again"));
    assert_eq!(run(observed(1)), Ok(1));
    assert_eq!(run(unlimited(1)), Ok(1));
    assert_eq!(run(Limits::<4>.generic()), Ok(4));
    assert_eq!(run(Limits::<4>.associated()), Ok(2));
}
