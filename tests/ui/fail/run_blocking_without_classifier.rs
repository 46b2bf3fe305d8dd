//! The call of a policy has no classifier, and no result is retried without one.

use retry_runtime::{Budget, Policy};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn send() -> Result<(), String> {
    Ok(())
}

fn charge() -> Result<(), String> {
    let mut call = Policy::new(4).call(&PAYMENTS);
    call.run_blocking(|_| send())
}

fn main() {}

// Section: Running a call
