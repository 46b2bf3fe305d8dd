//! A body that sets `self` anew would set it for the next attempt too.

use std::sync::Arc;

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

struct Client {
    next: Option<Arc<Client>>,
}

impl Client {
    #[retry(attempts = 4, budget = PAYMENTS, classify_err = |_| Outcome::Retry)]
    async fn charge(mut self: Arc<Self>) -> Result<u32, String> {
        self = self.next.clone().ok_or("no other")?;
        Ok(1)
    }

    #[retry(attempts = 4, budget = PAYMENTS, classify_err = |_| Outcome::Retry)]
    async fn refund(mut self: &Self) -> Result<u32, String> {
        self = self.next.as_ref().ok_or("no other")?;
        Ok(1)
    }
}

fn main() {}

// Section: Parameters and clone
