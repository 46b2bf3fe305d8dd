//! If the classifier judges every error, the block names the error that `?` converts
//! into: by `Ok::<_, ClientError>(..)`.

use retry_runtime::{Budget, Outcome, retry_block};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify<E>(result: &Result<u32, E>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

async fn charge(cents: &str) -> u32 {
    let result = retry_block!(attempts = 4, budget = PAYMENTS, classify = classify, async {
        let cents: u32 = cents.parse()?;
        Ok(cents)
    });
    result.await.unwrap_or_default()
}

fn main() {}

// Section: A block in the middle of a function
