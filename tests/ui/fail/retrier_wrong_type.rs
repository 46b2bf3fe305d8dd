//! A budget has no policy and no classifier: it is the value of `budget`.

use retry_runtime::{Budget, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

#[retry(retrier = PAYMENTS)]
async fn charge(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

struct Client {
    payments: Budget,
}

impl Client {
    #[retry(retrier = self.payments)]
    async fn charge(&self, cents: u32) -> Result<u32, String> {
        Ok(cents)
    }
}

fn main() {}

// Section: budget and retrier
