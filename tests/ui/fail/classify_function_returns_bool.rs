//! A classifier says more than yes or no: of a function that gives a `bool`, rustc says
//! that it is no function to an `Outcome`.

use retry_runtime::{Budget, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn is_transient(result: &Result<u32, String>) -> bool {
    result.is_err()
}

#[retry(attempts = 4, budget = PAYMENTS, classify = is_transient)]
async fn charge(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: Classifiers
