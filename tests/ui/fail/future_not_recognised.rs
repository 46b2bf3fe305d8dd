//! The attempt is hidden in another function: to retry nothing silently would be worse.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

use std::future::Future;

#[retry(attempts = 4, budget = PAYMENTS, classify = classify_http)]
fn charge(cents: u32) -> impl Future<Output = Result<u32, String>> {
    std::future::ready(Ok(cents))
}

fn main() {}

// Section: Where the attribute stands
