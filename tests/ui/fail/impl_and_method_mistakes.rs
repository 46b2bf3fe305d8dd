//! The mistakes of the `impl`, once each, and those of its methods come in one run.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

struct Client;

#[retry(atempts = 4, budget = PAYMENTS, classify_err = |_: &String| Outcome::Retry, within = 30)]
impl Client {
    #[retry]
    async fn get(&self) -> Result<u32, String> {
        Ok(1)
    }

    #[retry(attempts = 0)]
    async fn list(&self) -> Result<u32, String> {
        Ok(2)
    }

    #[retry(deadline = 5, name)]
    async fn put(self) -> Result<u32, String> {
        Ok(3)
    }

    #[retry(within = 5)]
    fn head(&self) -> Result<u32, String> {
        Ok(3)
    }
}

fn main() {}

// Section: Keys shared by an impl
