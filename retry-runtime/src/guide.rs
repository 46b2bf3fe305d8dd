//! The guide: one module for each subject.
//!
//! Start with [`quick_start`], then [`budgets`] and [`classifiers`]. Each page is text
//! alone; its programs are tested.

// The pages name items of the crate's root.
#[cfg(doc)]
#[allow(unused_imports)]
use crate::*;

/// Declares the pages, each an empty module with its text.
macro_rules! pages {
    ($($(#[doc = $summary:literal])+ $page:ident)+) => {$(
        $(#[doc = $summary])+
        ///
        #[doc = include_str!(concat!("../guide/", stringify!($page), ".md"))]
        pub mod $page {}
    )+};
}

pages! {
    /// A first program: HTTP client, database service, queue worker, command-line tool.
    quick_start
    /// The attribute on functions and methods, and several keys together.
    attribute
    /// The token bucket, how to choose its numbers, and budgets by host.
    budgets
    /// Classifiers, outcomes and decisions.
    classifiers
    /// Schedules, jitter, and the waits that a server asks for.
    waits
    /// `within`, `deadline` and `attempt_timeout`.
    timeouts
    /// One dependency's settings in one value.
    retriers
    /// A loop around a closure, a block, or several functions.
    loops
    /// Functions that block their thread.
    blocking
    /// Executors other than tokio, and wasm.
    executors
    /// Clients of HTTP.
    http
    /// Clients of gRPC.
    grpc
    /// SQL databases and Redis.
    databases
    /// Consumers of queues, and dead letters.
    queues
    /// Polls, token renewals, conflicts: repeats that are free of charge.
    polls
    /// Commands and their exit codes.
    processes
    /// Cancellation when the program shuts down.
    shutdown
    /// Tests of a program that retries.
    testing
    /// Settings from a configuration.
    configuration
    /// Settings that change while the program runs.
    reloading
    /// Events, measurements, spans, and the reason why a call ended.
    observing
    /// Queries and alerts for Prometheus.
    alerts
    /// Suspending a dependency's retries during an incident.
    incidents
    /// Layers that retry, one above the other.
    layers
    /// The cost of a call.
    cost
    /// Limits of the crate.
    limits
    /// The names and limits of other crates, and their counterparts here.
    migrating
}

/// A retry storm, simulated.
///
#[doc = include_str!("../guide/storm.md")]
///
#[doc = include_str!("../docs/storm.svg")]
///
/// # The same with a reserve
///
#[doc = include_str!("../docs/storm-reserve.svg")]
///
/// # Layers above a dependency that is down
///
#[doc = include_str!("../docs/storm-layers.svg")]
pub mod storm {}

/// Every compile error of the attribute, by its message.
///
#[doc = include_str!("../docs/compile-errors.md")]
pub mod compile_errors {}
