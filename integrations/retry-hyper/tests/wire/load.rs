//! h2's own server, which refuses streams and goes away under load.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use retry_hyper::kind;
use retry_runtime::http::ErrorKind;
use tokio::net::TcpListener;

use super::{Body, builder, post};

type Counts = Arc<Mutex<HashMap<String, usize>>>;

/// Serves one stream at a time of each connection, and leaves after `most` of them.
/// It counts by path what it was asked to do.
async fn serve(most: usize) -> (SocketAddr, Counts) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let counts = Counts::default();
    let done = counts.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let done = done.clone();
            tokio::spawn(async move {
                let mut builder = h2::server::Builder::new();
                builder.max_concurrent_streams(1);
                let Ok(mut connection) = builder.handshake::<_, bytes::Bytes>(stream).await else {
                    return;
                };
                let mut served = 0;
                while let Some(Ok((request, mut answer))) = connection.accept().await {
                    let path = request.uri().path().to_owned();
                    *done.lock().unwrap().entry(path).or_default() += 1;
                    served += 1;
                    if served == most {
                        connection.graceful_shutdown();
                    }
                    let _ = answer.send_response(http::Response::new(()), true);
                }
            });
        }
    });
    (address, counts)
}

#[tokio::test]
async fn a_server_that_refuses_and_leaves_does_nothing_twice_and_everything_once() {
    let (address, counts) = serve(5).await;
    let client: Client<HttpConnector, Body> = builder().http2_only(true).build_http();
    let refused = Arc::new(Mutex::new(0));
    let posts: Vec<_> = (0..60)
        .map(|number| {
            let (client, refused) = (client.clone(), refused.clone());
            let url = format!("http://{address}/{number}");
            tokio::spawn(async move {
                // No budget and no wait: what is not processed is sent until it is.
                loop {
                    match post(&client, &url).await {
                        Ok(_) => return,
                        Err(error) => {
                            assert_eq!(kind(&error), ErrorKind::NotProcessed, "{error:?}")
                        }
                    }
                    *refused.lock().unwrap() += 1;
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    for post in posts {
        post.await.unwrap();
    }
    let counts = counts.lock().unwrap();
    assert_eq!(counts.len(), 60);
    assert!(counts.values().all(|count| *count == 1), "{counts:?}");
    assert!(*refused.lock().unwrap() > 0, "nothing was refused, so nothing was tried");
}
