//! An observer is a function of an event.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

struct Wrong;

#[retry(attempts = 3, budget = PAYMENTS, classify_err = |_| Outcome::Retry, observe = Wrong)]
async fn get() -> Result<u32, String> {
    Ok(1)
}

fn main() {}

// Section: Values
