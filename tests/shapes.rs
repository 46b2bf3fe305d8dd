//! Functions of every shape, in a crate of edition 2024.
#![deny(unused, warnings, missing_docs, unsafe_code)]
#![deny(clippy::all, clippy::shadow_same, clippy::shadow_reuse, clippy::shadow_unrelated)]
#![deny(clippy::let_underscore_untyped, clippy::used_underscore_binding)]
// An `allow` in the expansion would be an error. (Clippy itself would find these in the tests.)
#![cfg_attr(
    not(clippy),
    forbid(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)
)]

#[path = "shapes/mod.rs"]
mod shapes;
