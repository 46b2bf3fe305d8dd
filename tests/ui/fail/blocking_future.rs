//! Nor do those of a function that returns a future.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

#[retry(attempts = 4, budget = PAYMENTS, classify = classify_http, blocking)]
fn charge(cents: u32) -> impl Future<Output = Result<u32, String>> {
    async move { Ok(cents) }
}

fn main() {}

// Section: Functions that block their thread
