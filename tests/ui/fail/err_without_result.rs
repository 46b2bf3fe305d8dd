//! There is no error in an `Option`: the text has to be made of the whole result.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

#[retry(attempts = 4, budget = PAYMENTS, classify = |_| Outcome::Retry, err)]
async fn find(cents: u32) -> Option<u32> {
    Some(cents)
}

fn main() {}

// Section: The text of an error
