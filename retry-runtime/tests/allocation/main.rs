//! A call allocates nothing.
//!
//! A binary of its own, because the counting allocator that it links is global.
//! The feature `metrics` allocates: the facade owns its labels.
#![cfg(all(feature = "tokio", not(feature = "metrics")))]

#[cfg(feature = "macros")]
mod attribute;
mod call;
mod run;
