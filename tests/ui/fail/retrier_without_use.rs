//! Every part of the retrier is overridden.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

use retry_runtime::{Backoff, OnErr, Policy, Retrier, on_err};

static REFUNDS: Retrier<OnErr<fn(&String) -> Outcome>> =
    Retrier::new(Policy::new(4), Budget::new(10, 0.1), on_err(|_| Outcome::Retry));

#[retry(
    retrier = REFUNDS,
    attempts = 4,
    budget = PAYMENTS,
    classify = classify_http,
    schedule = Backoff::none(),
    within = 30s
)]
async fn charge(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: budget and retrier
