//! Two attributes would multiply their attempts, whatever they are called.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

use retry_runtime::retry as again;

#[retry(attempts = 4, budget = PAYMENTS, classify = classify_http)]
#[again(attempts = 3, budget = PAYMENTS, classify = classify_http)]
async fn charge(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: Where the attribute stands
