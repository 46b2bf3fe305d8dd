//! `clone` takes the name of a parameter; the `mut` stays where it is.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

#[retry(attempts = 4, budget = PAYMENTS, classify = classify_http, clone(mut row))]
async fn charge(mut row: String) -> Result<u32, String> {
    row.push('!');
    Err(row)
}

fn main() {}

// Section: Parameters and clone
