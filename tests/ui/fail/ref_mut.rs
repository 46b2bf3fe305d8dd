//! A body changes the one value of all attempts through `ref mut`.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

#[retry(attempts = 4, budget = PAYMENTS, classify_err = |_| Outcome::Retry)]
async fn charge(ref mut cents: u32) -> Result<u32, String> {
    *cents += 1;
    Ok(*cents)
}

fn main() {}

// Section: Parameters and clone
