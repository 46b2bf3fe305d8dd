//! Beside `attempts = unlimited`, a limit that may be absent might leave the call without an
//! end.

use retry_runtime::{Budget, Outcome, retry};
use std::time::Duration;

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

#[retry(attempts = unlimited, budget = PAYMENTS, classify = classify_http, within = limit)]
async fn charge(cents: u32, limit: Option<Duration>) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: Durations
