//! The same for a parameter with a named lifetime.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

#[retry(attempts = 4, budget = PAYMENTS, classify = |_| Outcome::Success)]
async fn charge<'a>(cents: &'a mut u32, _name: &str) -> Result<&'a u32, String> {
    Ok(cents)
}

fn main() {}

// Section: Parameters and clone
