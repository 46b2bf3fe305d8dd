//! No limit by count is called `unlimited`, whatever it is called elsewhere.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

#[retry(attempts = infinite, budget = PAYMENTS, classify_err = |_| Outcome::Retry, within = 30s)]
async fn charge(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: attempts
