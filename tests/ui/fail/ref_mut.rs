//! What a body changes through `ref mut` is the one value of all attempts.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

#[retry(attempts = 4, budget = PAYMENTS, classify_err = |_| Outcome::Retry)]
async fn charge(ref mut cents: u32) -> Result<u32, String> {
    *cents += 1;
    Ok(*cents)
}

fn main() {}

// Section: Parameters and clone
