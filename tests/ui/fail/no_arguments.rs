//! There is no default for what may be repeated, how often, and at whose cost: the
//! attribute alone says nothing.

use retry_runtime::retry;

#[retry]
async fn charge(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: What is missing
