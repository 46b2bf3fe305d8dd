//! The first attempt consumes `self`, and a key uses it too. The error is at the receiver
//! all the same; `self: &Arc<Self>` mends it.

use std::sync::Arc;

use retry_runtime::{Budget, Outcome, retry};

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

struct Client {
    budget: Budget,
}

impl Client {
    #[retry(attempts = 4, budget = self.budget, classify = classify_http)]
    async fn charge(self: Arc<Self>, cents: u32) -> Result<u32, String> {
        drop(self);
        Ok(cents)
    }
}

fn main() {}

// Section: Parameters and clone
