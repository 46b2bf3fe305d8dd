//! A number is no retrier.

use retry_runtime::{retry};

#[retry(retrier = 4)]
async fn charge(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: budget and retrier
