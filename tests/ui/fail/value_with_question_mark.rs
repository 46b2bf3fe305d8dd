//! The value of a key is evaluated in the loop around the attempts: what leaves it would end the
//! call without a decision. In a closure, an async block or a loop of its own it leaves that.

use retry_runtime::{Backoff, Budget, Outcome, Policy, retry};

static PAYMENTS: Budget = Budget::new(10, 0.1);

fn configured() -> Result<Policy, String> {
    Ok(Policy::new(4))
}

#[retry(policy = configured()?, budget = PAYMENTS, classify_err = |_| Outcome::Retry)]
async fn charge(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

#[retry(
    policy = match configured() { Ok(policy) => policy, Err(error) => return Err(error) },
    budget = if cents == 0 { break } else { &PAYMENTS },
    classify_err = |error| {
        let Some(first) = error.chars().next() else { return Outcome::Stop };
        if first == 'a' { Outcome::Retry } else { Outcome::Stop }
    },
    schedule = loop { break Backoff::none() },
    cancel = async { Err::<(), &str>("never")?; Ok::<(), &str>(()) },
)]
async fn refund(cents: u32) -> Result<u32, String> {
    Ok(cents)
}

fn main() {}

// Section: Values
