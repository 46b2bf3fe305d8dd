//! The result of an attempt must be written in the return type: an alias hides it.

use std::pin::Pin;

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

type Answer = Pin<Box<dyn Future<Output = Result<u32, String>> + Send>>;

#[retry(attempts = 4, budget = PAYMENTS, classify = classify_http)]
fn charge(cents: u32) -> Answer {
    Box::pin(async move { Ok(cents) })
}

fn main() {}

// Section: Where the attribute stands
