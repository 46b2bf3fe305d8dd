//! A constant is a new budget at each use: a static is one for all.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

const REFUNDS: Budget = Budget::new(10, 0.1);

#[retry(attempts = 4, budget = REFUNDS, classify = classify_http)]
async fn charge(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: budget and retrier
