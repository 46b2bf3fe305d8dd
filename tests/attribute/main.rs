//! The behaviour of `#[retry]`, under tokio's paused clock.
//!
//! One binary with a module for each topic, so that it is linked once.

mod arguments;
mod attempt;
mod attempt_timeout;
mod blocking;
mod blocks;
mod budget;
mod cancel;
mod dropped;
mod exits;
mod futures;
mod guesses;
mod impls;
mod limits;
mod observe;
mod order;
mod outcomes;
mod panics;
mod reasons;
mod receivers;
mod reserve;
mod schedule;
mod settings;
mod shapes;
mod support;
mod timer;
mod wrapped;
