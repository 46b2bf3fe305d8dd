//! A value that implements `Classify` judges the whole result: `classify = value`.

use retry_runtime::{Budget, Classify, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

struct Sql;

impl Classify<Result<u32, String>> for Sql {
    fn classify(&self, result: &Result<u32, String>) -> Outcome {
        if result.is_ok() { Outcome::Success } else { Outcome::Retry }
    }
}

#[retry(attempts = 4, budget = PAYMENTS, classify_err = Sql)]
async fn charge(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: Classifiers
