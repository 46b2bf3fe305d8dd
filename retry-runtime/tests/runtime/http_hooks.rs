//! The hook of an HTTP policy, and the hooks that ship.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use proptest::prelude::*;
use retry_runtime::Outcome;
use retry_runtime::http::{Answer, HttpPolicy, OverMax, RequestPolicy, hooks};

const SECOND: Duration = Duration::from_secs(1);

type Hook = fn(&Answer<'_>) -> Option<Outcome>;

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_700_000_000)
}

fn headers(lines: &[(&str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in lines {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        headers.append(name, HeaderValue::from_str(value).unwrap());
    }
    headers
}

fn judge(policy: &RequestPolicy, status: u16, lines: &[(&str, &str)]) -> Outcome {
    policy.classify(StatusCode::from_u16(status).unwrap(), &headers(lines), now())
}

fn get(hook: Hook) -> RequestPolicy {
    HttpPolicy::DEFAULT.overruled_by(hook).for_method(&Method::GET)
}

fn post(hook: Hook) -> RequestPolicy {
    HttpPolicy::DEFAULT.overruled_by(hook).for_method(&Method::POST)
}

#[test]
fn a_hook_sees_the_answer_and_what_the_policy_makes_of_it() {
    let policy = get(|answer| {
        assert_eq!(answer.status, 503);
        assert_eq!(answer.header("x-own"), Some("7"));
        assert_eq!(answer.outcome, Outcome::RetryAfter(2 * SECOND));
        assert_eq!(answer.retry_after(), Some(2 * SECOND));
        assert_eq!(answer.server_time(), answer.now);
        assert!(answer.policy().is_repeatable());
        Some(Outcome::Success)
    });
    let outcome = judge(&policy, 503, &[("x-own", " 7 "), ("retry-after", "2")]);
    assert_eq!(outcome, Outcome::Success);
}

#[test]
fn where_a_hook_says_nothing_the_policy_decides() {
    let policy = post(|_| None);
    for (status, expected) in [(200, Outcome::Success), (404, Outcome::Stop), (503, Outcome::Fail)]
    {
        assert_eq!(judge(&policy, status, &[]), expected);
    }
}

#[test]
fn github_is_asked_again_when_its_limit_is_reset_whatever_the_method() {
    let policy = post(hooks::github_limits);
    for status in [403, 429] {
        let limit = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1700000020")];
        assert_eq!(judge(&policy, status, &limit), Outcome::RetryAfter(20 * SECOND));
        let secondary = [("retry-after", "30"), ("x-ratelimit-remaining", "12")];
        assert_eq!(judge(&policy, status, &secondary), Outcome::RetryAfter(30 * SECOND));
    }
    // By the server's clock, which is an hour ahead of ours.
    let ahead = [
        ("date", "Tue, 14 Nov 2023 23:13:20 GMT"),
        ("x-ratelimit-remaining", "0"),
        ("x-ratelimit-reset", "1700003605"),
    ];
    assert_eq!(judge(&policy, 403, &ahead), Outcome::RetryAfter(5 * SECOND));
}

#[test]
fn a_limit_of_github_that_is_an_hour_away_is_cut_or_ends_the_call() {
    let limit = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1700003600")];
    assert_eq!(judge(&post(hooks::github_limits), 403, &limit), Outcome::RetryAfter(60 * SECOND));
    let mut policy = HttpPolicy::DEFAULT.overruled_by(hooks::github_limits);
    policy.retry_after_over_max = OverMax::GiveUp;
    assert_eq!(judge(&policy.for_method(&Method::GET), 403, &limit), Outcome::Fail);
}

#[test]
fn what_is_no_limit_of_github_is_left_to_the_policy() {
    let policy = post(hooks::github_limits);
    let reset = ("x-ratelimit-reset", "1700000020");
    for lines in [&[][..], &[reset], &[("x-ratelimit-remaining", "3"), reset]] {
        assert_eq!(judge(&policy, 403, lines), Outcome::Stop);
    }
    for unusable in ["", "soon", "-1", "0x10"] {
        let lines = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", unusable)];
        assert_eq!(judge(&policy, 403, &lines), Outcome::Stop, "{unusable:?}");
    }
    assert_eq!(judge(&policy, 404, &[("x-ratelimit-remaining", "0"), reset]), Outcome::Stop);
}

#[test]
fn a_server_that_says_whether_to_retry_is_believed() {
    for name in ["x-should-retry", "stripe-should-retry"] {
        let (get, post) = (get(hooks::should_retry), post(hooks::should_retry));
        assert_eq!(judge(&get, 409, &[(name, "true")]), Outcome::Retry);
        assert_eq!(
            judge(&get, 409, &[(name, "TRUE"), ("retry-after", "3")]),
            Outcome::RetryAfter(3 * SECOND)
        );
        assert_eq!(judge(&get, 503, &[(name, "false")]), Outcome::Fail);
        assert_eq!(judge(&get, 404, &[(name, "false")]), Outcome::Stop);
        assert_eq!(judge(&get, 503, &[(name, "perhaps")]), Outcome::Retry);
        assert_eq!(judge(&get, 200, &[(name, "true")]), Outcome::Success);
        // It may have been carried out.
        assert_eq!(judge(&post, 503, &[(name, "true")]), Outcome::Fail);
    }
    let both = [("x-should-retry", "true"), ("stripe-should-retry", "false")];
    assert_eq!(judge(&get(hooks::should_retry), 503, &both), Outcome::Fail);
}

#[test]
fn the_window_of_a_rate_limit_is_waited() {
    let (get, post) = (get(hooks::ratelimit_reset), post(hooks::ratelimit_reset));
    let after = |seconds| Outcome::RetryAfter(seconds * SECOND);
    assert_eq!(judge(&get, 429, &[("ratelimit-reset", "20")]), after(20));
    assert_eq!(judge(&get, 503, &[("ratelimit", "\"a\";r=0;t=7, \"b\";r=1;t=9")]), after(9));
    assert_eq!(judge(&get, 429, &[("retry-after", "3"), ("ratelimit-reset", "20")]), after(3));
    assert_eq!(judge(&get, 429, &[("ratelimit", "\"a\";r=0")]), Outcome::Retry);
    assert_eq!(judge(&get, 500, &[("ratelimit-reset", "20")]), Outcome::Retry);
    assert_eq!(judge(&post, 429, &[("ratelimit-reset", "20")]), Outcome::Fail);
}

#[test]
fn too_early_was_not_processed_and_a_key_in_progress_can_be_asked_again() {
    assert_eq!(judge(&post(hooks::too_early), 425, &[]), Outcome::Retry);
    assert_eq!(judge(&post(|_| None), 425, &[]), Outcome::Stop);

    let policy = HttpPolicy::DEFAULT.overruled_by(hooks::key_in_progress);
    let keyed = policy.for_request(&Method::POST, &headers(&[("idempotency-key", "8e03")]));
    assert_eq!(judge(&keyed, 409, &[]), Outcome::Retry);
    assert_eq!(judge(&policy.for_method(&Method::PUT), 409, &[]), Outcome::Stop);
}

#[test]
fn a_refusal_proves_nothing_where_redirects_are_followed() {
    let mut policy = HttpPolicy::DEFAULT.overruled_by(hooks::too_early);
    policy.follows_redirects = true;
    assert_eq!(judge(&policy.for_method(&Method::POST), 425, &[]), Outcome::Fail);
    assert_eq!(judge(&policy.for_method(&Method::GET), 425, &[]), Outcome::Retry);
}

const NAMES: [&str; 10] = [
    "retry-after",
    "retry-after-ms",
    "date",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "x-should-retry",
    "stripe-should-retry",
    "ratelimit-reset",
    "ratelimit",
    "idempotency-key",
];

proptest! {
    #[test]
    fn no_bytes_of_a_server_make_a_hook_panic(
        status in prop_oneof![Just(403_u16), Just(409), Just(425), Just(429), Just(503), 100..=999_u16],
        lines in proptest::collection::vec(
            (0..NAMES.len(), prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..40),
                "[0-9]{1,40}([.,][0-9]{1,3})?|0|true|\"a\";r=0;t=[0-9]{0,40}".prop_map(String::into_bytes),
            ]),
            0..6,
        ),
        seconds in 0..u64::MAX / 4,
    ) {
        let mut headers = HeaderMap::new();
        for (name, bytes) in lines {
            if let Ok(value) = HeaderValue::from_bytes(&bytes) {
                headers.append(NAMES[name], value);
            }
        }
        let status = StatusCode::from_u16(status).unwrap();
        let now = UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).unwrap_or(UNIX_EPOCH);
        let all: [Hook; 5] = [
            hooks::github_limits,
            hooks::should_retry,
            hooks::ratelimit_reset,
            hooks::too_early,
            hooks::key_in_progress,
        ];
        for hook in all {
            let policy = HttpPolicy::DEFAULT.overruled_by(hook);
            let request = policy.for_request(&Method::POST, &headers);
            let outcome = request.classify(status, &headers, now);
            // Whatever a server says, it makes no success of a failure.
            prop_assert!(status.as_u16() < 400 || outcome != Outcome::Success);
        }
    }
}
