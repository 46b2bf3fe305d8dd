//! The output of a macro may hold a function: the attribute belongs on that one.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

macro_rules! functions {
    () => {};
}

#[retry(attempts = 4, budget = PAYMENTS, classify = classify_http)]
functions! {}

fn main() {}

// Section: Where the attribute stands
