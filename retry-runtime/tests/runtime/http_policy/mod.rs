//! `HttpPolicy`: its presets option by option, its layers, and what it makes of answers and errors.

mod delays;
mod errors;
mod layers;

use std::time::{Duration, SystemTime};

use http::{HeaderMap, Method, StatusCode};
use retry_runtime::http::{ErrorKind, HttpPolicy, HttpPolicyPatch, Methods, RequestPolicy, Switch};
use retry_runtime::{Outcome, PolicyPatch, Schedule};

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

fn status(policy: &RequestPolicy, code: u16) -> Outcome {
    policy.classify(StatusCode::from_u16(code).unwrap(), &HeaderMap::new(), SystemTime::now())
}

fn asked(policy: &RequestPolicy, name: &'static str, value: &str) -> Outcome {
    let mut headers = HeaderMap::new();
    headers.insert(name, value.parse().unwrap());
    policy.classify(StatusCode::SERVICE_UNAVAILABLE, &headers, SystemTime::now())
}

fn with_key(key: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("Idempotency-Key", key.parse().unwrap());
    headers
}

fn retries(attempts: u32) -> HttpPolicyPatch {
    HttpPolicyPatch::new().policy(PolicyPatch::new().attempts(attempts))
}

const ALL_METHODS: [Method; 9] = [
    Method::GET,
    Method::HEAD,
    Method::OPTIONS,
    Method::TRACE,
    Method::PUT,
    Method::DELETE,
    Method::POST,
    Method::PATCH,
    Method::CONNECT,
];

#[test]
fn the_default_makes_three_attempts_within_thirty_seconds() {
    let policy = HttpPolicy::DEFAULT.policy();
    assert_eq!(HttpPolicy::DEFAULT.attempts, Some(3));
    assert_eq!(policy.time_limit(), Some(30 * SECOND));
}

#[test]
fn the_default_backs_off_from_half_a_second_to_five_with_full_jitter() {
    let backoff = HttpPolicy::DEFAULT.backoff;
    for (step, full) in [(1, 500), (2, 1000), (3, 2000), (4, 4000), (5, 5000), (90, 5000)] {
        let full = full * MS;
        assert_eq!(backoff.curve(step), full);
        let draws: Vec<_> = (0..400).map(|_| backoff.delay(step)).collect();
        assert!(draws.iter().all(|draw| *draw < full), "{step}");
        assert!(draws.iter().any(|draw| *draw < full / 2), "{step}: no spread");
    }
}

#[test]
fn the_table_of_any_5xx_takes_up_to_a_quarter_off() {
    let backoff = HttpPolicy::ANY_5XX_EXACT.backoff;
    for (step, full) in [(1, 500), (2, 1000), (90, 5000)] {
        let full = full * MS;
        let draws: Vec<_> = (0..400).map(|_| backoff.delay(step)).collect();
        assert!(draws.iter().all(|draw| *draw >= full * 3 / 4 && *draw <= full), "{step}");
        assert!(draws.iter().any(|draw| *draw < full * 8 / 10), "{step}: no spread");
    }
}

#[test]
fn the_table_of_any_5xx_retries_408_429_and_every_5xx_of_any_method() {
    let retried: Vec<u16> = [408, 429].into_iter().chain(500..=599).collect();
    assert_eq!(HttpPolicy::ANY_5XX_EXACT.statuses.iter().collect::<Vec<_>>(), retried);
    for method in ALL_METHODS {
        let policy = HttpPolicy::ANY_5XX_EXACT.for_method(&method);
        for code in 200..=999 {
            let expected = match code {
                _ if retried.contains(&code) => Outcome::Retry,
                ..400 => Outcome::Success,
                400..500 => Outcome::Stop,
                _ => Outcome::Fail,
            };
            assert_eq!(status(&policy, code), expected, "{method} {code}");
        }
    }
}

fn is_repeated(method: &Method) -> bool {
    !matches!(*method, Method::POST | Method::PATCH | Method::CONNECT)
}

#[test]
fn the_default_retries_what_may_pass_of_idempotent_methods_and_counts_every_failure() {
    for method in ALL_METHODS {
        let policy = HttpPolicy::DEFAULT.for_method(&method);
        for code in 100..=999 {
            let expected = match code {
                408 | 429 | 500 | 502..=504 | 520..=524 | 529 if is_repeated(&method) => {
                    Outcome::Retry
                }
                408 | 429 | 500.. => Outcome::Fail,
                ..400 => Outcome::Success,
                _ => Outcome::Stop,
            };
            assert_eq!(status(&policy, code), expected, "{method} {code}");
        }
    }
}

#[test]
fn transport_retries_four_statuses_of_idempotent_methods_and_counts_the_rest() {
    for method in ALL_METHODS {
        let policy = HttpPolicy::TRANSPORT.for_method(&method);
        let repeated = is_repeated(&method);
        for code in 200..=599 {
            let expected = match code {
                429 | 502..=504 if repeated => Outcome::Retry,
                429 | 500.. => Outcome::Fail,
                ..400 => Outcome::Success,
                _ => Outcome::Stop,
            };
            assert_eq!(status(&policy, code), expected, "{method} {code}");
        }
        for kind in [ErrorKind::ConnectionLost, ErrorKind::Timeout] {
            let expected = if repeated { Outcome::Retry } else { Outcome::Fail };
            assert_eq!(policy.classify_error(kind), expected, "{method} {kind:?}");
        }
        assert_eq!(policy.classify_error(ErrorKind::Connect), Outcome::Retry, "{method}");
    }
}

#[test]
fn the_safe_methods_are_those_that_read() {
    let query = Method::from_bytes(b"QUERY").unwrap();
    for method in ALL_METHODS.into_iter().chain([query]) {
        let policy = HttpPolicy::ANY_5XX_EXACT.for_method(&method);
        let safe = ["GET", "HEAD", "OPTIONS", "TRACE", "QUERY"].contains(&method.as_str());
        let expected = if safe { Outcome::Retry } else { Outcome::Fail };
        for kind in [ErrorKind::Connect, ErrorKind::ConnectionLost, ErrorKind::Timeout] {
            assert_eq!(policy.classify_error(kind), expected, "{method} {kind:?}");
        }
        let idempotent = safe || [Method::PUT, Method::DELETE].contains(&method);
        assert_eq!(Methods::Idempotent.contains(&method), idempotent, "{method}");
    }
    let made_up = Method::from_bytes(b"BREW").unwrap();
    assert!(!HttpPolicy::DEFAULT.for_method(&made_up).is_repeatable());
}

#[test]
fn an_explicit_switch_is_left_alone_by_the_method() {
    let patch = HttpPolicyPatch::new()
        .retry_connection_errors(Switch::Yes)
        .retry_timeout_errors(Switch::No);
    let policy = HttpPolicy::DEFAULT.merge(&patch).unwrap();
    for method in [Method::GET, Method::POST] {
        let resolved = policy.for_method(&method);
        assert_eq!(resolved.classify_error(ErrorKind::ConnectionLost), Outcome::Retry);
        assert_eq!(resolved.classify_error(ErrorKind::Timeout), Outcome::Fail);
    }
}

#[test]
fn a_key_makes_a_post_repeatable_and_an_empty_one_does_not() {
    for policy in [HttpPolicy::DEFAULT, HttpPolicy::TRANSPORT, HttpPolicy::ANY_5XX_EXACT] {
        let keyed = policy.for_request(&Method::POST, &with_key("8e03"));
        assert_eq!(keyed.classify_error(ErrorKind::Timeout), Outcome::Retry);
        assert_eq!(status(&keyed, 503), Outcome::Retry);
        for empty in ["", " ", "\t"] {
            let unkeyed = policy.for_request(&Method::POST, &with_key(empty));
            assert_eq!(unkeyed.classify_error(ErrorKind::Timeout), Outcome::Fail, "{empty:?}");
        }
        let get = policy.for_request(&Method::GET, &HeaderMap::new());
        assert_eq!(get.classify_error(ErrorKind::Timeout), Outcome::Retry);
    }
}

#[test]
fn the_callers_word_is_enough() {
    const YES: RequestPolicy = HttpPolicy::DEFAULT.repeatable(true);
    assert_eq!(YES.classify_error(ErrorKind::Timeout), Outcome::Retry);
    let no = HttpPolicy::DEFAULT.repeatable(false);
    assert_eq!(no.classify_error(ErrorKind::Timeout), Outcome::Fail);
}

#[test]
fn a_status_below_400_can_be_retried_too() {
    let patch = HttpPolicyPatch::new().statuses([202]);
    let policy = HttpPolicy::DEFAULT.merge(&patch).unwrap().for_method(&Method::GET);
    assert_eq!(status(&policy, 202), Outcome::Retry);
    assert_eq!(status(&policy, 503), Outcome::Fail);
}
