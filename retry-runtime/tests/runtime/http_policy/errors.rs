//! Errors: what is known of a request that has no answer.

use std::io;

use http::{Method, Response};
use retry_runtime::error_chain::find_source;
use retry_runtime::http::{ErrorKind, HttpPolicy, HttpPolicyPatch, Switch};
use retry_runtime::{Classify, Outcome};

use super::{SECOND, status};

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

#[test]
fn the_time_limit_of_a_socket_is_a_timeout_as_the_system_reports_it() {
    for kind in [io::ErrorKind::TimedOut, io::ErrorKind::WouldBlock] {
        assert_eq!(ErrorKind::from_io(kind, false), ErrorKind::Timeout, "{kind}");
        assert_eq!(ErrorKind::from_io(kind, true), ErrorKind::Connect, "{kind}");
        assert_eq!(ErrorKind::in_chain(&io::Error::from(kind)), ErrorKind::Timeout, "{kind}");
    }
}

#[test]
fn a_read_of_a_socket_that_takes_too_long_is_a_timeout() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut client = std::net::TcpStream::connect(server.local_addr().unwrap()).unwrap();
    client.set_read_timeout(Some(std::time::Duration::from_millis(1))).unwrap();
    let error = io::Read::read(&mut client, &mut [0]).unwrap_err();
    assert_eq!(ErrorKind::in_chain(&error), ErrorKind::Timeout);
}

#[test]
fn an_event_says_the_status_or_what_happened_to_the_connection() {
    let policy = HttpPolicy::DEFAULT.for_method(&Method::GET);
    let classifier = policy.classifier(|error: &io::Error| ErrorKind::in_chain(error));
    let said = |result: io::Result<Response<()>>| {
        let seen = std::sync::Mutex::new(String::new());
        let retrier = retry_runtime::Retrier::new(
            retry_runtime::Policy::new(1),
            retry_runtime::NoBudget,
            classifier,
        );
        let observer = |event: &retry_runtime::Event<'_>| {
            *seen.lock().unwrap() = event.error.map(|error| error.to_string()).unwrap_or_default();
        };
        let mut result = Some(result);
        let _ = retrier.call().observe(&observer).run_blocking(|_| result.take().unwrap());
        seen.into_inner().unwrap()
    };
    assert_eq!(
        said(Ok(Response::builder().status(503).body(()).unwrap())),
        "status 503 Service Unavailable"
    );
    let secret = io::Error::new(io::ErrorKind::BrokenPipe, "https://user:password@host/");
    assert_eq!(said(Err(secret)), "connection_lost");
}
