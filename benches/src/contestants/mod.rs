//! The contestants. Each in the leanest form that keeps the contract: at most four
//! attempts, a question whether to go on, and a delay of zero.

use std::pin::pin;

use tokio::runtime::Runtime;

use crate::work::{Answer, Work, drive};

mod attribute;
mod backon;
mod block;
mod blocking;
mod by_hand;
mod call;
mod limited;
mod plain;
mod run;
mod tokio_retry2;
mod tower;
mod tryhard;

/// One way to make a call.
#[derive(Clone, Copy)]
pub struct Contestant {
    /// Its name in the tables.
    pub name: &'static str,
    /// A call whose body is ready at its first poll.
    pub ready: fn(&Work) -> Answer,
    /// A call whose body yields once.
    pub yields: fn(&Work) -> Answer,
    /// It cannot retry without tokio's timer, whose shortest sleep is a millisecond:
    /// a call whose body is ready, on a runtime.
    pub on_timer: Option<fn(&Runtime, &Work) -> Answer>,
}

macro_rules! contestant {
    ($name:literal, $($path:ident)::+) => {
        Contestant {
            name: $name,
            ready: |work| drive(pin!($($path::)+ready(work))),
            yields: |work| drive(pin!($($path::)+yields(work))),
            on_timer: None,
        }
    };
    ($name:literal, $($path:ident)::+, timer) => {
        Contestant {
            on_timer: Some(|runtime, work| runtime.block_on($($path::)+ready(work))),
            ..contestant!($name, $($path)::+)
        }
    };
}

/// A call that blocks its thread: its body is ready, and there is nothing to yield to.
macro_rules! blocking {
    ($name:literal, $($path:ident)::+) => {
        Contestant { name: $name, ready: $($path)::+, yields: $($path)::+, on_timer: None }
    };
}

/// The function alone: what every difference and ratio is taken from.
pub const PLAIN: Contestant = contestant!("plain async fn", plain);

/// The loop that one would write by hand, with the budget's rule.
pub const BY_HAND: Contestant = contestant!("loop by hand, same budget", by_hand::budget);

/// The attribute.
pub const ATTRIBUTE: Contestant = contestant!("`#[retry]`", attribute);

/// Everyone, in the order of the tables. The plain function, which is first,
/// makes one attempt whatever it gives.
pub const CONTESTANTS: [Contestant; 17] = [
    PLAIN,
    contestant!("loop by hand, no budget", by_hand::no_budget),
    BY_HAND,
    ATTRIBUTE,
    contestant!("loop by hand in a block, same budget", by_hand::block),
    contestant!("`retry_block!`", block),
    contestant!("`Call::run_with`", run),
    contestant!("`Call::run`", run::retrier::call),
    contestant!("`Retrier::run`", run::retrier),
    contestant!("`Call` by hand", call),
    blocking!("blocking loop by hand, same budget", blocking::by_hand),
    blocking!("`#[retry(blocking)]`", blocking::attribute),
    blocking!("`Call::run_blocking`", blocking::run),
    contestant!("backon", backon),
    contestant!("tokio-retry2", tokio_retry2, timer),
    contestant!("tryhard", tryhard, timer),
    contestant!("tower, `TpsBudget`", tower),
];

/// The attribute with limits in time, for how often it reads the clock.
pub const LIMITED: [Contestant; 3] = [
    ATTRIBUTE,
    contestant!("`#[retry(within = 1h)]`", limited::within),
    contestant!("`#[retry(deadline = ..)]`", limited::deadline),
];
