//! Statics have no hygiene: one that is named like a variable of the expansion is in its
//! way. The prefix `__retry_` is reserved.
use retry_runtime::{Budget, Outcome, retry};

static BUDGET: Budget = Budget::new(10, 0.1);

#[allow(non_upper_case_globals)]
static __retry_outcome: u8 = 1;

#[retry(attempts = 4, budget = BUDGET, classify = |_| Outcome::Retry)]
async fn get() -> Result<u8, u16> {
    Ok(__retry_outcome)
}

fn main() {}

// Section: The body
