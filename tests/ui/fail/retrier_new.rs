//! A retrier made on the spot has a new budget at every call, which limits nothing.

use retry_runtime::{Budget, Outcome, Policy, Retrier, on_err, retry};

#[retry(retrier = Retrier::new(Policy::new(4), Budget::new(10, 0.1), on_err(|_: &String| Outcome::Retry)))]
async fn charge(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: budget and retrier
