//! The message about a missing key shows the keys that are there.

use retry_runtime::{Outcome, retry};

fn classify_error(error: &String) -> Outcome {
    if error.is_empty() { Outcome::Stop } else { Outcome::Retry }
}

#[retry(attempts = 5, classify_err = classify_error)]
async fn charge(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: What is missing
