//! The comma lets rustfmt format the call as that of a function.

use retry_runtime::{Budget, Outcome, retry_block};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

async fn charge(cents: u32) -> Result<u32, String> {
    retry_block!(attempts = 4, budget = PAYMENTS, classify = classify_http async { Ok(cents) }).await
}

fn main() {}

// Section: A block in the middle of a function
