//! A retrier is a value that is kept, not a function that makes one at each call.

use retry_runtime::{Budget, Outcome, Policy, Retrier, on_err, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

#[retry(retrier = || Retrier::new(Policy::new(4), &PAYMENTS, on_err(|_: &String| Outcome::Retry)))]
async fn charge() -> Result<u32, String> {
    Err("refused".to_owned())
}

fn main() {}

// Section: budget and retrier
