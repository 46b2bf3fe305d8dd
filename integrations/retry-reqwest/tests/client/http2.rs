//! The client that retries, over HTTP/2.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use retry_reqwest::{Client, Requests, error_kind};
use retry_runtime::Budget;
use retry_runtime::http::{ErrorKind, HttpPolicy};
use retry_runtime::tower::RetryLayer;
use scripted_server::http2::{Act, Server, code};

use super::{http, request};

fn posts(server: &Server) -> usize {
    let posts = server.received().into_iter();
    posts.filter(|request| request.header(":method") == Some("POST")).count()
}

#[tokio::test]
async fn a_post_that_was_redirected_to_what_is_refused_is_not_sent_again() {
    let refusals = [
        vec![Act::Reset(code::REFUSED_STREAM)],
        vec![Act::GoAwayBelow(code::NO_ERROR), Act::Close],
        vec![Act::GoAwayBelow(code::INTERNAL_ERROR), Act::Close],
        Act::answer(503),
    ];
    for policy in [HttpPolicy::DEFAULT, HttpPolicy::TRANSPORT, HttpPolicy::ANY_5XX_EXACT] {
        for status in [301, 302, 303] {
            for refusal in &refusals {
                let redirect = Act::answer_with(status, vec![("location", "/done".into())]);
                let server = Server::start([redirect, refusal.clone()]).await;
                let budget = Arc::new(Budget::new(10, 0.1));
                let http = http().http2_prior_knowledge().build().unwrap();
                let client = Client::new(http, policy, Arc::clone(&budget));
                let _ = client.execute(request(Method::POST, &server.url("charges"))).await;
                assert_eq!(posts(&server), 1, "{status}, then {refusal:?}");
                assert_eq!(budget.tokens(), 9.0, "{status}, then {refusal:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_post_that_was_refused_is_sent_again_where_no_redirect_can_have_come_before() {
    for refusal in [
        vec![Act::Reset(code::REFUSED_STREAM)],
        vec![Act::GoAwayBelow(code::ENHANCE_YOUR_CALM), Act::Close],
    ] {
        let server = Server::start([refusal, Act::answer(200)]).await;
        let mut policy = HttpPolicy::DEFAULT;
        policy.backoff = retry_runtime::Backoff::none();
        let requests = Requests::new(policy).without_redirects();
        let layer = RetryLayer::with(policy.policy(), Arc::new(Budget::new(10, 0.1)), requests);
        let none = reqwest::redirect::Policy::none();
        let http = http().http2_prior_knowledge().redirect(none).build().unwrap();
        let client = Client::of(http, &layer);
        let answer = client.execute(request(Method::POST, &server.url("charges"))).await;
        assert_eq!((answer.unwrap().status().as_u16(), posts(&server)), (200, 2));
    }
}

#[tokio::test]
async fn an_answer_that_is_cut_is_a_lost_connection() {
    let head = Act::Head(200, vec![("content-length", "10".into())]);
    for end in [Act::Reset(code::INTERNAL_ERROR), Act::Close] {
        let acts = vec![head.clone(), Act::Data(b"cut".to_vec()), Act::Hold, end.clone()];
        let server = Server::start([acts]).await;
        let http = http().http2_prior_knowledge().build().unwrap();
        let answer = http.get(server.url("")).send().await.unwrap();
        server.release();
        let error = answer.text().await.unwrap_err();
        assert_eq!(error_kind(&error), ErrorKind::ConnectionLost, "{end:?}: {error:?}");
    }
}

/// 200, and the rest of the body never comes.
#[tokio::test]
async fn a_body_that_runs_out_of_time_is_charged_and_still_a_timeout() {
    let head = Act::Head(200, vec![("content-length", "10".into())]);
    let server = Server::start([vec![head, Act::Data(b"cut".to_vec()), Act::Hang]]).await;
    let http = http().http2_prior_knowledge().timeout(Duration::from_millis(200)).build().unwrap();
    let budget = Arc::new(Budget::new(10, 0.1));
    let client = Client::new(http, HttpPolicy::DEFAULT, Arc::clone(&budget));
    let answer = client.execute(request(Method::GET, &server.url(""))).await.unwrap();
    let error = answer.text().await.unwrap_err();
    assert!(error.is_timeout(), "{error:?}");
    assert_eq!((error_kind(&error), budget.tokens()), (ErrorKind::Timeout, 9.0));
}

#[tokio::test]
async fn a_body_that_is_cut_is_charged_however_it_ends() {
    for end in [
        Act::Reset(code::INTERNAL_ERROR),
        // hyper reports the end, and no error.
        Act::Reset(code::NO_ERROR),
        Act::GoAwayHere(code::NO_ERROR),
        Act::Close,
    ] {
        for data in ["", "cut"] {
            let head = Act::Head(200, vec![("content-length", "10".into())]);
            let cut = vec![head, Act::Data(data.into()), Act::Hold, end.clone(), Act::Close];
            let server = Server::start([cut]).await;
            let http = http().http2_prior_knowledge().build().unwrap();
            let budget = Arc::new(Budget::new(10, 0.1));
            let client = Client::new(http, HttpPolicy::DEFAULT, Arc::clone(&budget));
            let answer = client.execute(request(Method::GET, &server.url(""))).await.unwrap();
            server.release();
            let _ = answer.bytes().await;
            assert_eq!(budget.tokens(), 9.0, "{end:?} after {data:?}");
        }
    }
}
