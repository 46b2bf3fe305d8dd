//! `cancel` takes the future that completes when the call is to end, not the object that
//! has one: `cancel = token.cancelled()`.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

struct CancellationToken;

impl CancellationToken {
    async fn cancelled(&self) {}
}

#[retry(attempts = 4, budget = PAYMENTS, classify_err = |_| Outcome::Retry, cancel = token.clone())]
async fn charge(token: std::sync::Arc<CancellationToken>) -> Result<(), String> {
    token.cancelled().await;
    Ok(())
}

fn main() {}

// Section: Schedules, policies, deadlines and cancellation
