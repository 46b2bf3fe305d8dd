//! Every mistake is reported in one run, and the block is checked all the same: what it
//! uses is not unused, and what `?` converts into is not asked for.

use retry_runtime::{Budget, Outcome, retry_block};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn classify_http(result: &Result<u32, String>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

async fn charge(cents: u32) -> Result<u32, std::num::ParseIntError> {
    retry_block!(attempts = 0, bugdet = PAYMENTS, async {
        let cents: u32 = cents.to_string().parse()?;
        Ok(cents)
    }).await
}

fn main() {}

// Section: A block in the middle of a function
