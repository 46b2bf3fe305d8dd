//! A reference can be used again by every attempt.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

#[retry(attempts = 4, budget = PAYMENTS, classify = classify_http, clone(name))]
async fn charge(name: &str) -> Result<u32, String> {
    Err(name.to_owned())
}

fn main() {}

// Section: Parameters and clone
