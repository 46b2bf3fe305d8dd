//! Changes of the first attempt to `mut names` would leak into the second.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

#[retry(attempts = 4, budget = PAYMENTS, classify = classify_http)]
async fn charge(mut names: Vec<String>) -> Result<u32, String> {
    names.clear();
    Ok(0)
}

fn main() {}

// Section: Parameters and clone
