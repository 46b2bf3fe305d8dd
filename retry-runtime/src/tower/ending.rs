//! The end of a call, known or still open.

use core::fmt;
use std::sync::Arc;

use crate::budget::Budget;
use crate::decision::Decision;
use crate::outcome::Outcome;
use crate::policy::Policy;
use crate::reason::Told;
use crate::time::Instant;

/// The end of a call, for [`Exchange::finish`](super::Exchange::finish).
#[derive(Debug)]
#[non_exhaustive]
pub enum Ending {
    /// The call has ended.
    Ended(CallEnd),
    /// How the call ends is known when the response has been read.
    Open(OpenCall),
}

/// Why a call ended: the layer puts it into the extensions of a response of HTTP. Before the body
/// is read, it is the end for a complete body.
///
/// ```
/// use http::{Request, Response};
/// use retry_runtime::http::{ErrorKind, HttpPolicy};
/// use retry_runtime::tower::{CallEnd, RetryLayer};
/// use retry_runtime::{Decision, NoBudget};
/// use std::convert::Infallible;
/// use tower::{Layer, ServiceExt, service_fn};
///
/// let client = service_fn(|_: Request<String>| async {
///     Ok::<_, Infallible>(Response::new(String::from("hello")))
/// });
/// let layer = RetryLayer::http(HttpPolicy::DEFAULT, NoBudget, |_: &Infallible| ErrorKind::Other);
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let response = layer.layer(client).oneshot(Request::new(String::new())).await.unwrap();
/// let end = response.extensions().get::<CallEnd>().unwrap();
/// assert_eq!((end.decision, end.attempts), (Decision::Succeeded, 1));
/// # });
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallEnd {
    /// The final decision.
    pub decision: Decision,
    /// The number of attempts, from 1.
    pub attempts: u32,
    /// The number of times an attempt was repeated within itself, at once and free of charge:
    /// see [`Exchange::repeats_at_once`](super::Exchange::repeats_at_once).
    pub repeated_at_once: u32,
}

/// A call whose last response has not been read. [`settle`](OpenCall::settle) it when the end is
/// known. If it is dropped, the budget stays as it is: the caller lost interest, which says nothing
/// about the dependency. The telemetry counts it as `dropped`.
#[must_use = "a call that is not settled neither credits nor charges its budget"]
pub struct OpenCall {
    books: Arc<dyn Books + Send + Sync>,
    expected: CallEnd,
    /// `None` once the call is settled.
    account: Option<Account>,
}

/// What the books need to know of a call.
pub(super) struct Account {
    pub(super) policy: Policy,
    /// A budget of the request's own.
    pub(super) budget: Option<Arc<Budget>>,
    pub(super) attempt: u32,
    pub(super) started: Option<Instant>,
    /// The status of an answer of HTTP, for telemetry.
    pub(super) status: Option<u16>,
}

/// Where a call is settled: the layer's settings.
pub(super) trait Books {
    fn settle(&self, account: &Account, outcome: Outcome, told: Told<'_>);

    /// The call was dropped before it was settled.
    fn dropped(&self, attempt: u32);
}

impl OpenCall {
    pub(super) fn new(
        books: Arc<dyn Books + Send + Sync>,
        account: Account,
        repeated_at_once: u32,
    ) -> OpenCall {
        let (decision, attempts) = (Decision::Succeeded, account.attempt);
        let expected = CallEnd { decision, attempts, repeated_at_once };
        OpenCall { books, expected, account: Some(account) }
    }

    /// The number of attempts, from 1.
    #[must_use]
    pub const fn attempts(&self) -> u32 {
        self.expected.attempts
    }

    /// The decision if the rest of its response is as good as its beginning.
    #[must_use]
    pub const fn expected(&self) -> CallEnd {
        self.expected
    }

    /// Settles the call by the outcome of its response: the budget, the telemetry and the observer
    /// get it as the end of the call. An outcome that asks for another attempt counts as
    /// [`Fail`](Outcome::Fail), or [`Stop`](Outcome::Stop) if it is no failure: the response was
    /// handed out.
    pub fn settle(self, outcome: Outcome) {
        self.settle_told(outcome, None);
    }

    /// As [`settle`](OpenCall::settle), with the reason why the response is no success: the text of
    /// [`Event::error`](crate::Event::error).
    pub fn settle_because(self, outcome: Outcome, reason: &dyn fmt::Display) {
        self.settle_told(outcome, Some(reason));
    }

    fn settle_told(mut self, outcome: Outcome, text: Option<&dyn fmt::Display>) {
        if let Some(account) = self.account.take() {
            let told = Told { text, status: account.status };
            self.books.settle(&account, without_another(outcome), told);
        }
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        if self.account.is_some() {
            self.books.dropped(self.expected.attempts);
        }
    }
}

impl fmt::Debug for OpenCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenCall").field("attempts", &self.attempts()).finish_non_exhaustive()
    }
}

/// The same outcome for a call that can make no other attempt.
pub(super) fn without_another(outcome: Outcome) -> Outcome {
    match (outcome.asks_again(), outcome.is_failure()) {
        (true, true) => Outcome::Fail,
        (true, false) => Outcome::Stop,
        (false, _) => outcome,
    }
}
