//! A constant is checked when the function is compiled, used or not.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

const NONE: u32 = 0;

#[retry(attempts = NONE, budget = PAYMENTS, classify = classify_http)]
async fn charge(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: attempts
