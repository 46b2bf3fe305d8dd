//! A key that neither the `impl` nor the method has is missing at the method.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

struct Client;

#[retry(budget = PAYMENTS, classify = classify_http)]
impl Client {
    #[retry]
    async fn charge(&self, cents: u32) -> Result<u32, String> {
        Ok(cents)
    }
}

fn main() {}

// Section: Keys shared by an impl
