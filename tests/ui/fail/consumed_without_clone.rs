//! The first attempt consumes the argument: the second has none. The error is at the
//! parameter; `clone(name)` mends it.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

#[retry(attempts = 4, budget = PAYMENTS, classify = classify_http)]
async fn charge(name: String) -> Result<u32, String> {
    Err(name)
}

fn main() {}

// Section: Parameters and clone
