//! A thread that blocks in an attempt cannot be stopped from outside: only the client that the
//! body calls can give up in time.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

#[retry(attempts = 4, budget = PAYMENTS, classify = classify_http, blocking, attempt_timeout = 2s, on_timeout = Err(String::new()))]
fn charge(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: Functions that block their thread
