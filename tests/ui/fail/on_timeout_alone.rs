//! A result for attempts that took too long, and no time that they may take.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

#[retry(attempts = 4, budget = PAYMENTS, classify = classify_http, on_timeout = Err(String::new()))]
async fn charge(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: The time of an attempt, and timers
