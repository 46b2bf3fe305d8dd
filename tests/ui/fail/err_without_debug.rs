//! Nor by its `Debug`, if it has none.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, Refused>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

pub struct Refused;

#[retry(attempts = 4, budget = PAYMENTS, classify = classify_http, err(Debug))]
async fn charge(cents: u32) -> Result<u32, Refused> {
    Ok(cents)
}

fn main() {}

// Section: The text of an error
