//! The cost of a call, beside other crates and beside the loop that one would write
//! by hand. The README of this package says what each command measures.
//!
//! The contestants do the same work: the same two bodies, the same failures, at
//! most four attempts, and a delay of zero between them.

pub mod bounds;
pub mod callgrind;
pub mod contention;
pub mod contestants;
pub mod cpu;
pub mod generated;
pub mod rounds;
pub mod show;
pub mod work;
