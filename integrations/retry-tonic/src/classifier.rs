//! The classifier of statuses.

use std::error::Error;

use http::StatusCode;
use retry_runtime::error_chain::find_source;
use retry_runtime::http::ErrorKind;
use retry_runtime::{Classify, Outcome};
use tonic::{Code, Status};

use crate::codes::{self, Codes};
use crate::delay::{Pushback, pushback, retry_info};
use crate::origin::{self, Failure, Origin};

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
    codes: Codes,
    idempotent: bool,
    exhausted_with_info: bool,
}

impl Classifier {
    /// The usual policy of gRFC A6: `UNAVAILABLE`, by which a server reports an unprocessed
    /// request. A request which may have been processed is not repeated.
    pub const A6: Classifier = Classifier {
        codes: Codes::of(&[Code::Unavailable]),
        idempotent: false,
        exhausted_with_info: false,
    };

    /// As OpenTelemetry's exporters retry (the OTLP specification): every code which may be
    /// transient, duplicates accepted, and `RESOURCE_EXHAUSTED` with a `RetryInfo`, by which the
    /// server announces its recovery.
    pub const OTLP: Classifier = Classifier {
        codes: Codes::of(&[
            Code::Cancelled,
            Code::DeadlineExceeded,
            Code::Aborted,
            Code::OutOfRange,
            Code::Unavailable,
            Code::DataLoss,
        ]),
        idempotent: true,
        exhausted_with_info: true,
    };

    /// Retries these codes, in place of those before.
    #[must_use]
    pub const fn codes(mut self, codes: &[Code]) -> Classifier {
        self.codes = Codes::of(codes);
        self
    }

    /// Whether requests can be repeated which the server may have processed: after a client's
    /// timeout, a lost connection or a reset. `A6` starts with no.
    #[must_use]
    pub const fn idempotent(mut self, idempotent: bool) -> Classifier {
        self.idempotent = idempotent;
        self
    }

    /// Whether `RESOURCE_EXHAUSTED` is retried if it carries a `RetryInfo`, though it is
    /// not among [`codes`](Classifier::codes). `A6` starts with no, `OTLP` with yes.
    #[must_use]
    pub const fn exhausted_with_retry_info(mut self, retried: bool) -> Classifier {
        self.exhausted_with_info = retried;
        self
    }

    /// What a status means: see [the table](crate).
    pub fn classify_status(&self, status: &Status) -> Outcome {
        match origin::of_status(status) {
            Origin::Server => self.classify_answer(status),
            Origin::Proxy(code) => self.classify_http(code),
            Origin::Transport(failure) => self.classify_failure(failure, Some(status.code())),
            // An answer that broke off, or what nobody knows: never free.
            Origin::Unreadable => Outcome::Fail,
            Origin::Unknown => match self.classify_answer(status) {
                Outcome::Stop => Outcome::Fail,
                outcome => outcome,
            },
        }
    }

    /// What a status means that the server has sent.
    pub(crate) fn classify_answer(&self, status: &Status) -> Outcome {
        let pushback = match pushback(status) {
            Pushback::Refused => return Outcome::Fail,
            Pushback::None => None,
            Pushback::After(delay) => Some(delay),
        };
        let (code, info) = (status.code(), retry_info(status));
        let exhausted = code == Code::ResourceExhausted && info.is_some();
        let listed = self.codes.contains(code) || self.exhausted_with_info && exhausted;
        if !listed {
            return Outcome::Stop;
        }
        match (pushback, info) {
            (Some(exact), _) => Outcome::RetryIn(exact),
            (None, Some(least)) => Outcome::RetryAfter(least),
            (None, None) => Outcome::Retry,
        }
    }

    /// What an answer of HTTP means that has no status of gRPC.
    pub(crate) fn classify_http(&self, status: StatusCode) -> Outcome {
        if self.codes.contains(codes::of_http(status)) {
            return Outcome::Retry;
        }
        // Not in the list. What the proxy says of the caller's request, says nothing of
        // the server.
        let callers = status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS;
        if callers { Outcome::Stop } else { Outcome::Fail }
    }

    /// What an error of a channel means, that is not a status yet.
    pub(crate) fn classify_error(&self, error: &(dyn Error + 'static)) -> Outcome {
        if let Some(failure) = origin::failure(error) {
            return self.classify_failure(failure, None);
        }
        // Somebody below may have made a status of it already.
        match find_source::<Status>(error) {
            Some(status) => self.classify_status(status),
            None => Outcome::Fail,
        }
    }

    fn classify_failure(&self, failure: Failure, code: Option<Code>) -> Outcome {
        match failure.kind {
            ErrorKind::PoolTimeout | ErrorKind::NotProcessed | ErrorKind::Connect => Outcome::Retry,
            ErrorKind::ConnectionLost | ErrorKind::Timeout if self.idempotent => {
                // A reset has a code, which is checked like any other. The rest is
                // the loss of the connection, whatever tonic calls it.
                let listed = match failure.reset.map(codes::of_reset) {
                    Some(reset) => [Some(reset), code]
                        .into_iter()
                        .flatten()
                        .any(|code| self.codes.contains(code)),
                    None => true,
                };
                if listed { Outcome::Retry } else { Outcome::Fail }
            }
            ErrorKind::Certificate
            | ErrorKind::Request
            | ErrorKind::Rejected
            | ErrorKind::Cancelled => Outcome::Stop,
            _ => Outcome::Fail,
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
