//! The same of a deadline.

use retry_runtime::{Budget, Outcome, retry};
use std::time::Instant;

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

#[retry(attempts = unlimited, budget = PAYMENTS, classify = classify_http, deadline = limit)]
async fn charge(cents: u32, limit: Option<Instant>) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: Schedules, policies, deadlines and cancellation
