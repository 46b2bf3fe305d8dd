//! A name is a label with few values: text that is known at compile time.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

#[retry(attempts = 4, budget = PAYMENTS, classify = classify_http, name = 7)]
async fn charge(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

#[retry(attempts = 4, budget = PAYMENTS, classify = classify_http, name = format!("charge"))]
async fn charge_again(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: Keys
