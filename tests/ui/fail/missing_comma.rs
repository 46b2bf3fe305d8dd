//! Each key is an argument of its own. What stands around the place is read all the same, so
//! this is the only error.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

#[retry(
    attempts = 4,
    budget = PAYMENTS,
    classify_err = |_| Outcome::Retry,
    attempt_timeout = 1s on_timeout = Err(String::from("slow")),
)]
async fn charge(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: Keys
