//! A server of HTTP/1 on loopback for tests: it does with each request what its
//! script says, and keeps what it was sent. Real servers do not close a connection in
//! the middle of a body when a test would like them to. The feature `http2` adds one of
//! HTTP/2.

mod accepting;
mod http1;
#[cfg(feature = "http2")]
pub mod http2;
mod steps;

pub use http1::{Received, Server, Step};
