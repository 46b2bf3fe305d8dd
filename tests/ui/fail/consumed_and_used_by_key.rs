//! The first attempt consumes the argument, and a key uses it too. The error is at the
//! parameter all the same; `clone(message)` mends it.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

fn budget_of(_: &str) -> &'static Budget {
    &PAYMENTS
}

#[retry(attempts = 4, budget = budget_of(&message), classify = classify_http)]
async fn send(message: String) -> Result<u32, String> {
    Err(message)
}

fn main() {}

// Section: Parameters and clone
