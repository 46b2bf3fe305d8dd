//! What the statuses of [tonic] mean for a retry: a classifier of
//! `Result<T, tonic::Status>` for [`retry_runtime`].
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
//! connection `UNKNOWN`. The chain of sources does, and it is searched first.
//!
//! | status | sent | outcome |
//! |---|---|---|
//! | TLS was not accepted, or the peer speaks no HTTP/2 | | `Stop` |
//! | no connection was made (`tonic::ConnectError`), or the server did not process the request (`REFUSED_STREAM`, `GOAWAY`) | no | `Retry` |
//! | `Endpoint::timeout` ran out, or the connection was lost | perhaps | `Retry` if [`idempotent`](Classifier::idempotent), else `Fail` |
//! | `grpc-retry-pushback-ms` is negative, unusable or there twice | yes | `Fail` |
//! | the code is among [`codes`](Classifier::codes) | yes | `Retry`; `RetryIn` the pushback, exactly; `RetryAfter` the `RetryInfo`, at least |
//! | `RESOURCE_EXHAUSTED` with a `RetryInfo` | yes | `RetryAfter` the `RetryInfo` |
//! | any other | | `Stop` |
//!
//! The pushback is that of [gRFC A6]. `google.rpc.RetryInfo` of zero counts as absent.
//! A delay is not capped here: a policy with `within` ends a call at once whose
//! server asks for more.
//!
//! # Once a stream has begun
//!
//! A call whose response streams is over, for a retry, when it hands the stream out:
//! messages that the caller has seen cannot be taken back (gRFC A6 calls it committed).
//!
//! [gRFC A6]: https://github.com/grpc/proposal/blob/master/A6-client-retries.md

mod exchange;

use std::error::Error;
use std::io;
use std::time::Duration;

use retry_runtime::http::{ErrorKind, find_source};
use retry_runtime::{Classify, Outcome};
use tonic::{Code, ConnectError, Status, TimeoutExpired};
use tonic_types::StatusExt;

pub use exchange::GrpcExchange;

/// Judges `Result<T, tonic::Status>`. `Copy`, and made in a `const`.
///
/// ```
/// use retry_runtime::{Budget, Classify, Outcome, Policy, Retrier};
/// use retry_tonic::Classifier;
/// use tonic::{Code, Status};
///
/// static LEDGER: Retrier<Classifier> = Retrier::new(
///     Policy::new(4),
///     Budget::new(10, 0.1),
///     Classifier::A6.codes(&[Code::Unavailable, Code::Aborted]).idempotent(true),
/// );
/// let aborted: Result<(), Status> = Err(Status::aborted("try again"));
/// assert_eq!(LEDGER.classify(&aborted), Outcome::Retry);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classifier {
    /// Bit n stands for the code n.
    codes: u32,
    idempotent: bool,
}

impl Classifier {
    /// As gRFC A6 is used: `UNAVAILABLE`, with which a server says that it did not
    /// process the request. A request that was perhaps processed is not repeated.
    pub const A6: Classifier =
        Classifier { codes: 0, idempotent: false }.codes(&[Code::Unavailable]);

    /// As OpenTelemetry's exporters retry (the OTLP specification): every code that
    /// may be transient, duplicates accepted.
    pub const OTLP: Classifier = Classifier { codes: 0, idempotent: true }.codes(&[
        Code::Cancelled,
        Code::DeadlineExceeded,
        Code::Aborted,
        Code::OutOfRange,
        Code::Unavailable,
        Code::DataLoss,
    ]);

    /// Retries these codes of a server, in place of those before.
    #[must_use]
    pub const fn codes(mut self, codes: &[Code]) -> Classifier {
        self.codes = 0;
        let mut index = 0;
        while index < codes.len() {
            self.codes |= 1 << codes[index] as u32;
            index += 1;
        }
        self
    }

    /// Whether requests can be repeated that the server has perhaps processed: after
    /// a client's timeout or a lost connection. `A6` starts with no.
    #[must_use]
    pub const fn idempotent(mut self, idempotent: bool) -> Classifier {
        self.idempotent = idempotent;
        self
    }

    /// What a status means: see [the table](crate).
    pub fn classify_status(&self, status: &Status) -> Outcome {
        if let Some(transport) = transport(status) {
            return self.classify_known(transport);
        }
        let pushback = match pushback(status) {
            Pushback::Refused => return Outcome::Fail,
            Pushback::None => None,
            Pushback::After(delay) => Some(delay),
        };
        let info = retry_info(status);
        if self.codes & (1 << status.code() as u32) == 0 {
            return match info {
                Some(delay) if status.code() == Code::ResourceExhausted => {
                    Outcome::RetryAfter(delay)
                }
                _ => Outcome::Stop,
            };
        }
        match (pushback, info) {
            (Some(exact), _) => Outcome::RetryIn(exact),
            (None, Some(least)) => Outcome::RetryAfter(least),
            (None, None) => Outcome::Retry,
        }
    }

    /// What an error of a channel means, that is not a status yet; one of which
    /// nothing is known is final.
    fn classify_transport(&self, error: &(dyn Error + 'static)) -> Outcome {
        // Somebody below may have made a status of it already.
        match find_source::<Status>(error) {
            Some(status) => self.classify_status(status),
            None => self.classify_known(transport(error).unwrap_or(Transport::Final)),
        }
    }

    const fn classify_known(&self, transport: Transport) -> Outcome {
        match transport {
            Transport::NotSent => Outcome::Retry,
            Transport::MaybeSent if self.idempotent => Outcome::Retry,
            Transport::MaybeSent => Outcome::Fail,
            Transport::Final => Outcome::Stop,
        }
    }
}

impl<T> Classify<Result<T, Status>> for Classifier {
    fn classify(&self, result: &Result<T, Status>) -> Outcome {
        match result {
            Ok(_) => Outcome::Success,
            Err(status) => self.classify_status(status),
        }
    }
}

/// What happened to the request below gRPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transport {
    NotSent,
    MaybeSent,
    Final,
}

/// `None` for a status that a server has sent: it has no source. Errors are searched
/// by type, never by depth.
fn transport(status: &(dyn Error + 'static)) -> Option<Transport> {
    if let Some(h2) = find_source::<h2::Error>(status) {
        let reason = h2.reason();
        let refused = reason == Some(h2::Reason::REFUSED_STREAM);
        let leaving = h2.is_go_away() && reason == Some(h2::Reason::NO_ERROR);
        return Some(match (h2.is_remote() && (refused || leaving), h2.is_io()) {
            (true, _) => Transport::NotSent,
            (false, true) => Transport::MaybeSent,
            // Reset by the server with another reason, or not the protocol.
            (false, false) => Transport::Final,
        });
    }
    if let Some(connect) = find_source::<ConnectError>(status) {
        // How rustls passes on whatever it does not accept.
        let tls = find_source::<io::Error>(connect)
            .is_some_and(|error| error.kind() == io::ErrorKind::InvalidData);
        return Some(if tls { Transport::Final } else { Transport::NotSent });
    }
    if find_source::<TimeoutExpired>(status).is_some() {
        return Some(Transport::MaybeSent);
    }
    if let Some(hyper) = find_source::<hyper::Error>(status) {
        if hyper.is_canceled() {
            return Some(Transport::NotSent);
        }
        if hyper.is_timeout() || hyper.is_closed() || hyper.is_incomplete_message() {
            return Some(Transport::MaybeSent);
        }
    }
    match ErrorKind::in_chain(status) {
        ErrorKind::ConnectionLost | ErrorKind::Timeout => Some(Transport::MaybeSent),
        _ => None,
    }
}

enum Pushback {
    None,
    After(Duration),
    Refused,
}

/// gRFC A6: one value, an ASCII signed 32-bit number of milliseconds without needless
/// zeros. Anything else says not to retry, like a negative one.
fn pushback(status: &Status) -> Pushback {
    let mut values = status.metadata().get_all("grpc-retry-pushback-ms").iter();
    let (first, second) = (values.next(), values.next());
    let Some(value) = first else { return Pushback::None };
    let text = value.to_str().unwrap_or_default();
    let is_plain = text == "0" || text.starts_with(|first: char| ('1'..='9').contains(&first));
    match text.parse::<i32>().ok().and_then(|number| u64::try_from(number).ok()) {
        Some(millis) if is_plain && second.is_none() => {
            Pushback::After(Duration::from_millis(millis))
        }
        _ => Pushback::Refused,
    }
}

fn retry_info(status: &Status) -> Option<Duration> {
    status.get_details_retry_info()?.retry_delay.filter(|delay| !delay.is_zero())
}
