//! A mistake in the keys of the `impl` is reported once, where it was written, however many
//! methods are marked.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

struct Client;

#[retry(attempts = 0, bugdet = PAYMENTS, classify = classify_http, within = 30)]
impl Client {
    #[retry]
    async fn charge(&self, cents: u32) -> Result<u32, String> {
        Ok(cents)
    }

    #[retry]
    async fn refund(&self, cents: u32) -> Result<u32, String> {
        Ok(cents)
    }
}

fn main() {}

// Section: Keys shared by an impl
