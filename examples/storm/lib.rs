//! The effect of retries on a server after an outage, computed: a virtual clock, a queue, a
//! fault, and clients that decide with the library's own calls and budgets.
//!
//! Everything is in integers and in a fixed order, so a run gives the same figures on
//! every machine. They are checked in `tests/`, against published ones and against
//! closed formulas.

mod agenda;
pub mod climb;
pub mod layers;
pub mod picture;
mod record;
mod scenario;
mod server;
mod simulation;
pub mod table;

pub use record::Record;
pub use scenario::{Budgets, Fault, Scenario};
pub use simulation::run;

/// Time on the virtual clock, and spans of it, in nanoseconds.
pub type Nanos = u64;
