//! A closure lends what it changes to the future of one attempt, which `FnMut` cannot say.
//! `retry_block!` borrows local variables by `&mut` over attempts.

use retry_runtime::{Budget, Outcome, Policy};

static PAYMENTS: Budget = Budget::new(10, 0.1);

async fn resume(offset: &mut u64) -> Result<(), String> {
    *offset += 1;
    Err("broken".to_owned())
}

fn classify(_result: &Result<(), String>) -> Outcome {
    Outcome::Retry
}

async fn download() -> Result<u64, String> {
    let mut offset = 0;
    let mut call = Policy::new(4).call(&PAYMENTS);
    call.run_with(classify, async |_| resume(&mut offset).await).await?;
    Ok(offset)
}

fn main() {}

// Section: Running a call
