//! The name of the attempt would hide the parameter from the body, without a word.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

#[retry(attempts = 4, budget = PAYMENTS, classify_err = |_| Outcome::Retry, attempt = id)]
async fn charge(id: u32) -> Result<u32, String> {
    Ok(id)
}

fn main() {}

// Section: Parameters and clone
