//! An attempt of `run` is a future: an `async` closure, or one that calls an async function. A
//! closure that gives its result at once is for `run_blocking`.

use retry_runtime::{Budget, Outcome, Policy};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn send() -> Result<u32, String> {
    Err("refused".to_owned())
}

fn classify(_result: &Result<u32, String>) -> Outcome {
    Outcome::Retry
}

async fn charge() -> Result<u32, String> {
    let mut call = Policy::new(4).call(&PAYMENTS);
    call.run_with(classify, |_| send()).await
}

fn main() {}

// Section: Running a call
