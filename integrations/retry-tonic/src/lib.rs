//! What the statuses of [tonic] mean for a retry: a classifier of
//! `Result<T, tonic::Status>` for [`retry_runtime`], and the adapter for its layer of tower.
//!
//! ```
//! use retry_runtime::{Budget, Policy, retry};
//! use retry_tonic::Classifier;
//! use tonic::{Response, Status};
//!
//! // One for each server, shared by every call to it.
//! static LEDGER: Budget = Budget::new(10, 0.1);
//!
//! #[retry(attempts = 4, budget = LEDGER, classify_err = |status| Classifier::A6.classify_status(status))]
//! async fn balance(account: u64) -> Result<Response<i64>, Status> {
//!     // client.balance(account).await
//!     # let _ = account;
//!     # Ok(Response::new(500))
//! }
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(balance(1)).unwrap();
//! ```
//!
//! # What a status means
//!
//! The first row that fits decides. tonic puts what happened to the connection into a
//! code too, so the code alone does not tell: a client's timeout is `CANCELLED`, a lost
//! connection `UNKNOWN`. The chain of sources does, and it is searched first, by
//! `retry-hyper`.
//!
//! | status | processed | outcome |
//! |---|---|---|
//! | TLS was not accepted; a layer of this process let nothing through; the request cannot be sent | no | `Stop` |
//! | no connection was made (`tonic::ConnectError`); the server refused the stream (`REFUSED_STREAM`, a `GOAWAY` below it); the request was queued when its connection ended | no | `Retry` |
//! | a timeout of the client, or the connection was lost | perhaps | `Retry` if [`idempotent`](Classifier::idempotent), else `Fail` |
//! | the server reset the stream | perhaps | `Retry` if `idempotent` and the code of the reset is among [`codes`](Classifier::codes), else `Fail` |
//! | an answer of HTTP that is not gRPC's: a proxy's | perhaps | as its code by the mapping below: `Retry` if it is among `codes`; `Stop` after 400 to 499, but for 429; else `Fail` |
//! | an answer that breaks off, or an error that nobody knows | perhaps | `Fail` |
//! | `grpc-retry-pushback-ms` is negative, unusable or there twice | | `Fail` |
//! | the server sent a code that is among `codes` | | `Retry`; `RetryIn` the pushback, exactly; `RetryAfter` the `RetryInfo`, at least |
//! | `RESOURCE_EXHAUSTED` with a `RetryInfo`, if [`exhausted_with_retry_info`](Classifier::exhausted_with_retry_info) | | the same |
//! | the server sent any other code | | `Stop` |
//!
//! `google.rpc.RetryInfo` of zero, or of what is no duration, counts as absent. A delay is
//! not capped here: a policy with `within` ends a call at once whose server asks for more.
//!
//! | HTTP without a status of gRPC | code |
//! |---|---|
//! | 400, 401, 403, 404 | `INTERNAL`, `UNAUTHENTICATED`, `PERMISSION_DENIED`, `UNIMPLEMENTED` |
//! | 429, 502, 503, 504 | `UNAVAILABLE` |
//! | any other | `UNKNOWN` |
//!
//! | `RST_STREAM` | code |
//! |---|---|
//! | `NO_ERROR`, `PROTOCOL_ERROR`, `INTERNAL_ERROR`, `FLOW_CONTROL_ERROR`, `SETTINGS_TIMEOUT`, `FRAME_SIZE_ERROR`, `COMPRESSION_ERROR`, `CONNECT_ERROR` | `INTERNAL` |
//! | `REFUSED_STREAM` | `UNAVAILABLE` |
//! | `CANCEL` | `CANCELLED` |
//! | `ENHANCE_YOUR_CALM` | `RESOURCE_EXHAUSTED` |
//! | `INADEQUATE_SECURITY` | `PERMISSION_DENIED` |
//! | any other | `UNKNOWN` |
//!
//! Below a generated client, [`GrpcExchange`] sees the status of HTTP itself. By hand it is
//! read from tonic's message, which does not name it if the proxy's body has fewer than
//! five bytes: such an answer is `Fail`.

mod answer;
mod classifier;
mod codes;
mod delay;
mod exchange;
mod origin;
mod request;
mod service_error;

pub use classifier::Classifier;
pub use exchange::{CallDeadline, GrpcExchange};
pub use service_error::{Boxed, ServiceError, Typed};
