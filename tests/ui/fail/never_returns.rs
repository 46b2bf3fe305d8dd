//! A function that never returns has no result.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

#[retry(attempts = 4, budget = PAYMENTS, classify = |_| Outcome::Retry)]
async fn serve() -> ! {
    loop {}
}

fn main() {}

// Section: Where the attribute stands
