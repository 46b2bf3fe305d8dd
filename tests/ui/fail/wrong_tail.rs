//! A type error in the body is at the body's own token.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

#[retry(attempts = 4, budget = PAYMENTS, classify = classify_http)]
async fn charge(_cents: u32) -> Result<u32, String> {
    "plain"
}

fn main() {}

// Section: The body
