//! Calls that block their thread.

use std::thread;

use retry_runtime::{Backoff, Budget, Outcome, Policy, retry};

use super::by_hand::Bucket;
use crate::work::{ATTEMPTS, Answer, Busy, Work};

static BUDGET: Budget = Budget::new(1000, 10.0);
static POLICY: Policy = Policy::new(ATTEMPTS).backoff(Backoff::none());

/// The loop that one would write by hand, with the budget's rule.
#[inline(never)]
pub fn by_hand(work: &Work) -> Answer {
    static BUCKET: Bucket = Bucket::new(1_000_000, 10_000);
    let mut attempt = 1;
    loop {
        match work.answer() {
            Ok(value) => {
                BUCKET.refill();
                return Ok(value);
            }
            Err(_) if BUCKET.take() && attempt < ATTEMPTS => attempt += 1,
            Err(error) => return Err(error),
        }
        if work.delay.is_zero() {
            thread::yield_now();
        } else {
            thread::sleep(work.delay);
        }
    }
}

#[retry(
    attempts = 4,
    budget = BUDGET,
    classify_err = |_: &Busy| Outcome::Retry,
    schedule = Backoff::none(),
    blocking,
)]
#[inline(never)]
pub fn attribute(work: &Work) -> Answer {
    work.answer()
}

#[inline(never)]
pub fn run(work: &Work) -> Answer {
    let classify = |answer: &Answer| if answer.is_ok() { Outcome::Success } else { Outcome::Retry };
    POLICY.call(&BUDGET).classify(&classify).run_blocking(|_| work.answer())
}
