//! HTTP/1, and what comes before a request.

use http::Method;
use http_body_util::BodyExt;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use retry_hyper::{body_error_kind, kind};
use retry_runtime::http::ErrorKind;
use scripted_server::{Server, Step};

use super::{Body, builder, post, request};

fn client() -> Client<HttpConnector, Body> {
    builder().build_http()
}

#[tokio::test]
async fn a_connection_that_is_closed_or_reset_before_the_answer_is_lost() {
    for step in [Step::Close, Step::Reset] {
        let server = Server::start([step.clone()]).await;
        let error = post(&client(), &server.url("")).await.unwrap_err();
        assert_eq!(kind(&error), ErrorKind::ConnectionLost, "{step:?}: {error:?}");
    }
}

#[tokio::test]
async fn a_cut_body_is_a_lost_connection() {
    let server = Server::start([Step::CutBody]).await;
    let answer = post(&client(), &server.url("")).await.unwrap();
    let error = answer.into_body().collect().await.unwrap_err();
    assert_eq!(kind(&error), ErrorKind::ConnectionLost, "{error:?}");
    assert_eq!(body_error_kind(&error), ErrorKind::ConnectionLost, "{error:?}");
}

#[tokio::test]
async fn what_is_not_http_is_an_answer_that_cannot_be_understood() {
    let server = Server::start([Step::Garbage]).await;
    let error = post(&client(), &server.url("")).await.unwrap_err();
    assert_eq!(kind(&error), ErrorKind::Response, "{error:?}");
}

#[tokio::test]
async fn a_refused_port_proves_that_nothing_was_sent() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", closed.local_addr().unwrap());
    drop(closed);
    let error = post(&client(), &url).await.unwrap_err();
    assert_eq!(kind(&error), ErrorKind::Connect, "{error:?}");
}

#[tokio::test]
async fn a_server_that_does_not_speak_http2_before_a_request_is_not_connected() {
    // The preface of HTTP/2 is written, and the connection closed.
    let server = Server::start([Step::CloseOnAccept]).await;
    let client: Client<HttpConnector, Body> = builder().http2_only(true).build_http();
    let error = post(&client, &server.url("")).await.unwrap_err();
    let kind = kind(&error);
    // Either the request was on its way already, or it was handed back.
    let known = [ErrorKind::ConnectionLost, ErrorKind::NotProcessed, ErrorKind::Connect];
    assert!(known.contains(&kind), "{kind:?}: {error:?}");
}

#[tokio::test]
async fn a_request_that_cannot_be_sent_is_our_mistake() {
    let relative = request(Method::GET, "/path");
    let error = client().request(relative).await.unwrap_err();
    assert_eq!(kind(&error), ErrorKind::Request, "{error:?}");
}
