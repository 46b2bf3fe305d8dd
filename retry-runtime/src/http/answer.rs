//! Answers as a policy's hook sees them.

use core::time::Duration;
use std::time::SystemTime;

use ::http::{HeaderMap, StatusCode};

use super::{RequestPolicy, retry_after};
use crate::outcome::Outcome;

/// An answer and its outcome by the policy, for the hook of
/// [`HttpPolicy::overruled_by`](super::HttpPolicy::overruled_by). The hook returns another outcome,
/// or `None` to keep the policy's.
///
/// [`hooks`](super::hooks) has the usual ones. Combine them by `or_else`, also with a rule of your
/// own:
///
/// ```
/// use http::{HeaderMap, Method, StatusCode};
/// use retry_runtime::Outcome;
/// use retry_runtime::http::{Answer, HttpPolicy, hooks};
/// use std::time::SystemTime;
///
/// fn rules(answer: &Answer<'_>) -> Option<Outcome> {
///     // This service says 409 while another request changes the same item, and refuses ours.
///     if answer.status == StatusCode::CONFLICT && answer.header("x-locked-by").is_some() {
///         return Some(answer.refused(None));
///     }
///     hooks::github_limits(answer).or_else(|| hooks::should_retry(answer))
/// }
/// const ITEMS: HttpPolicy = HttpPolicy::DEFAULT.overruled_by(rules);
///
/// let mut headers = HeaderMap::new();
/// let post = ITEMS.for_method(&Method::POST);
/// let now = SystemTime::now();
/// let judge = |headers: &HeaderMap| post.classify(StatusCode::CONFLICT, headers, now);
/// assert_eq!(judge(&headers), Outcome::Stop);
/// headers.insert("x-locked-by", "cron".parse()?);
/// assert_eq!(judge(&headers), Outcome::Retry);
/// # Ok::<(), http::header::InvalidHeaderValue>(())
/// ```
///
/// A hook does not see the body, which may be large and can be read only once. If the decision
/// needs the body, read it in the attempt, and let a classifier of your own ask
/// [`RequestPolicy::classify`](super::RequestPolicy::classify).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Answer<'a> {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: &'a HeaderMap,
    /// The time at which the answer came, by our clock.
    pub now: SystemTime,
    /// The policy's own outcome of the answer.
    pub outcome: Outcome,
    policy: &'a RequestPolicy,
}

impl<'a> Answer<'a> {
    pub(super) const fn new(
        status: StatusCode,
        headers: &'a HeaderMap,
        now: SystemTime,
        outcome: Outcome,
        policy: &'a RequestPolicy,
    ) -> Answer<'a> {
        Answer { status, headers, now, outcome, policy }
    }

    /// The policy of the request.
    #[must_use]
    pub const fn policy(&self) -> &'a RequestPolicy {
        self.policy
    }

    /// The value of a header as text, without the space around it; the first of several lines.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&'a str> {
        retry_after::text(self.headers.get(name)?)
    }

    /// The outcome of a temporary failure, as of one of the policy's `statuses`: the request is
    /// repeated if the policy repeats it after a status; if not, the outcome is final.
    ///
    /// `asked` is the server's wait, which the policy limits to its bounds. With `None` its
    /// `Retry-After` is read.
    pub fn retry(&self, asked: Option<Duration>) -> Outcome {
        let repeated = self.policy.repeats(self.policy.settings().retry_statuses);
        self.policy.again(repeated, asked.or_else(|| self.retry_after()))
    }

    /// The outcome of a request which the server certainly did not carry out: it is repeated
    /// whatever its method, unless another request may have got this answer
    /// ([`follows_redirects`](super::HttpPolicy::follows_redirects)).
    pub fn refused(&self, asked: Option<Duration>) -> Outcome {
        self.policy.again(self.policy.proof_holds(), asked.or_else(|| self.retry_after()))
    }

    /// The wait of `retry-after-ms` or `Retry-After`, if the policy reads them; without the
    /// policy's bounds.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.policy.asked_delay(self.headers, self.now)
    }

    /// The server's clock, if the answer has a `Date`, else ours: what the server's dates are
    /// relative to.
    #[must_use]
    pub fn server_time(&self) -> SystemTime {
        retry_after::server_time(self.headers, self.now)
    }
}
