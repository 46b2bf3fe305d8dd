//! A retrier has a policy of its own: which of the two should decide?

use retry_runtime::{Budget, Classify, Outcome, Policy, Retrier, retry};

const POLICY: Policy = Policy::new(4);

struct Http;

static PAYMENTS: Retrier<Http> = Retrier::new(POLICY, Budget::new(10, 0.1), Http);

impl Classify<Result<u32, String>> for Http {
    fn classify(&self, result: &Result<u32, String>) -> Outcome {
        if result.is_ok() { Outcome::Success } else { Outcome::Retry }
    }
}

#[retry(retrier = PAYMENTS, policy = POLICY)]
async fn charge(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: budget and retrier
