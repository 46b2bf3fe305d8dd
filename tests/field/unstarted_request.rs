//! hyper-util 0.1.21, the legacy client's `send_request`: a request that a dead connection of
//! the pool gave back unsent is sent again, with its own URI, by the next connection. The
//! request is owned, moves into each attempt and comes back with the error. There is no
//! limit: the pool runs out of old connections, and a fresh one is not retried.

use std::cell::RefCell;

use retry_runtime::{Backoff, Outcome, Policy, retry_block};

#[derive(Debug, PartialEq)]
struct Request {
    uri: String,
    body: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq)]
struct Error(&'static str);

enum TrySendError {
    Retryable { request: Request, error: Error, connection_reused: bool },
    Nope(Error),
}

/// What a connection of the pool does.
#[derive(Clone, Copy)]
enum Connection {
    Dead { reused: bool },
    Breaks,
    Works,
}

struct Client {
    retry_canceled_requests: bool,
    pool: RefCell<Vec<Connection>>,
    sent: RefCell<Vec<String>>,
}

impl Client {
    fn new(pool: &[Connection]) -> Client {
        Client {
            retry_canceled_requests: true,
            pool: RefCell::new(pool.iter().rev().copied().collect()),
            sent: RefCell::default(),
        }
    }

    /// Sends the request in origin form, by the next connection.
    async fn try_send_request(&self, mut request: Request) -> Result<usize, TrySendError> {
        self.sent.borrow_mut().push(request.uri.clone());
        request.uri = "/".to_owned();
        let connection = self.pool.borrow_mut().pop();
        tokio::task::yield_now().await;
        match connection {
            Some(Connection::Dead { reused: connection_reused }) => Err(TrySendError::Retryable {
                request,
                error: Error("canceled"),
                connection_reused,
            }),
            Some(Connection::Breaks) => Err(TrySendError::Nope(Error("incomplete"))),
            Some(Connection::Works) => Ok(request.body.len()),
            None => Err(TrySendError::Nope(Error("no connection"))),
        }
    }

    async fn send_request(&self, request: Request) -> Result<usize, Error> {
        const AT_ONCE: Policy = Policy::unlimited().backoff(Backoff::none());
        let uri = request.uri.clone();
        let mut unsent = Some(request);
        let result = retry_block!(
            policy = AT_ONCE,
            budget = none,
            classify_err =
                |(_, again): &(Error, bool)| if *again { Outcome::Retry } else { Outcome::Stop },
            async {
                let Some(request) = unsent.take() else { return Err((Error("sent"), false)) };
                match self.try_send_request(request).await {
                    Ok(response) => Ok(response),
                    Err(TrySendError::Nope(error)) => Err((error, false)),
                    Err(TrySendError::Retryable { mut request, error, connection_reused }) => {
                        request.uri.clone_from(&uri);
                        unsent = Some(request);
                        Err((error, self.retry_canceled_requests && connection_reused))
                    }
                }
            }
        );
        result.await.map_err(|(error, _)| error)
    }
}

fn request() -> Request {
    Request { uri: "http://host/".to_owned(), body: vec![1, 2, 3] }
}

const STALE: Connection = Connection::Dead { reused: true };

#[tokio::test]
async fn what_was_not_sent_goes_out_by_the_next_connection() {
    let client = Client::new(&[STALE, STALE, STALE, Connection::Works]);
    assert_eq!(client.send_request(request()).await, Ok(3));
    assert_eq!(*client.sent.borrow(), ["http://host/"; 4]);
}

#[tokio::test]
async fn a_fresh_connection_that_fails_is_the_end() {
    let client = Client::new(&[STALE, Connection::Dead { reused: false }, Connection::Works]);
    assert_eq!(client.send_request(request()).await, Err(Error("canceled")));
    assert_eq!(client.sent.borrow().len(), 2);
}

#[tokio::test]
async fn what_may_have_been_sent_is_not_repeated() {
    let client = Client::new(&[Connection::Breaks, Connection::Works]);
    assert_eq!(client.send_request(request()).await, Err(Error("incomplete")));
    assert_eq!(client.sent.borrow().len(), 1);
}

#[tokio::test]
async fn it_can_be_switched_off() {
    let mut client = Client::new(&[STALE, Connection::Works]);
    client.retry_canceled_requests = false;
    assert_eq!(client.send_request(request()).await, Err(Error("canceled")));
}
