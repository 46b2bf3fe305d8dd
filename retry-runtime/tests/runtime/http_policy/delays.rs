//! Delays that a server asks for.

use std::time::SystemTime;

use http::{HeaderMap, Method, StatusCode};
use retry_runtime::http::{HttpPolicy, HttpPolicyPatch, OverMax};
use retry_runtime::{Outcome, Schedule};

use super::{MS, SECOND, asked};

#[test]
fn a_servers_delay_is_obeyed_exactly_within_floor_and_ceiling() {
    let policy = HttpPolicy::ANY_5XX_EXACT.for_method(&Method::POST);
    for (name, value, expected) in [
        ("retry-after", "0", 100 * MS),
        ("retry-after-ms", "99", 100 * MS),
        ("retry-after-ms", "100", 100 * MS),
        ("retry-after-ms", "101", 101 * MS),
        ("retry-after", "2", 2 * SECOND),
        ("retry-after", "60", 60 * SECOND),
        ("retry-after", "61", 60 * SECOND),
        ("retry-after", "99999999999999999999999999", 60 * SECOND),
        ("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT", 100 * MS),
        ("retry-after", "Fri, 31 Dec 9999 23:59:59 GMT", 60 * SECOND),
    ] {
        assert_eq!(asked(&policy, name, value), Outcome::RetryIn(expected), "{name}: {value}");
    }
    for value in ["", "soon", "-1"] {
        assert_eq!(asked(&policy, "retry-after", value), Outcome::Retry, "{value:?}");
    }
}

#[test]
fn by_default_a_servers_delay_is_the_least_that_is_waited() {
    let policy = HttpPolicy::DEFAULT.for_method(&Method::GET);
    assert_eq!(asked(&policy, "retry-after", "2"), Outcome::RetryAfter(2 * SECOND));
    assert_eq!(asked(&policy, "retry-after", "0"), Outcome::RetryAfter(100 * MS));
    assert_eq!(asked(&policy, "retry-after", "3600"), Outcome::RetryAfter(60 * SECOND));
}

#[test]
fn five_hundred_clients_that_were_told_the_same_come_back_over_a_second() {
    let floor = 8 * SECOND;
    for policy in [HttpPolicy::DEFAULT, HttpPolicy::TRANSPORT] {
        let get = policy.for_method(&Method::GET);
        assert_eq!(asked(&get, "retry-after", "8"), Outcome::RetryAfter(floor));
        // Of each tenth of the second after the floor, how many come back in it.
        let mut tenths = [0; 10];
        for client in 0..500 {
            let wait = get.policy().schedule().seed(client).delay_at_least(1, floor);
            assert!(wait >= floor && wait < floor + SECOND, "{wait:?}");
            tenths[((wait - floor).as_millis() / 100) as usize] += 1;
        }
        assert!(tenths.iter().all(|clients| *clients > 25), "{tenths:?}");
    }
}

#[test]
fn a_server_is_not_asked_if_the_policy_says_so() {
    let patch = HttpPolicyPatch::new().respect_retry_after(false);
    let policy = HttpPolicy::DEFAULT.merge(&patch).unwrap().for_method(&Method::GET);
    assert_eq!(asked(&policy, "retry-after", "2"), Outcome::Retry);
}

#[test]
fn a_delay_over_the_ceiling_gives_up_if_the_policy_says_so() {
    let patch = HttpPolicyPatch::new().retry_after_over_max(OverMax::GiveUp);
    let policy = HttpPolicy::DEFAULT.merge(&patch).unwrap().for_method(&Method::GET);
    assert_eq!(asked(&policy, "retry-after", "61"), Outcome::Fail);
    assert_eq!(asked(&policy, "retry-after", "60"), Outcome::RetryAfter(60 * SECOND));
    assert_eq!(asked(&policy, "retry-after", "soon"), Outcome::Retry);
}

#[test]
fn a_header_makes_no_status_retryable() {
    let mut headers = HeaderMap::new();
    headers.insert("retry-after", "1".parse().unwrap());
    let judge = |code| {
        let code = StatusCode::from_u16(code).unwrap();
        HttpPolicy::DEFAULT.for_method(&Method::GET).classify(code, &headers, SystemTime::now())
    };
    assert_eq!(judge(413), Outcome::Stop);
    assert_eq!(judge(301), Outcome::Success);
    assert_eq!(judge(200), Outcome::Success);
}
