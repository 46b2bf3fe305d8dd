//! The error is at the parameter whose type cannot be cloned.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

struct Receipt(u32);

#[retry(attempts = 4, budget = PAYMENTS, classify = classify_http, clone(receipt))]
async fn charge(receipt: Receipt) -> Result<u32, String> {
    Ok(receipt.0)
}

fn main() {}

// Section: Parameters and clone
