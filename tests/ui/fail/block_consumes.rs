//! An attempt that consumes a variable leaves nothing for the next: `clone(name)`.

use retry_runtime::{Budget, Outcome, retry_block};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

async fn send(name: String) -> Result<u32, String> {
    Err(name)
}

async fn charge(name: String) -> Result<u32, String> {
    retry_block!(attempts = 4, budget = PAYMENTS, classify = classify_http, async { send(name).await }).await
}

fn main() {}

// Section: A block in the middle of a function
