//! A classifier is of one error type, and the attempt has another: the error names both. The
//! classifier of this client is for `io::Error`.

use std::io;

use retry_runtime::{Budget, Outcome, Policy, on_err};

static PAYMENTS: Budget = Budget::new(10, 0.1);

async fn send() -> Result<u32, String> {
    Err("refused".to_owned())
}

fn classify_io(_error: &io::Error) -> Outcome {
    Outcome::Retry
}

async fn charge() -> Result<u32, String> {
    let mut call = Policy::new(4).call(&PAYMENTS);
    call.run_with(on_err(classify_io), async |_| send().await).await
}

fn main() {}

// Section: Running a call
