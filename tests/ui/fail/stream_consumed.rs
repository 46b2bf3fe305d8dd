//! A stream can be sent once: the second attempt would send an empty one. The error is
//! at the parameter. Take what can be opened again, a path or the bytes, or lend it.
use std::io::Read;

use retry_runtime::{Budget, Outcome, retry};

static BUDGET: Budget = Budget::new(10, 0.1);

async fn send(body: Box<dyn Read + Send>) -> Result<(), u16> {
    drop(body);
    Ok(())
}

#[retry(attempts = 4, budget = BUDGET, classify = |_| Outcome::Retry)]
async fn upload(body: Box<dyn Read + Send>) -> Result<(), u16> {
    send(body).await
}

fn main() {}

// Section: Parameters and clone
