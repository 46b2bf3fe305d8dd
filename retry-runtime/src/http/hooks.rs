//! Rules of well-known services, for [`HttpPolicy::overruled_by`](super::HttpPolicy::overruled_by).
//!
//! Each gives an outcome where its service says something that the status does not, and `None`
//! elsewhere, so that they put together: `github_limits(answer).or_else(|| should_retry(answer))`.
//!
//! | function | reads |
//! |---|---|
//! | [`github_limits`] | 403 and 429 with `retry-after`, or `x-ratelimit-remaining: 0` and `x-ratelimit-reset` |
//! | [`should_retry`] | `x-should-retry` and `stripe-should-retry` |
//! | [`ratelimit_reset`] | `ratelimit-reset`, and the `t` of `ratelimit`, with 429 and 503 |
//! | [`too_early`] | 425 |
//! | [`key_in_progress`] | 409 to a request with an `Idempotency-Key` |

use core::time::Duration;
use std::time::UNIX_EPOCH;

use ::http::StatusCode;

use super::{Answer, retry_after};
use crate::outcome::Outcome;

/// GitHub's limits. It answers 403 as well as 429 to a request over a limit, which it did not carry
/// out, so the request is repeated whatever its method: after `retry-after`, or with
/// `x-ratelimit-remaining: 0` at `x-ratelimit-reset` (seconds since 1970, by the server's clock). A
/// 403 without these is the caller's mistake, as usual.
///
/// The reset may be an hour away, and
/// [`retry_after_max`](super::HttpPolicy::retry_after_max) cuts it:
/// [`OverMax::GiveUp`](super::OverMax::GiveUp) is right where a call cannot wait for it.
///
/// ```
/// use http::{HeaderMap, Method, StatusCode};
/// use retry_runtime::Outcome;
/// use retry_runtime::http::{HttpPolicy, hooks};
/// use std::time::{Duration, UNIX_EPOCH};
///
/// let policy = HttpPolicy::DEFAULT.overruled_by(hooks::github_limits);
/// let mut headers = HeaderMap::new();
/// headers.insert("x-ratelimit-remaining", "0".parse()?);
/// headers.insert("x-ratelimit-reset", "1700000020".parse()?);
/// let now = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
/// let post = policy.for_method(&Method::POST);
/// let outcome = post.classify(StatusCode::FORBIDDEN, &headers, now);
/// assert_eq!(outcome, Outcome::RetryAfter(Duration::from_secs(20)));
/// # Ok::<(), http::header::InvalidHeaderValue>(())
/// ```
pub fn github_limits(answer: &Answer<'_>) -> Option<Outcome> {
    if !matches!(answer.status, StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS) {
        return None;
    }
    if answer.retry_after().is_some() {
        return Some(answer.refused(None));
    }
    if answer.header("x-ratelimit-remaining")? != "0" {
        return None;
    }
    let reset = retry_after::seconds(answer.header("x-ratelimit-reset")?)?;
    // Too far for the clock is as far as can be.
    let wait = match UNIX_EPOCH.checked_add(reset) {
        Some(reset) => reset.duration_since(answer.server_time()).unwrap_or(Duration::ZERO),
        None => Duration::MAX,
    };
    Some(answer.refused(Some(wait)))
}

/// The server's word in `x-should-retry` or `stripe-should-retry`: `true` or `false`. With `true` a
/// failure of any status is temporary ([`Answer::retry`]); with `false` it is final. Without
/// either, and for an answer below 400, the policy's judgement stands.
///
/// Even with `true` the request may have been carried out: one that must not be repeated is not
/// repeated.
///
/// ```
/// use http::{HeaderMap, Method, StatusCode};
/// use retry_runtime::Outcome;
/// use retry_runtime::http::{HttpPolicy, hooks};
/// use std::time::SystemTime;
///
/// let get = HttpPolicy::DEFAULT.overruled_by(hooks::should_retry).for_method(&Method::GET);
/// let mut headers = HeaderMap::new();
/// headers.insert("stripe-should-retry", "false".parse()?);
/// let outcome = get.classify(StatusCode::SERVICE_UNAVAILABLE, &headers, SystemTime::now());
/// assert_eq!(outcome, Outcome::Fail);
/// # Ok::<(), http::header::InvalidHeaderValue>(())
/// ```
pub fn should_retry(answer: &Answer<'_>) -> Option<Outcome> {
    if answer.status.as_u16() < 400 {
        return None;
    }
    let mut said = ["x-should-retry", "stripe-should-retry"]
        .into_iter()
        .filter_map(|name| answer.header(name))
        .filter_map(|word| match word {
            _ if word.eq_ignore_ascii_case("true") => Some(true),
            _ if word.eq_ignore_ascii_case("false") => Some(false),
            _ => None,
        })
        .peekable();
    said.peek()?;
    if said.all(|again| again) {
        return Some(answer.retry(None));
    }
    Some(match answer.outcome {
        Outcome::Stop => Outcome::Stop,
        _ => Outcome::Fail,
    })
}

/// The window of a rate limit, with 429 and 503 that have no `Retry-After`: the seconds of
/// `ratelimit-reset` (the IETF's drafts on rate limits up to the seventh), or those of the
/// parameter `t` in `ratelimit` (the later ones), the largest of several.
///
/// ```
/// use http::{HeaderMap, Method, StatusCode};
/// use retry_runtime::Outcome;
/// use retry_runtime::http::{HttpPolicy, hooks};
/// use std::time::{Duration, SystemTime};
///
/// let get = HttpPolicy::DEFAULT.overruled_by(hooks::ratelimit_reset).for_method(&Method::GET);
/// let mut headers = HeaderMap::new();
/// headers.insert("ratelimit", r#""hour";r=0;t=20"#.parse()?);
/// let outcome = get.classify(StatusCode::TOO_MANY_REQUESTS, &headers, SystemTime::now());
/// assert_eq!(outcome, Outcome::RetryAfter(Duration::from_secs(20)));
/// # Ok::<(), http::header::InvalidHeaderValue>(())
/// ```
pub fn ratelimit_reset(answer: &Answer<'_>) -> Option<Outcome> {
    let busy =
        matches!(answer.status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
    if !busy || answer.retry_after().is_some() {
        return None;
    }
    let reset = answer.header("ratelimit-reset").and_then(retry_after::seconds);
    let window = || {
        let parameters = answer.header("ratelimit")?.split([';', ',']);
        let windows = parameters.filter_map(|parameter| {
            let (name, value) = parameter.trim().split_once('=')?;
            if name == "t" { retry_after::seconds(value) } else { None }
        });
        windows.max()
    };
    Some(answer.retry(Some(reset.or_else(window)?)))
}

/// 425, Too Early: the server did not take the risk of processing a request that may be
/// replayed (RFC 8470 section 5.2), so it is repeated whatever its method.
pub fn too_early(answer: &Answer<'_>) -> Option<Outcome> {
    (answer.status == StatusCode::TOO_EARLY).then(|| answer.refused(None))
}

/// 409 to a request with an `Idempotency-Key`: the first request of that key still runs (the
/// IETF's draft on the header, section 2.7). Of a request without a key, a conflict is the caller's.
///
/// It needs the request: [`HttpPolicy::for_request`](super::HttpPolicy::for_request).
pub fn key_in_progress(answer: &Answer<'_>) -> Option<Outcome> {
    let keyed = answer.policy().has_key();
    (keyed && answer.status == StatusCode::CONFLICT).then(|| answer.retry(None))
}
