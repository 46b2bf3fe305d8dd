//! Resets, GOAWAYs and cut answers (RFC 9113: 5.4, 6.4, 6.8, 8.7).

use std::io;
use std::time::Duration;

use futures_util::stream;
use http::Method;
use http_body_util::{BodyExt, StreamBody};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use retry_hyper::{body_error_kind, error_kind, kind};
use retry_runtime::http::ErrorKind;
use scripted_server::http2::{Act, Server, code};

use super::{Body, builder, post, request};

fn client() -> Client<HttpConnector, Body> {
    builder().http2_only(true).build_http()
}

/// The kind of the error that a request ends with before its answer.
async fn head(acts: Vec<Act>) -> ErrorKind {
    let server = Server::start([acts]).await;
    let error = post(&client(), &server.url("")).await.unwrap_err();
    assert_eq!(server.requests(), 1, "{error:?}");
    kind(&error)
}

/// The error that the body of an answer ends with. A reset of the connection takes along
/// what has arrived and is not read, so the client has the head before what follows.
async fn body(acts: Vec<Act>) -> Result<(), hyper::Error> {
    let server = Server::start([acts]).await;
    let answer = post(&client(), &server.url("")).await.unwrap();
    server.release();
    answer.into_body().collect().await.map(|_| ())
}

fn begun() -> Vec<Act> {
    vec![Act::Head(200, vec![("content-length", "10".into())]), Act::Data(b"cut".to_vec())]
}

#[tokio::test]
async fn a_stream_that_is_refused_before_the_answer_was_not_processed() {
    assert_eq!(head(vec![Act::Reset(code::REFUSED_STREAM)]).await, ErrorKind::NotProcessed);
}

#[tokio::test]
async fn any_other_reset_before_the_answer_may_come_after_the_work() {
    for code in code::ALL.into_iter().filter(|code| *code != code::REFUSED_STREAM) {
        let kind = head(vec![Act::Reset(code)]).await;
        assert_eq!(kind, ErrorKind::ConnectionLost, "code {code}");
    }
    // A code that no document knows.
    assert_eq!(head(vec![Act::Reset(0x4711)]).await, ErrorKind::ConnectionLost);
}

#[tokio::test]
async fn a_stream_above_the_last_of_a_goaway_was_not_processed_whatever_the_code() {
    for code in code::ALL {
        for then in [Act::Hang, Act::Close] {
            let acts = vec![Act::GoAwayBelow(code), then.clone()];
            assert_eq!(head(acts).await, ErrorKind::NotProcessed, "code {code}, {then:?}");
        }
    }
}

#[tokio::test]
async fn a_stream_that_a_goaway_covers_is_lost_with_the_connection() {
    for code in code::ALL {
        let kind = head(vec![Act::GoAwayHere(code), Act::Close]).await;
        assert_eq!(kind, ErrorKind::ConnectionLost, "code {code}");
    }
}

#[tokio::test]
async fn a_connection_that_ends_before_the_answer_is_lost() {
    for end in [Act::Close, Act::Abort] {
        assert_eq!(head(vec![end.clone()]).await, ErrorKind::ConnectionLost, "{end:?}");
    }
}

#[tokio::test]
async fn an_answer_that_has_begun_and_breaks_off_is_lost_whatever_the_end_says() {
    let mut ends = vec![
        vec![Act::Close],
        vec![Act::Abort],
        vec![Act::End],
        vec![Act::GoAwayBelow(code::INTERNAL_ERROR)],
        vec![Act::GoAwayHere(code::NO_ERROR), Act::Close],
        vec![Act::GoAwayHere(code::ENHANCE_YOUR_CALM), Act::Close],
        vec![Act::Bytes(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec())],
    ];
    // NO_ERROR ends a body without an error.
    ends.extend(code::ALL[1..].iter().map(|code| vec![Act::Reset(*code)]));
    for data in [true, false] {
        for end in &ends {
            let mut acts = begun();
            acts.truncate(if data { 2 } else { 1 });
            acts.push(Act::Hold);
            acts.extend(end.clone());
            let error = body(acts).await.unwrap_err();
            let found = [kind(&error), error_kind(&error), body_error_kind(&error)];
            assert_eq!(found, [ErrorKind::ConnectionLost; 3], "{end:?}: {error:?}");
        }
    }
}

#[tokio::test]
async fn trailers_that_do_not_come_are_lost_with_the_stream() {
    // Without a length, the end of the data is not known to be the end.
    let acts = vec![
        Act::Head(200, Vec::new()),
        Act::Data(b"all of it".to_vec()),
        Act::Reset(code::REFUSED_STREAM),
    ];
    assert_eq!(kind(&body(acts).await.unwrap_err()), ErrorKind::ConnectionLost);
}

#[tokio::test]
async fn a_body_that_is_ended_without_an_error_looks_whole() {
    for end in [Act::Reset(code::NO_ERROR), Act::GoAwayBelow(code::NO_ERROR)] {
        let mut acts = begun();
        acts.push(end.clone());
        assert!(body(acts).await.is_ok(), "{end:?}");
    }
}

#[tokio::test]
async fn requests_that_were_queued_when_their_connection_ended_were_never_written() {
    let server = Server::with_max_streams(1, [vec![Act::Hang]]).await;
    let client = client();
    let send = || {
        let (client, url) = (client.clone(), server.url(""));
        tokio::spawn(async move { post(&client, &url).await.map(|_| ()) })
    };
    let hanging = send();
    while server.requests() == 0 {
        tokio::task::yield_now().await;
    }
    let queued = [send(), send(), send()];
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    server.close_connections();
    assert_eq!(kind(&hanging.await.unwrap().unwrap_err()), ErrorKind::ConnectionLost);
    for request in queued {
        let error = request.await.unwrap().unwrap_err();
        assert_eq!(kind(&error), ErrorKind::NotProcessed, "{error:?}");
    }
    assert_eq!((server.requests(), server.connections()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_ping_of_keep_alive_without_an_answer_is_a_timeout() {
    let server = Server::deaf([vec![Act::Hang]]).await;
    let mut builder = builder();
    builder.http2_only(true).http2_keep_alive_interval(Duration::from_secs(10));
    let error = post(&builder.build_http(), &server.url("")).await.unwrap_err();
    assert_eq!(kind(&error), ErrorKind::Timeout, "{error:?}");
}

#[tokio::test]
async fn a_body_of_ours_that_fails_is_our_mistake() {
    let server = Server::start([Act::answer(200)]).await;
    let parts = stream::iter([
        Ok(hyper::body::Frame::data("some".into())),
        Err(io::Error::from(io::ErrorKind::ConnectionReset)),
    ]);
    let mut broken = request(Method::PUT, &server.url(""));
    *broken.body_mut() = BodyExt::boxed(StreamBody::new(parts));
    let error = client().request(broken).await.unwrap_err();
    assert_eq!(kind(&error), ErrorKind::Request, "{error:?}");
    assert_eq!(server.requests(), 0);
}

#[tokio::test]
async fn what_is_not_http2_is_an_answer_that_cannot_be_understood() {
    for bytes in ["HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n"] {
        let kind = head(vec![Act::Bytes(bytes.into()), Act::Hang]).await;
        assert_eq!(kind, ErrorKind::Response, "{bytes}");
    }
}

#[tokio::test]
async fn an_answer_without_a_status_cannot_be_understood() {
    // A HEADERS frame for stream 1, without `:status`.
    let frame = [&[0, 0, 4, 1, 4, 0, 0, 0, 1][..], &[0, 1, b'a', 0]].concat();
    assert_eq!(head(vec![Act::Bytes(frame), Act::Hang]).await, ErrorKind::Response);
}

#[tokio::test]
async fn io_errors_that_h2_hides_are_found() {
    // A client of h2 alone, without hyper above it.
    for end in [Act::Close, Act::Abort] {
        let server = Server::start([vec![end]]).await;
        let stream = tokio::net::TcpStream::connect(server.address()).await.unwrap();
        let (client, connection) = h2::client::handshake(stream).await.unwrap();
        tokio::spawn(connection);
        let mut client = client.ready().await.unwrap();
        let get = http::Request::get("http://localhost/").body(()).unwrap();
        let (answer, _) = client.send_request(get, true).unwrap();
        let error = answer.await.unwrap_err();
        assert!(error.is_io(), "{error:?}");
        assert_eq!(kind(&error), ErrorKind::ConnectionLost);
    }
}
