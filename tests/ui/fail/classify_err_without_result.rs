//! There is no error in an `Option`.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

#[retry(attempts = 4, budget = PAYMENTS, classify_err = |_| Outcome::Retry)]
async fn find(cents: u32) -> Option<u32> {
    Some(cents)
}

fn main() {}

// Section: Classifiers
