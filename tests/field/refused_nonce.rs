//! instant-acme 0.8, `Client::post`: each request carries a nonce of the server's. One that is
//! refused is repeated at once with the nonce of the refusal, three requests in all; without
//! one a fresh nonce is asked for first. An error on the way there is final, and whatever else
//! the server answers is the caller's.

use std::cell::RefCell;
use std::collections::VecDeque;

use retry_runtime::{Backoff, Outcome, retry_block};

#[derive(Clone, Copy, Debug, PartialEq)]
struct Response {
    status: u16,
    problem: Option<&'static str>,
    nonce: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Broken;

const GOOD: Response = Response { status: 200, problem: None, nonce: Some(90) };
const BAD_NONCE: &str = "urn:ietf:params:acme:error:badNonce";

fn refused(nonce: Option<u32>) -> Response {
    Response { status: 400, problem: Some(BAD_NONCE), nonce }
}

struct Client {
    fresh: RefCell<VecDeque<Result<u32, Broken>>>,
    answers: RefCell<VecDeque<Result<Response, Broken>>>,
    sent: RefCell<Vec<u32>>,
}

impl Client {
    fn new(fresh: &[Result<u32, Broken>], answers: &[Result<Response, Broken>]) -> Client {
        Client {
            fresh: RefCell::new(fresh.iter().copied().collect()),
            answers: RefCell::new(answers.iter().copied().collect()),
            sent: RefCell::default(),
        }
    }

    async fn new_nonce(&self) -> Result<u32, Broken> {
        self.fresh.borrow_mut().pop_front().unwrap()
    }

    async fn send(&self, nonce: u32) -> Result<Response, Broken> {
        self.sent.borrow_mut().push(nonce);
        self.answers.borrow_mut().pop_front().unwrap()
    }

    async fn post(&self, mut nonce: Option<u32>) -> Result<Response, Broken> {
        retry_block!(
            attempts = 3,
            // A refused nonce says that the server is well.
            budget = none,
            classify = |answer| match answer {
                Ok(Response { problem: Some(BAD_NONCE), .. }) => Outcome::Repeat,
                Ok(_) => Outcome::Success,
                Err(Broken) => Outcome::Stop,
            },
            schedule = Backoff::none(),
            async {
                let given = match nonce.take() {
                    Some(nonce) => nonce,
                    None => self.new_nonce().await?,
                };
                let response = self.send(given).await?;
                nonce = response.nonce;
                Ok(response)
            }
        )
        .await
    }
}

#[tokio::test]
async fn a_refusal_brings_the_next_nonce() {
    let client = Client::new(&[], &[Ok(refused(Some(2))), Ok(refused(Some(3))), Ok(GOOD)]);
    assert_eq!(client.post(Some(1)).await, Ok(GOOD));
    assert_eq!(*client.sent.borrow(), [1, 2, 3]);
}

#[tokio::test]
async fn without_one_a_fresh_nonce_is_asked_for() {
    let client = Client::new(&[Ok(7), Ok(8)], &[Ok(refused(None)), Ok(GOOD)]);
    assert_eq!(client.post(None).await, Ok(GOOD));
    assert_eq!(*client.sent.borrow(), [7, 8]);
}

#[tokio::test]
async fn the_third_refusal_is_the_callers() {
    let client = Client::new(&[], &[Ok(refused(Some(2))); 3]);
    assert_eq!(client.post(Some(1)).await, Ok(refused(Some(2))));
    assert_eq!(*client.sent.borrow(), [1, 2, 2]);
}

#[tokio::test]
async fn another_problem_and_a_broken_way_end_it() {
    let problem = Response { status: 400, problem: Some("malformed"), nonce: Some(2) };
    let client = Client::new(&[], &[Ok(problem)]);
    assert_eq!(client.post(Some(1)).await, Ok(problem));
    let client = Client::new(&[Err(Broken)], &[]);
    assert_eq!(client.post(None).await, Err(Broken));
    assert!(client.sent.borrow().is_empty());
}
