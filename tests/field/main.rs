//! Retry loops of published crates, written anew with this library in reduced form: each
//! stands in the one function that the crate has, and does what the crate's own loop does.

mod cluster_redirect;
mod pool_connect;
mod rate_limit;
mod temporary_file;
mod unstarted_request;
