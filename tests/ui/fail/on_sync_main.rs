//! `#[tokio::main]` above has already made a synchronous function of it.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

#[tokio::main(flavor = "current_thread")]
#[retry(attempts = 4, budget = PAYMENTS, classify = |_| Outcome::Success)]
async fn other() {}

#[retry(attempts = 4, budget = PAYMENTS, classify = |_| Outcome::Success)]
#[tokio::main(flavor = "current_thread")]
async fn main() {}

// Section: Where the attribute stands
