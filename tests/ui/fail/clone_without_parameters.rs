//! There is no parameter to clone.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

#[retry(attempts = 4, budget = PAYMENTS, classify = classify_http, clone(cents))]
async fn charge() -> Result<u32, String> {
    Ok(1)
}

fn main() {}

// Section: Parameters and clone
