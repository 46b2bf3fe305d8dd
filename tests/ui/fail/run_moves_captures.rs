//! An attempt is run more than once, so its closure cannot give away what it captured:
//! without `move`, the future borrows.

use retry_runtime::{Budget, Outcome, Policy};

static PAYMENTS: Budget = Budget::new(10, 0.1);

async fn send(request: String) -> Result<(), String> {
    Err(request)
}

fn classify(_result: &Result<(), String>) -> Outcome {
    Outcome::Retry
}

async fn charge(request: String) -> Result<(), String> {
    let mut call = Policy::new(4).call(&PAYMENTS);
    call.run_with(classify, async move |_| send(request).await).await
}

fn main() {}

// Section: Running a call
