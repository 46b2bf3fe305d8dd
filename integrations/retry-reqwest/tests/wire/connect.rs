//! Failures before the request: a connection, TLS, a proxy.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use reqwest::{Client, Method};
use retry_reqwest::error_kind;
use retry_runtime::Decision;
use retry_runtime::http::{ErrorKind, HttpPolicy, HttpPolicyPatch};
use scripted_server::{Server, Step};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::{builder, client, request, send, send_without_redirects};

#[tokio::test(start_paused = true)]
async fn a_refused_port_proves_that_nothing_was_sent() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", closed.local_addr().unwrap());
    drop(closed);

    let done = send(&client(), HttpPolicy::DEFAULT, || request(Method::GET, &url)).await;
    assert_eq!((done.decision, done.tokens), (Decision::Exhausted, 7.0));
    assert_eq!(error_kind(&done.result.unwrap_err()), ErrorKind::Connect);

    // It may have been a redirect that led to the port.
    let done = send(&client(), HttpPolicy::DEFAULT, || request(Method::POST, &url)).await;
    assert_eq!((done.decision, done.tokens), (Decision::Failed, 9.0));

    let post = || request(Method::POST, &url);
    let done = send_without_redirects(HttpPolicy::DEFAULT, post).await;
    assert_eq!((done.decision, done.tokens), (Decision::Exhausted, 7.0));

    let patch = HttpPolicyPatch::new().retry_unsent(false);
    let policy = HttpPolicy::DEFAULT.merge(&patch).unwrap();
    let done = send_without_redirects(policy, post).await;
    assert_eq!((done.decision, done.tokens), (Decision::Failed, 9.0));
}

#[tokio::test]
async fn a_certificate_that_does_not_verify_is_not_tried_again() {
    // The clients trust another.
    let clients = clients();
    let served = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_string()]).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::try_from(served.signing_key.serialize_der());
    let config = rustls::ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![served.cert.der().clone()], key.unwrap())
        .unwrap();
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    let handshakes = Arc::new(AtomicUsize::new(0));
    let counter = handshakes.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counter.fetch_add(1, Ordering::SeqCst);
            let _ = acceptor.accept(stream).await;
        }
    });

    for (library, client) in clients {
        handshakes.store(0, Ordering::SeqCst);
        let done = send(&client, HttpPolicy::DEFAULT, || request(Method::GET, &url)).await;
        let error = done.result.unwrap_err();
        assert!(error.is_connect());
        assert_eq!(error_kind(&error), ErrorKind::Certificate, "{library}: {error:?}");
        assert_eq!(handshakes.load(Ordering::SeqCst), 1, "{library}");
        assert_eq!((done.decision, done.tokens), (Decision::Stopped, 10.0), "{library}");
    }
}

/// The clients of every library of TLS that is here, which trust some certificate.
fn clients() -> Vec<(&'static str, Client)> {
    let trusting = || {
        let trusted = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_string()]).unwrap();
        let trusted = reqwest::Certificate::from_der(trusted.cert.der()).unwrap();
        builder().tls_certs_only([trusted])
    };
    let rustls = ("rustls", trusting().tls_backend_rustls().build().unwrap());
    #[cfg(feature = "native-tls")]
    return vec![rustls, ("native-tls", trusting().tls_backend_native().build().unwrap())];
    #[cfg(not(feature = "native-tls"))]
    return vec![rustls];
}

/// Answers whatever begins a connection with `bytes`, and closes it.
async fn answering(bytes: &'static [u8]) -> std::net::SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut hello = [0; 4096];
            let _ = stream.read(&mut hello).await;
            let _ = stream.write_all(bytes).await;
        }
    });
    address
}

/// TLS's record of an alert, fatal, with a description (RFC 8446 section 6). No server's
/// library can be made to send each of them.
#[tokio::test]
async fn an_alert_that_says_internal_error_is_no_matter_of_certificates() {
    for (alert, expected) in [
        (&[21, 3, 3, 0, 2, 2, 80], ErrorKind::Connect), // internal_error
        (&[21, 3, 3, 0, 2, 2, 42], ErrorKind::Certificate), // bad_certificate
        (&[21, 3, 3, 0, 2, 2, 40], ErrorKind::Certificate), // handshake_failure
    ] {
        let address = answering(alert).await;
        for (library, client) in clients() {
            let error = client.get(format!("https://{address}/")).send().await.unwrap_err();
            assert_eq!(error_kind(&error), expected, "{library}: {alert:?}: {error:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_handshake_that_breaks_off_is_a_connection_that_was_not_made() {
    let servers = [
        Server::start([Step::CloseOnAccept]).await.address(),
        answering(b"").await,
        // Half a record.
        answering(&[22, 3, 3, 0, 40, 2]).await,
    ];
    for server in servers {
        for (library, client) in clients() {
            let get = || request(Method::GET, &format!("https://{server}/"));
            let done = send(&client, HttpPolicy::DEFAULT, get).await;
            assert_eq!((done.decision, done.tokens), (Decision::Exhausted, 7.0), "{library}");
            let error = done.result.unwrap_err();
            assert_eq!(error_kind(&error), ErrorKind::Connect, "{library}: {error:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_proxy_that_wants_authorization_is_not_asked_again_and_one_that_is_busy_is() {
    for (status, kind, asked) in [
        (407, ErrorKind::Request, 1),
        // The caller's too, but reqwest has the same error for them as for 502.
        (400, ErrorKind::Connect, 3),
        (403, ErrorKind::Connect, 3),
        (502, ErrorKind::Connect, 3),
        (503, ErrorKind::Connect, 3),
        (504, ErrorKind::Connect, 3),
    ] {
        let proxy = Server::start([Step::status(status)]).await;
        let trusted = rcgen::generate_simple_self_signed(vec!["localhost".to_string()]).unwrap();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .retry(reqwest::retry::never())
            .proxy(reqwest::Proxy::https(proxy.url("")).unwrap())
            .tls_certs_only([reqwest::Certificate::from_der(trusted.cert.der()).unwrap()])
            .build()
            .unwrap();
        let get = || request(Method::GET, "https://localhost:1/");
        let done = send(&client, HttpPolicy::DEFAULT, get).await;
        assert_eq!(error_kind(&done.result.unwrap_err()), kind, "{status}");
        assert_eq!(proxy.requests(), asked, "{status}");
        assert_eq!(proxy.received()[0].method(), "CONNECT");
    }
}
