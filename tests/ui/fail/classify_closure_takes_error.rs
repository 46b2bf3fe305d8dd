//! A closure that says what it takes, and it is the error alone: that is for
//! `classify_err`.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

#[retry(attempts = 4, budget = PAYMENTS, classify = |error: &String| Outcome::Retry)]
async fn charge(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: Classifiers
