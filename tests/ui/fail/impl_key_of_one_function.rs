//! A key that names one function cannot hold for all.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

struct Client;

#[retry(attempts = 4, budget = PAYMENTS, classify = classify_http, name = "client", attempt = attempt, clone(cents), blocking)]
impl Client {
    #[retry]
    async fn charge(&self, cents: u32) -> Result<u32, String> {
        Ok(cents)
    }
}

fn main() {}

// Section: Keys shared by an impl
