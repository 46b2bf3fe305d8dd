//! A borrow of `&mut self` in the result would have to outlive its attempt.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

struct Client(u32);

impl Client {
    #[retry(attempts = 4, budget = PAYMENTS, classify = |_| Outcome::Success)]
    async fn charge(&mut self) -> Result<&u32, String> {
        Ok(&self.0)
    }
}

fn main() {}

// Section: Parameters and clone
