//! Every setting of the policy is overridden.

use retry_runtime::{Backoff, Budget, Outcome, Policy, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

const SCHEDULE: Backoff = Backoff::none();
const POLICY: Policy = Policy::new(4);

#[retry(policy = POLICY, attempts = 4, schedule = SCHEDULE, within = 30s,
    budget = PAYMENTS, classify = classify_http)]
async fn charge(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: Schedules, policies, deadlines and cancellation
