//! A `?` and no tail: one error, as without the attribute.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

#[retry(attempts = 4, budget = PAYMENTS, classify = classify_http)]
async fn charge(cents: u32) -> Result<u32, String> {
    u8::try_from(cents).map_err(|error| error.to_string())?;
}

fn main() {}

// Section: The body
