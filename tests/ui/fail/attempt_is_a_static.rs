//! A static cannot be hidden by the name of the attempt: rustc names both.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);
static COUNT: u32 = 3;

#[retry(attempts = 4, budget = PAYMENTS, classify_err = |_| Outcome::Retry, attempt = COUNT)]
async fn charge(id: u32) -> Result<u32, String> {
    drop(COUNT);
    Ok(id)
}

fn main() {}

// Section: Parameters and clone
