//! `classify` is given the whole result. A function of the error alone is for
//! `classify_err`.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

fn classify_error(error: &String) -> Outcome {
    if error.is_empty() { Outcome::Stop } else { Outcome::Retry }
}

#[retry(attempts = 4, budget = PAYMENTS, classify = classify_error)]
async fn charge(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: Classifiers
