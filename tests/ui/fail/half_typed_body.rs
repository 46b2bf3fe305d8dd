//! A body that is still being typed: the errors of the plain function and no others, and
//! callers still see the function.
use retry_runtime::{Budget, Outcome, retry};

static BUDGET: Budget = Budget::new(10, 0.1);

#[retry(attempts = 4, budget = BUDGET, classify = |_| Outcome::Retry)]
async fn typing(text: &str) -> Result<usize, u16> {
    text.
}

fn main() {
    let _future = typing("a");
}

// Section: The body
