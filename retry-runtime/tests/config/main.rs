//! Policies, budgets and retriers from configurations: what an operator may write, and the
//! errors of mistakes.

mod mistakes;
mod settings;

use std::time::Duration;

use retry_runtime::{Policy, PolicyPatch};
use serde::Deserialize;

const MS: fn(u64) -> Duration = Duration::from_millis;
const S: fn(u64) -> Duration = Duration::from_secs;

fn policy(text: &str) -> Policy {
    toml::from_str(text).unwrap()
}

fn patch(text: &str) -> PolicyPatch {
    toml::from_str(text).unwrap()
}

/// The one error of a text that is not valid.
fn error_of<T: for<'de> Deserialize<'de>>(text: &str) -> String {
    match toml::from_str::<T>(text) {
        Ok(_) => panic!("read without an error: {text}"),
        Err(error) => error.message().to_owned(),
    }
}
