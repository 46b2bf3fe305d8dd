//! A schedule is no policy: it has a key of its own.

use retry_runtime::{Backoff, Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

#[retry(policy = Backoff::DEFAULT, budget = PAYMENTS, classify = classify_http)]
async fn charge(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: Schedules, policies, deadlines and cancellation
