//! A generic parameter without the bound `Clone`: one error, at the parameter, and rustc
//! proposes the bound.
use retry_runtime::{Budget, Outcome, retry};

static BUDGET: Budget = Budget::new(10, 0.1);

#[retry(attempts = 4, budget = BUDGET, classify = |_| Outcome::Retry, clone(value))]
async fn keep<T: Send>(value: T) -> Result<T, u16> {
    Ok(value)
}

fn main() {}

// Section: Parameters and clone
