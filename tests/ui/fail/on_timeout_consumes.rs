//! The value is made for each attempt that took too long, so the first would use the
//! argument up: `name.clone()` mends it.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<usize, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

#[retry(attempts = 4, budget = PAYMENTS, classify = classify_http, attempt_timeout = 2s, on_timeout = Err(name))]
async fn charge(name: String) -> Result<usize, String> {
    Ok(name.len())
}

fn main() {}

// Section: The time of an attempt, and timers
