//! The runtime by itself, without the attribute.
//!
//! One binary with a module for each topic, so that it is linked once. What needs a
//! process of its own is beside it: allocations are counted by a global allocator,
//! telemetry installs global recorders, and a configuration is read from the environment.

mod backoff;
mod backoff_properties;
mod blocking;
mod budget;
mod budget_properties;
mod call;
mod choosing_numbers;
mod decision;
mod events;
mod giving_up;
mod grpc_throttling;
mod hand_written_loop;
#[cfg(all(feature = "http", feature = "serde"))]
mod http_config;
#[cfg(feature = "http")]
mod http_hooks;
#[cfg(feature = "http")]
mod http_policy;
#[cfg(feature = "http")]
mod http_retry_after;
#[cfg(feature = "http")]
mod http_retry_after_properties;
mod jitter;
mod policy;
#[cfg(all(feature = "process", feature = "serde"))]
mod process_ends;
#[cfg(all(feature = "process", feature = "serde"))]
mod process_policy;
mod reserve;
mod retrier;
mod running;
#[cfg(feature = "sql")]
mod sql;
mod state_machine;
#[cfg(all(feature = "test-util", feature = "macros", feature = "tokio"))]
mod test_util;
#[cfg(feature = "tower")]
mod tower_axum;
#[cfg(feature = "tower")]
mod tower_bodies;
#[cfg(feature = "tower")]
mod tower_calls;
#[cfg(feature = "tower")]
mod tower_layer;
mod waiting;
