//! Retries of [tonic](https://docs.rs/tonic)'s calls: a classifier of
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
//! #[retry(
//!     attempts = 4,
//!     budget = LEDGER,
//!     classify_err = |status| Classifier::A6.classify_status(status),
//! )]
//! async fn balance(account: u64) -> Result<Response<i64>, Status> {
//!     // client.balance(account).await
//!     # let _ = account;
//!     # Ok(Response::new(500))
//! }
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(balance(1)).unwrap();
//! ```
//!
//! # Outcomes of statuses
//!
//! The first matching row decides. The code alone is not enough, because tonic makes codes from
//! failures of the connection too: a client's timeout is `CANCELLED`, a lost connection `UNKNOWN`.
//! So `retry-hyper` first searches the chain of sources.
//!
//! | status | processed | outcome |
//! |---|---|---|
//! | TLS was not accepted; a layer of this process let nothing through; the request cannot be sent | no | `Stop` |
//! | no connection was made (`tonic::ConnectError`); the server refused the stream (`REFUSED_STREAM`, a `GOAWAY` below it); the request was queued when its connection ended | no | `Retry` |
//! | a timeout of the client, or the connection was lost | perhaps | `Retry` if [`idempotent`](Classifier::idempotent), else `Fail` |
//! | the server reset the stream | perhaps | `Retry` if `idempotent` and the code of the reset is among [`codes`](Classifier::codes), else `Fail` |
//! | an answer of HTTP, not of gRPC: a proxy's | perhaps | as its code by the mapping below: `Retry` if it is among `codes`; `Stop` after 400 to 499, but for 429; else `Fail` |
//! | a broken answer, or an unknown error | perhaps | `Fail` |
//! | `grpc-retry-pushback-ms` is negative, unusable or there twice | | `Fail` |
//! | the server sent a code among `codes` | | `Retry`; `RetryIn` the pushback, exactly; `RetryAfter` the `RetryInfo`, at least |
//! | `RESOURCE_EXHAUSTED` with a `RetryInfo`, if [`exhausted_with_retry_info`](Classifier::exhausted_with_retry_info) | | the same |
//! | the server sent any other code | | `Stop` |
//!
//! A `google.rpc.RetryInfo` of zero, or with an invalid duration, counts as absent. A delay is not
//! capped here: with `within` in the policy, a call ends at once if the server asks for a longer
//! wait.
//!
//! | HTTP without a status of gRPC | code |
//! |---|---|
//! | 400, 401, 403, 404 | `INTERNAL`, `UNAUTHENTICATED`, `PERMISSION_DENIED`, `UNIMPLEMENTED` |
//! | 429, 502, 503, 504 | `UNAVAILABLE` |
//! | any other | `UNKNOWN` |
//!
//! | `RST_STREAM` | gRPC's&nbsp;status&nbsp;code |
//! |---|---|
//! | `NO_ERROR`, `PROTOCOL_ERROR`, `INTERNAL_ERROR`, `FLOW_CONTROL_ERROR`, `SETTINGS_TIMEOUT`, `FRAME_SIZE_ERROR`, `COMPRESSION_ERROR`, `CONNECT_ERROR` | `INTERNAL` |
//! | `REFUSED_STREAM` | `UNAVAILABLE` |
//! | `CANCEL` | `CANCELLED` |
//! | `ENHANCE_YOUR_CALM` | `RESOURCE_EXHAUSTED` |
//! | `INADEQUATE_SECURITY` | `PERMISSION_DENIED` |
//! | any other | `UNKNOWN` |
//!
//! Below a generated client, [`GrpcExchange`] sees the status of HTTP itself. In a loop by hand it
//! is read from tonic's message, which has no status if the proxy's body is shorter than five
//! bytes: such an answer is `Fail`.
//!
//! # gRFC A6, row by row
//!
//! [A6] describes the retries of gRPC's own clients. [`GrpcExchange`] implements them; in a loop by
//! hand the rows on statuses hold.
//!
//! | A6 | here |
//! |---|---|
//! | `maxAttempts` counts the original request | `Policy::new(n)`, the first attempt included; A6's own limit of 5 is for policies from DNS, and is not applied |
//! | the deadline of the call covers all its attempts | `grpc-timeout` is read once: a later attempt is sent with what is left, and none starts when nothing is |
//! | delays grow from `initialBackoff` by a multiplier to `maxBackoff`, with jitter | the policy's [`Backoff`](retry_runtime::Backoff) |
//! | a status is checked against `retryableStatusCodes`, wherever it came from | [`codes`](Classifier::codes); statuses made of a reset or of a proxy's answer are checked too, but a request that was perhaps processed is repeated only if it is [`idempotent`](Classifier::idempotent), of which A6 knows nothing |
//! | throttling: each failed attempt takes one token, each success adds the ratio, and at half no retry is made | [`Budget`](retry_runtime::Budget), one for each server |
//! | only statuses in the list, and a pushback that refuses, count as failures | so do failures of the connection and of a proxy that are not in the list (an outage is never free); a code that the *server* sent and that is not in the list leaves the budget as it is |
//! | pushback: exactly this time is waited; negative or unusable, nothing is retried | `RetryIn`; `Fail` |
//! | after a pushback the backoff starts over | the same |
//! | a call is committed when the headers of its answer have come | no attempt follows, whatever comes then; its failure counts, and its success when it ends. An error in the headers alone (Trailers-Only) is no such answer |
//! | a call is committed when its messages are more than the buffer | a streaming request, or one larger than [`limit`](GrpcExchange::limit), is sent once |
//! | transparent retries: a request certainly processed by no server is sent again at once, once, and is no attempt | the same, if a connection was there (`REFUSED_STREAM`, a `GOAWAY` below the stream, a request that was never written); the measurement `retry.repeated_at_once` counts them. A second refusal is an ordinary failure |
//! | `grpc-previous-rpc-attempts` is sent from the second attempt on | the same; a transparent retry does not count |
//! | hedging: several copies of a request at once | not here |
//!
//! A call whose stream is dropped before its end is `dropped`: this says nothing about the server.
//! An answer without a status at its end is `UNKNOWN`, and counts; so does one whose `content-type`
//! is not gRPC's, and one whose bytes begin no message.
//!
//! If a server closes its connection before an answer, HAProxy resets the stream with
//! `REFUSED_STREAM`, though the server may have read the request. The frame is believed as if it
//! were the server's.
//!
//! [A6]: https://github.com/grpc/proposal/blob/master/A6-client-retries.md
#![warn(unreachable_pub)]

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
