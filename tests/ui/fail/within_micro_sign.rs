//! A micro sign is no letter of a unit here.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

#[retry(attempts = 4, budget = PAYMENTS, classify_err = |_| Outcome::Retry, within = 5µs)]
async fn charge(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: Durations
