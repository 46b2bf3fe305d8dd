//! `HttpPolicy`: its presets option by option, its layers, and what it makes of answers and errors.

use std::io;
use std::time::{Duration, SystemTime};

use http::{HeaderMap, Method, Response, StatusCode};
use retry_runtime::error_chain::find_source;
use retry_runtime::http::{
    ErrorKind, HttpPolicy, HttpPolicyPatch, Methods, OverMax, RequestPolicy, ServerDelay,
    StatusSet, Switch,
};
use retry_runtime::{Backoff, Classify, Jitter, Outcome, PolicyPatch, Schedule};

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
fn what_was_not_sent_is_retried_whatever_the_switches() {
    let patch =
        HttpPolicyPatch::new().retry_connection_errors(Switch::No).retry_timeout_errors(Switch::No);
    let strict = HttpPolicy::DEFAULT.merge(&patch).unwrap().for_method(&Method::POST);
    assert_eq!(strict.classify_error(ErrorKind::PoolTimeout), Outcome::Retry);
    assert_eq!(strict.classify_error(ErrorKind::NotProcessed), Outcome::Retry);
}

#[test]
fn retry_unsent_repeats_a_post_that_found_no_connection_but_not_one_that_lost_it() {
    let post = HttpPolicy::DEFAULT.for_method(&Method::POST);
    assert_eq!(post.classify_error(ErrorKind::Connect), Outcome::Retry);
    assert_eq!(post.classify_error(ErrorKind::ConnectionLost), Outcome::Fail);
    let patch = HttpPolicyPatch::new().retry_unsent(false);
    let post = HttpPolicy::DEFAULT.merge(&patch).unwrap().for_method(&Method::POST);
    assert_eq!(post.classify_error(ErrorKind::Connect), Outcome::Fail);
}

#[test]
fn where_an_attempt_may_be_several_requests_nothing_proves_that_a_post_was_not_done() {
    let eager = HttpPolicyPatch::new().retry_unsent(true);
    for policy in [HttpPolicy::DEFAULT, HttpPolicy::TRANSPORT, HttpPolicy::ANY_5XX_EXACT] {
        let mut policy = policy.merge(&eager).unwrap();
        policy.follows_redirects = true;
        let (get, post) = (policy.for_method(&Method::GET), policy.for_method(&Method::POST));
        for kind in [ErrorKind::Connect, ErrorKind::NotProcessed, ErrorKind::PoolTimeout] {
            assert_eq!(get.classify_error(kind), Outcome::Retry, "{kind:?}");
            assert_eq!(post.classify_error(kind), Outcome::Fail, "{kind:?}");
        }
        assert_eq!(status(&get, 503), Outcome::Retry);
        assert_eq!(status(&post, 503), Outcome::Fail);
        assert_eq!(status(&post, 200), Outcome::Success);
        let one_request = post.following_redirects(false);
        assert_eq!(one_request.classify_error(ErrorKind::NotProcessed), Outcome::Retry);
    }
}

#[test]
fn errors_that_say_nothing_of_the_dependency_stop_without_a_token() {
    let get = HttpPolicy::DEFAULT.for_method(&Method::GET);
    for kind in [
        ErrorKind::Certificate,
        ErrorKind::Request,
        ErrorKind::Content,
        ErrorKind::Rejected,
        ErrorKind::Cancelled,
    ] {
        assert_eq!(get.classify_error(kind), Outcome::Stop, "{kind:?}");
    }
}

#[test]
fn what_is_unknown_or_no_answer_is_a_failure_that_is_not_repeated() {
    for policy in [HttpPolicy::DEFAULT, HttpPolicy::TRANSPORT, HttpPolicy::ANY_5XX_EXACT] {
        let get = policy.for_method(&Method::GET);
        assert_eq!(get.classify_error(ErrorKind::Other), Outcome::Fail);
        assert_eq!(get.classify_error(ErrorKind::Response), Outcome::Fail);
    }
}

#[test]
fn what_is_unknown_is_repeated_if_the_policy_says_so_and_the_request_can_be() {
    let patch = HttpPolicyPatch::new().retry_other_errors(Switch::Auto);
    let policy = HttpPolicy::DEFAULT.merge(&patch).unwrap();
    let judged = |method| policy.for_method(&method).classify_error(ErrorKind::Other);
    assert_eq!((judged(Method::GET), judged(Method::POST)), (Outcome::Retry, Outcome::Fail));
}

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

#[test]
fn a_status_below_400_can_be_retried_too() {
    let patch = HttpPolicyPatch::new().statuses([202]);
    let policy = HttpPolicy::DEFAULT.merge(&patch).unwrap().for_method(&Method::GET);
    assert_eq!(status(&policy, 202), Outcome::Retry);
    assert_eq!(status(&policy, 503), Outcome::Fail);
}

#[test]
fn every_schedule_and_every_jitter_can_be_said() {
    let jitters = [Jitter::None, Jitter::Full, Jitter::Subtract(0.5), Jitter::Add(0.2)];
    for jitter in jitters {
        let patch = HttpPolicyPatch::new()
            .policy(PolicyPatch::new().backoff("constant").initial(SECOND).jitter(jitter));
        let expected = Backoff::constant(SECOND).jitter(jitter);
        let merged = HttpPolicy::DEFAULT.merge(&patch).unwrap();
        for step in [1, 2, 9] {
            assert_eq!(merged.backoff.curve(step), SECOND);
        }
        assert_eq!(merged.backoff.seed(7).delay(1), expected.seed(7).delay(1));
        assert_eq!(merged.policy().schedule(), merged.backoff);
    }
}

#[test]
fn one_attempt_and_no_limits_can_be_said() {
    let policy = HttpPolicy::DEFAULT.merge(&retries(1)).unwrap();
    assert_eq!(
        policy.policy(),
        HttpPolicy::DEFAULT
            .for_method(&Method::GET)
            .policy()
            .merge(&PolicyPatch::new().attempts(1))
            .unwrap()
    );
    let none = PolicyPatch::new().unlimited().without_time_limit();
    let policy = HttpPolicy::DEFAULT.merge(&HttpPolicyPatch::new().policy(none)).unwrap();
    assert_eq!((policy.attempts, policy.within), (None, None));
    assert_eq!(policy.policy().time_limit(), None);
}

#[test]
fn a_layer_changes_what_it_names_and_nothing_else() {
    let service = HttpPolicyPatch::new()
        .policy(PolicyPatch::new().attempts(6).within(60 * SECOND))
        .statuses([429]);
    let call = retries(2).methods(Methods::Safe);
    let policy = HttpPolicy::DEFAULT.merge(&service).unwrap().merge(&call).unwrap();

    let mut expected = HttpPolicy::DEFAULT;
    expected.attempts = Some(2);
    expected.within = Some(60 * SECOND);
    expected.statuses = StatusSet::EMPTY.with(429);
    expected.methods = Methods::Safe;
    assert_eq!(policy, expected);
    assert_eq!(HttpPolicy::DEFAULT.merge(&service.merge(&call)).unwrap(), expected);
    let nothing = HttpPolicyPatch::new();
    assert_eq!(HttpPolicy::TRANSPORT.merge(&nothing).unwrap(), HttpPolicy::TRANSPORT);
}

#[test]
fn every_option_can_be_set_by_a_layer() {
    let patch = HttpPolicyPatch::new()
        .policy(PolicyPatch::new().attempts(8).backoff("linear").without_time_limit())
        .statuses([503])
        .retry_statuses(Switch::Yes)
        .respect_retry_after(false)
        .retry_after_min(SECOND)
        .retry_after_max(2 * SECOND)
        .retry_after_over_max(OverMax::GiveUp)
        .retry_after_as(ServerDelay::Exact)
        .retry_connection_errors(Switch::No)
        .retry_timeout_errors(Switch::No)
        .retry_other_errors(Switch::Yes)
        .retry_unsent(false)
        .methods(Methods::Safe);
    let merged = HttpPolicy::DEFAULT.merge(&patch).unwrap();

    let mut expected = HttpPolicy::DEFAULT;
    expected.attempts = Some(8);
    expected.backoff = Backoff::linear(500 * MS, 5 * SECOND).jitter(Jitter::Full);
    expected.within = None;
    expected.statuses = StatusSet::EMPTY.with(503);
    expected.retry_statuses = Switch::Yes;
    expected.respect_retry_after = false;
    expected.retry_after_min = SECOND;
    expected.retry_after_max = 2 * SECOND;
    expected.retry_after_over_max = OverMax::GiveUp;
    expected.retry_after_as = ServerDelay::Exact;
    expected.retry_connection_errors = Switch::No;
    expected.retry_timeout_errors = Switch::No;
    expected.retry_other_errors = Switch::Yes;
    expected.retry_unsent = false;
    expected.methods = Methods::Safe;
    assert_eq!(merged, expected);
    assert_eq!(HttpPolicyPatch::new().merge(&patch), patch);
}

#[test]
fn one_error_names_every_mistake() {
    let policy = PolicyPatch::new().attempts(0).initial(6 * SECOND).jitter(Jitter::Add(f64::NAN));
    let patch = HttpPolicyPatch::new().policy(policy).statuses([20, 503, 1000]).retry_after_max(MS);
    let error = HttpPolicy::DEFAULT.merge(&patch).unwrap_err();
    assert_eq!(
        error.fields().collect::<Vec<_>>(),
        ["attempts", "jitter", "statuses", "initial", "retry_after_max"]
    );
    let error = error.to_string();
    for mistake in [
        "`statuses` is [20, 1000], allowed: each 100 to 999",
        "`initial` is 6s, allowed: at most `max`, 5s",
        "`retry_after_max` is 1ms, allowed: at least `retry_after_min`, 100ms",
    ] {
        assert!(error.contains(mistake), "{error}");
    }
}

#[test]
fn a_patch_is_checked_alone_for_what_no_base_can_mend() {
    let initial = PolicyPatch::new().initial(6 * SECOND);
    assert!(HttpPolicyPatch::new().policy(initial.clone()).validate().is_ok());
    let error = HttpPolicyPatch::new()
        .policy(initial.max(SECOND).jitter(Jitter::Subtract(-0.1)))
        .retry_after_min(SECOND)
        .retry_after_max(MS)
        .validate()
        .unwrap_err();
    assert_eq!(error.fields().collect::<Vec<_>>(), ["jitter", "max", "retry_after_max"]);
}

#[test]
fn fields_set_by_hand_are_checked_on_request_and_never_panic() {
    let mut policy = HttpPolicy::ANY_5XX_EXACT;
    policy.attempts = Some(0);
    policy.retry_after_max = MS;
    let error = policy.validate().unwrap_err();
    assert_eq!(error.fields().collect::<Vec<_>>(), ["attempts", "retry_after_max"]);
    let get = policy.for_method(&Method::GET);
    assert!(get.policy().call_without_budget().decide(Outcome::Retry).is_final());
    assert_eq!(asked(&get, "retry-after", "5"), Outcome::RetryIn(MS));
    for preset in [HttpPolicy::DEFAULT, HttpPolicy::TRANSPORT, HttpPolicy::ANY_5XX_EXACT] {
        assert_eq!(preset.validate(), Ok(()));
    }
}

#[test]
#[should_panic(expected = "the first status of a range must not be larger than the last")]
fn a_range_of_statuses_the_wrong_way_round_is_no_empty_set() {
    let _ = StatusSet::EMPTY.with_range(504, 502);
}

#[test]
fn a_classifier_judges_answers_and_errors_of_the_http_types() {
    let get = HttpPolicy::DEFAULT.for_method(&Method::GET);
    let classifier = get.classifier(|error: &io::Error| ErrorKind::in_chain(error));
    let answer = |code: u16| -> io::Result<Response<()>> {
        Ok(Response::builder().status(code).header("retry-after", "3").body(()).unwrap())
    };
    assert_eq!(classifier.classify(&answer(200)), Outcome::Success);
    assert_eq!(classifier.classify(&answer(503)), Outcome::RetryAfter(3 * SECOND));
    let error = |kind: io::ErrorKind| -> io::Result<Response<()>> { Err(kind.into()) };
    assert_eq!(classifier.classify(&error(io::ErrorKind::ConnectionReset)), Outcome::Retry);
    assert_eq!(classifier.classify(&error(io::ErrorKind::PermissionDenied)), Outcome::Fail);
}

#[derive(Debug)]
struct Circle(std::sync::OnceLock<&'static Circle>);

impl std::fmt::Display for Circle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("circle")
    }
}

impl std::error::Error for Circle {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.get().map(|next| *next as &dyn std::error::Error)
    }
}

#[test]
fn a_chain_is_searched_by_type_and_ends_even_if_it_goes_in_circles() {
    let circle: &'static Circle = Box::leak(Box::new(Circle(std::sync::OnceLock::new())));
    circle.0.set(circle).unwrap();
    assert!(find_source::<io::Error>(circle).is_none());
    assert!(find_source::<Circle>(&io::Error::other(Circle(std::sync::OnceLock::new()))).is_some());
    assert_eq!(ErrorKind::in_chain(circle), ErrorKind::Other);
}
