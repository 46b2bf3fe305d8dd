//! Retry loops of published crates, written anew with this library in reduced form: each
//! stands in the one function that the crate has, and does what the crate's own loop does.

mod body_reset;
mod broker_cache;
mod cluster_redirect;
mod device_code;
mod error_body;
mod handed_on;
mod pool_connect;
mod pool_replenish;
mod quadratic_waits;
mod rate_limit;
mod rate_or_quota;
mod refused_nonce;
mod table_commit;
mod temporary_file;
mod uncloneable_request;
mod unstarted_request;
