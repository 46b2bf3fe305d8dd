//! A future is `Send` if what the block holds is.

use retry_runtime::{Budget, Outcome, retry_block};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

fn spawn(_future: impl Future + Send) {}

async fn charge() {
    spawn(retry_block!(attempts = 4, budget = PAYMENTS, classify = classify_http, async {
        let held = std::rc::Rc::new(5);
        std::future::ready(()).await;
        Ok(*held)
    }));
}

fn main() {}

// Section: A block in the middle of a function
