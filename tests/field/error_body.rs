//! object_store 0.12, `RetryableRequest::send`: the request and its payload are copied for each
//! attempt. Repeated are errors of the server, 429, 408, a conflict if the request says so, a
//! good status whose body holds an error, and of the transport's errors those of a request
//! that was not sent or may be sent twice. The error that is returned says after how many
//! retries, and has the body of a refusal.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::Duration;

use retry_runtime::{Backoff, Budget, Jitter, Outcome, Policy};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Transport {
    Connect,
    Timeout,
    Decode,
}

type Answer = Result<(u16, &'static str), Transport>;

#[derive(Debug, PartialEq)]
enum Reason {
    Transport(Transport),
    Status(u16, Option<&'static str>),
    Body(&'static str),
}

#[derive(Debug, PartialEq)]
struct RetryError {
    retries: u32,
    reason: Reason,
}

#[derive(Clone, Copy, Default)]
struct Request {
    idempotent: bool,
    retry_on_conflict: bool,
    retry_error_body: bool,
}

struct Client {
    budget: Budget,
    policy: Policy,
    answers: RefCell<VecDeque<Answer>>,
    payloads: RefCell<Vec<Vec<u8>>>,
}

impl Client {
    fn new(answers: &[Answer]) -> Client {
        let waits = Backoff::exponential(Duration::from_millis(100), Duration::from_secs(15));
        Client {
            budget: Budget::new(100, 0.1),
            policy: Policy::with_retries(3)
                .backoff(waits.jitter(Jitter::None))
                .within(Duration::from_secs(180)),
            answers: RefCell::new(answers.iter().copied().collect()),
            payloads: RefCell::default(),
        }
    }

    async fn execute(&self, payload: Vec<u8>) -> Answer {
        self.payloads.borrow_mut().push(payload);
        self.answers.borrow_mut().pop_front().unwrap()
    }

    async fn send(&self, request: Request, payload: Vec<u8>) -> Result<&'static str, RetryError> {
        let holds_error = |body: &str| {
            request.retry_error_body
                && (body.contains("InternalError") || body.contains("SlowDown"))
        };
        let classify = |answer: &Answer| match *answer {
            Ok((200..=299, body)) if holds_error(body) => Outcome::Retry,
            Ok((200..=399, _)) => Outcome::Success,
            Ok((500.. | 429 | 408, _)) => Outcome::Retry,
            Ok((409, _)) if request.retry_on_conflict => Outcome::Retry,
            Ok(_) => Outcome::Stop,
            Err(Transport::Connect) => Outcome::Retry,
            Err(Transport::Timeout) if request.idempotent => Outcome::Retry,
            Err(_) => Outcome::Fail,
        };
        let mut call = self.policy.call(&self.budget);
        let answer = call.run_with(classify, async |_| self.execute(payload.clone()).await).await;
        let reason = match answer {
            Ok((200..=299, body)) if !holds_error(body) => return Ok(body),
            Ok((200..=299, body)) => Reason::Body(body),
            Ok((status @ 400..=499, body)) => Reason::Status(status, Some(body)),
            Ok((status, _)) => Reason::Status(status, None),
            Err(error) => Reason::Transport(error),
        };
        Err(RetryError { retries: call.attempt() - 1, reason })
    }
}

async fn sent(request: Request, answers: &[Answer]) -> (Result<&'static str, RetryError>, usize) {
    let client = Client::new(answers);
    let result = client.send(request, b"payload".to_vec()).await;
    let payloads = client.payloads.into_inner();
    assert!(payloads.iter().all(|payload| payload == b"payload"));
    (result, payloads.len())
}

fn error<T>(retries: u32, reason: Reason) -> Result<T, RetryError> {
    Err(RetryError { retries, reason })
}

#[tokio::test(start_paused = true)]
async fn the_server_is_asked_again_and_the_error_says_how_often() {
    let plain = Request::default();
    let answers = [Ok((503, "")), Ok((429, "")), Err(Transport::Connect), Ok((200, "good"))];
    assert_eq!(sent(plain, &answers).await, (Ok("good"), 4));
    let last = error(3, Reason::Status(500, None));
    assert_eq!(sent(plain, &[Ok((500, "why")); 4]).await, (last, 4));
    let refused = error(1, Reason::Status(404, Some("none")));
    assert_eq!(sent(plain, &[Ok((500, "")), Ok((404, "none"))]).await, (refused, 2));
    assert_eq!(sent(plain, &[Ok((304, ""))]).await, (error(0, Reason::Status(304, None)), 1));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_holds_an_error_is_one_where_the_request_looks() {
    let answers = [Ok((200, "<Code>SlowDown</Code>")), Ok((200, "good"))];
    assert_eq!(sent(Request::default(), &answers).await, (Ok("<Code>SlowDown</Code>"), 1));
    let looks = Request { retry_error_body: true, ..Request::default() };
    assert_eq!(sent(looks, &answers).await, (Ok("good"), 2));
    let last = error(3, Reason::Body("InternalError"));
    assert_eq!(sent(looks, &[Ok((200, "InternalError")); 4]).await, (last, 4));
}

#[tokio::test(start_paused = true)]
async fn what_may_have_been_carried_out_is_sent_again_only_if_it_is_idempotent() {
    let plain = Request::default();
    let answers = [Err(Transport::Timeout), Ok((200, "good"))];
    let once = error(0, Reason::Transport(Transport::Timeout));
    assert_eq!(sent(plain, &answers).await, (once, 1));
    assert_eq!(sent(Request { idempotent: true, ..plain }, &answers).await, (Ok("good"), 2));
    let decode = error(0, Reason::Transport(Transport::Decode));
    let idempotent = Request { idempotent: true, ..plain };
    assert_eq!(sent(idempotent, &[Err(Transport::Decode)]).await, (decode, 1));
    let conflict = [Ok((409, "busy")), Ok((200, "good"))];
    let refused = error(0, Reason::Status(409, Some("busy")));
    assert_eq!(sent(plain, &conflict).await, (refused, 1));
    assert_eq!(
        sent(Request { retry_on_conflict: true, ..plain }, &conflict).await,
        (Ok("good"), 2)
    );
}
