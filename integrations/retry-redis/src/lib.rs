//! Retries of [redis](https://docs.rs/redis): a classifier of its errors for [`retry_runtime`].
//!
//! ```
//! use redis::RedisResult;
//! use retry_redis::Classifier;
//! use retry_runtime::{Budget, Policy, Retrier, retry};
//!
//! // One budget for each server, shared by every call to it.
//! static CACHE: Budget = Budget::new(100, 0.1);
//! static READS: Retrier<Classifier, &Budget> =
//!     Retrier::new(Policy::new(4), &CACHE, Classifier::READ);
//! static WRITES: Retrier<Classifier, &Budget> =
//!     Retrier::new(Policy::new(4), &CACHE, Classifier::WRITE);
//!
//! # struct Connection;
//! #[retry(retrier = READS)]
//! async fn name(redis: &Connection, user: u64) -> RedisResult<Option<String>> {
//!     // redis.clone().get(format!("user:{user}:name")).await
//!     # let _ = (redis, user);
//!     # Ok(None)
//! }
//!
//! #[retry(retrier = WRITES)]
//! async fn count_visit(redis: &Connection, page: &str) -> RedisResult<u64> {
//!     // redis.clone().incr(page, 1).await
//!     # let _ = (redis, page);
//!     # Ok(1)
//! }
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! #     name(&Connection, 1).await.unwrap();
//! #     count_visit(&Connection, "/").await.unwrap();
//! # });
//! ```
//!
//! # Errors
//!
//! The codes are those of the [server's errors]; any other code is `Unrecognised`.
//!
//! | error | the&nbsp;[kind](ErrorKind)&nbsp;of&nbsp;error | read, idempotent write | any&nbsp;write |
//! |---|---|---|---|
//! | `LOADING`, `BUSY`, `CLUSTERDOWN`, `MASTERDOWN`, `TRYAGAIN`, `OOM`, `MISCONF`, `NOREPLICAS`, too many clients | `Refused` | `Retry` | `Retry` |
//! | `READONLY`, `MOVED`, `ASK`, `REDIRECT`: another server would take it | `Refused` | `Retry` | `Retry` |
//! | connection refused, no such socket, no master or node found | `Refused` | `Retry` | `Retry` |
//! | connection closed, reset or cut (a broken pipe), no answer in time, `IOERR` | `PerhapsRun` | `Retry` | `Fail` |
//! | a script with one of the errors above, a pipeline of which a part failed so | `PerhapsRun` | `Retry` | `Fail` |
//! | `ERR`, `WRONGTYPE`, `NOSCRIPT`, `CROSSSLOT`, `NOPERM`, `NOAUTH`, `WRONGPASS` and the like | `Caller` | `Stop` | `Stop` |
//! | an answer that cannot be read, or is not of the Rust type | `Unrecognised` | `Fail` | `Fail` |
//!
//! A discarded transaction (`MULTI` with `EXECABORT`) has the kind of the errors in it: nothing of
//! it was carried out.
//!
//! [server's errors]: https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors
//!
//! # Idempotent commands
//!
//! `SET`, `DEL`, `HSET`, `SADD`, `ZADD`: a second run changes nothing more, but its answer may
//! differ, and it undoes what others did in between. `INCR`, `LPUSH`, `RPOP`, `XADD`, `APPEND`,
//! `PUBLISH` are not idempotent.
//!
//! # Commands that wait
//!
//! redis's async connections wait half a second for an answer, unless they are told otherwise. A
//! `BLPOP`, `BLMOVE` or `XREADGROUP` that waits longer fails on an empty queue, and each failure
//! takes a token though the server is well. Set a longer limit than the command's own:
//! `set_response_timeout` of the connection, or of its configuration.
//!
//! A command whose answer was lost may have taken a message. So a worker looks first where it keeps
//! what it took: in its own list (`BLMOVE`), or in its pending entries (`XREADGROUP` with the id
//! `0`). Nothing brings back what `BLPOP` took.
//!
//! # After a failover
//!
//! A connection stays at its server, which now answers `READONLY`, so repeating the command on it
//! cannot help. Let the body first take a connection to the new primary, from a `SentinelClient` or
//! by a name that follows the primary. `ConnectionManager` makes a new connection when one was
//! lost, not when a server answers.
//!
//! # Watched keys
//!
//! If a watched key has changed, `EXEC` answers nil, which is no error and no failure. If the body
//! reads the key again, it may be repeated free of charge:
//!
//! ```
//! use redis::RedisResult;
//! use retry_redis::Classifier;
//! use retry_runtime::{Classify, Outcome};
//!
//! fn watched<T>(result: &RedisResult<Option<T>>) -> Outcome {
//!     match result {
//!         Ok(None) => Outcome::Repeat,
//!         other => Classifier::WRITE.classify(other),
//!     }
//! }
//! # assert_eq!(watched(&Ok(None::<u8>)), Outcome::Repeat);
//! # assert_eq!(watched(&Ok(Some(1))), Outcome::Success);
//! ```
//!
//! # Retry in one layer
//!
//! `ConnectionManager` repeats connections, not commands: with retries above it,
//! `set_number_of_retries(0)` leaves them to the budget. A cluster's connection repeats
//! commands too, 16 times by default: `ClusterClientBuilder::retries(0)`.
#![warn(unreachable_pub)]

mod kind;

use std::fmt;

use redis::RedisError;
use retry_runtime::{Classify, Outcome};

pub use kind::{ErrorKind, error_kind};

/// Judges `Result<T, redis::RedisError>` by the [kind](error_kind) of the error. `Copy`,
/// and made in a `const`.
///
/// ```
/// use retry_redis::Classifier;
/// use retry_runtime::{Classify, Outcome};
/// use std::io;
///
/// let lost: redis::RedisResult<u64> = Err(io::Error::from(io::ErrorKind::BrokenPipe).into());
/// assert_eq!(Classifier::READ.classify(&lost), Outcome::Retry);
/// assert_eq!(Classifier::WRITE.classify(&lost), Outcome::Fail);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classifier {
    repeatable: bool,
}

impl Classifier {
    /// For commands which change nothing.
    pub const READ: Classifier = Classifier { repeatable: true };
    /// For commands whose second run changes nothing more.
    pub const IDEMPOTENT_WRITE: Classifier = Classifier { repeatable: true };
    /// For commands which must not be carried out twice.
    pub const WRITE: Classifier = Classifier { repeatable: false };

    /// The outcome of an error, for `classify_err`.
    pub fn classify_error(&self, error: &RedisError) -> Outcome {
        error_kind(error).outcome(self.repeatable)
    }
}

impl<T> Classify<Result<T, RedisError>> for Classifier {
    fn classify(&self, result: &Result<T, RedisError>) -> Outcome {
        match result {
            Ok(_) => Outcome::Success,
            Err(error) => self.classify_error(error),
        }
    }

    /// The code of the server and the kind. Its message is left out, because it may quote
    /// values: the key `err` has it.
    fn explain(&self, result: &Result<T, RedisError>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Err(error) = result else { return Ok(()) };
        if let Some(code) = error.code() {
            write!(f, "{code}, ")?;
        }
        write!(f, "{}", error_kind(error))
    }
}
