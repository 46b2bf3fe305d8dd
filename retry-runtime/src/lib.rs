//! Retries that cannot storm a dependency.
//!
//! A call is retried only if its classifier asks for it, the budget of its dependency allows it,
//! and its limits permit it. The last result reaches the caller untouched.
//!
//! ```
//! use retry_runtime::{Budget, Outcome, retry};
//! # #[derive(Debug)] struct ClientError { status: u16 }
//!
//! // One for each dependency, shared by every call to it.
//! static PAYMENTS: Budget = Budget::new(10, 0.1);
//!
//! fn classify_http<T>(result: &Result<T, ClientError>) -> Outcome {
//!     match result {
//!         Ok(_) => Outcome::Success,
//!         Err(error) if matches!(error.status, 429 | 502..=504) => Outcome::Retry,
//!         Err(_) => Outcome::Stop,
//!     }
//! }
//!
//! #[retry(attempts = 4, budget = PAYMENTS, classify = classify_http)]
//! async fn charge(cents: u32) -> Result<u32, ClientError> {
//!     Ok(cents)
//! }
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(charge(1)).unwrap();
//! ```
//!
//! Where to look: [`retry`] for the attribute, [`Outcome`] and [`Classify`] for the meaning of a
//! result, [`Budget`] for the shared limit, [`Backoff`] and [`Schedule`] for the waits,
//! [`Decision`] for the end of a call, [`Call`] for a loop by hand, [`Retrier`] for one
//! dependency's settings in one value, [`Policy`] with [`PolicyPatch`] for settings in layers, and
//! [`Timer`] for executors other than tokio. The [`guide`] has a page for each subject, from a
//! [quick start](guide::quick_start) to [databases](guide::databases), [queues](guide::queues) and
//! [alerts](guide::alerts).
//!
//! # Features
//!
//! `macros` (the attribute) and `tokio` (its timer) are on by default. `serde` reads
//! settings from a configuration, `process` retries commands, `http` judges answers of
//! HTTP, `tower` retries the requests of a service. `tracing` and `metrics` report every
//! attempt to a subscriber and a recorder, `test-util` keeps the events of a call for
//! tests, `wasm` waits in a browser. Each only adds.
// On docs.rs each item is marked with the feature that it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
// What is not public is not written `pub`, so that the modules show what they give away.
#![warn(unreachable_pub)]
// The documentation names items of the default features.
#![cfg_attr(
    not(all(feature = "macros", feature = "tokio")),
    allow(rustdoc::broken_intra_doc_links)
)]

// The blocks of the README are compiled and run with the doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

// Its waits and its limits of drains are tokio's, whose clock panics there.
#[cfg(all(feature = "tower", target_family = "wasm", target_os = "unknown"))]
compile_error!(
    "the feature `tower` needs tokio's clock, which wasm32-unknown-unknown does not have"
);

// The expansion names this crate by its path, in its own tests and docs too.
extern crate self as retry_runtime;

#[doc(hidden)]
#[path = "expansion/mod.rs"]
pub mod __private;
mod attempt;
mod backoff;
mod blocking;
mod budget;
mod call;
mod classify;
mod clock;
mod config;
mod config_error;
mod decision;
pub mod error_chain;
mod event;
pub mod guide;
#[cfg(feature = "http")]
pub mod http;
#[doc(hidden)]
#[path = "expansion/key.rs"]
pub mod key;
mod outcome;
mod policy;
#[cfg(feature = "process")]
pub mod process;
mod reason;
mod retrier;
mod running;
mod schedule;
#[cfg(feature = "sql")]
pub mod sql;
#[cfg(any(feature = "metrics", feature = "tracing"))]
pub mod telemetry;
#[cfg(not(any(feature = "metrics", feature = "tracing")))]
mod telemetry;
#[cfg(feature = "test-util")]
pub mod test_util;
mod time;
mod timer;
#[cfg(feature = "tower")]
pub mod tower;
mod waiting;
#[cfg(all(feature = "wasm", target_family = "wasm", target_os = "unknown"))]
mod wasm;

pub use attempt::{Attempt, RunningAttempt};
pub use backoff::{Backoff, Jitter, seed_from};
pub use budget::{Budget, BudgetConfig};
pub use call::Call;
pub use classify::{Classify, OnErr, on_err};
#[cfg(all(feature = "tokio", not(all(target_family = "wasm", target_os = "unknown"))))]
pub use clock::TokioTimer;
#[cfg(feature = "serde")]
pub use config::Sections;
pub use config_error::ConfigError;
pub use decision::Decision;
pub use event::{Event, EventKind};
pub use outcome::Outcome;
pub use policy::{Policy, PolicyPatch};
pub use retrier::{NoBudget, Retrier, RetrierConfig, SharedBudget};
#[doc(hidden)]
pub use running::Judged;
pub use running::{HasClassifier, WithClassifier};
pub use schedule::Schedule;
pub use time::Instant;
pub use timer::Timer;
#[cfg(all(feature = "wasm", target_family = "wasm", target_os = "unknown"))]
pub use wasm::WasmTimer;

#[cfg(feature = "macros")]
pub use retry_macros::retry;
#[cfg(feature = "macros")]
pub use retry_macros::retry_block;
