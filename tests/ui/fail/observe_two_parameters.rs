//! An observer is given the event alone; the error stands at the closure.

use retry_runtime::{Budget, Outcome, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

#[retry(
    attempts = 4,
    budget = PAYMENTS,
    classify_err = |_: &String| Outcome::Retry,
    observe = |event, attempt| println!("{event:?} {attempt}"),
)]
async fn charge() -> Result<u32, String> {
    Err("refused".to_owned())
}

fn main() {}

// Section: Values
