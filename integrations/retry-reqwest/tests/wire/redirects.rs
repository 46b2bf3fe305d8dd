//! Attempts of several requests: reqwest follows redirects.

use reqwest::Method;
use retry_reqwest::error_kind;
use retry_runtime::Decision;
use retry_runtime::http::{ErrorKind, HttpPolicy, HttpPolicyPatch};
use scripted_server::{Server, Step};

use super::{client, request, send, send_without_redirects};

#[tokio::test(start_paused = true)]
async fn a_post_is_repeated_after_a_status_only_if_the_policy_says_so_and_redirects_are_off() {
    for (policy, redirects, requests) in [
        (HttpPolicy::DEFAULT, true, 1),
        (HttpPolicy::DEFAULT, false, 1),
        (HttpPolicy::TRANSPORT, false, 1),
        (HttpPolicy::ANY_5XX_EXACT, true, 1),
        (HttpPolicy::ANY_5XX_EXACT, false, 2),
    ] {
        let server = Server::start([Step::status(503), Step::status(200)]).await;
        let post = || request(Method::POST, &server.url(""));
        let done = match redirects {
            true => send(&client(), policy, post).await,
            false => send_without_redirects(policy, post).await,
        };
        assert_eq!(server.requests(), requests, "{policy:?}");
        if requests == 1 {
            assert_eq!((done.result.unwrap().status().as_u16(), done.tokens), (503, 9.0));
        }
    }
}

/// What a server on loopback has to say to the GET that follows a POST.
#[tokio::test(start_paused = true)]
async fn a_post_that_was_carried_out_and_redirected_is_not_sent_again() {
    let keen = HttpPolicy::ANY_5XX_EXACT.merge(&HttpPolicyPatch::new().retry_unsent(true)).unwrap();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}/", closed.local_addr().unwrap());
    drop(closed);
    for policy in [HttpPolicy::DEFAULT, HttpPolicy::TRANSPORT, HttpPolicy::ANY_5XX_EXACT, keen] {
        for status in [301, 302, 303] {
            for location in ["/charges/7", "/charges", &nobody] {
                let redirect = Step::Answer(status, vec![("location", location.into())], "");
                let server = Server::start([redirect, Step::status(503)]).await;
                let post = || request(Method::POST, &server.url("charges"));
                let done = send(&client(), policy, post).await;
                let posts = server.received().iter().filter(|r| r.method() == "POST").count();
                assert_eq!(posts, 1, "{status} to {location}: {policy:?}");
                assert_eq!((done.decision, done.tokens), (Decision::Failed, 9.0), "{location}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_get_that_is_redirected_is_repeated_whole() {
    let redirect = || Step::Answer(302, vec![("location", "/there".into())], "");
    let script = [redirect(), Step::status(503), redirect(), Step::status(200)];
    let server = Server::start(script).await;
    let get = || request(Method::GET, &server.url("here"));
    let done = send(&client(), HttpPolicy::DEFAULT, get).await;
    assert_eq!((done.result.unwrap().status().as_u16(), server.requests()), (200, 4));
}

#[tokio::test(start_paused = true)]
async fn redirects_without_end_are_not_asked_again() {
    let around = Step::Answer(302, vec![("location", "/again".into())], "");
    let server = Server::start([around]).await;
    let done = send(&client(), HttpPolicy::DEFAULT, || request(Method::GET, &server.url(""))).await;
    assert_eq!(error_kind(&done.result.unwrap_err()), ErrorKind::Response);
    assert_eq!((done.decision, done.tokens), (Decision::Failed, 9.0));
}
