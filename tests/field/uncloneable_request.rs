//! reqwest-retry 0.9, `execute_with_retry`: the request is cloned before each attempt, and one
//! with a streaming body, which cannot be, is an error before anything is sent. What the
//! strategy calls transient is repeated, whatever it is; an error at the end says after how
//! many repeats, a bad answer comes back as it is.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::time::Duration;

use retry_runtime::{Backoff, Jitter, Outcome, Policy};
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

#[derive(Debug, PartialEq)]
enum Body {
    Bytes(&'static str),
    Stream,
}

impl Body {
    fn try_clone(&self) -> Option<Body> {
        match self {
            Body::Bytes(bytes) => Some(Body::Bytes(bytes)),
            Body::Stream => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Broken {
    Connection,
    Certificate,
}

#[derive(Debug, PartialEq)]
enum Error {
    NotCloneable,
    Failed(Broken),
    WithRetries { retries: u32, error: Broken },
}

enum Retryable {
    Transient,
    Fatal,
}

fn strategy(result: &Result<u16, Broken>) -> Option<Retryable> {
    match result {
        Ok(408 | 429 | 500..) | Err(Broken::Connection) => Some(Retryable::Transient),
        Err(Broken::Certificate) => Some(Retryable::Fatal),
        Ok(_) => None,
    }
}

struct Next {
    answers: RefCell<VecDeque<Result<u16, Broken>>>,
    sent: Cell<u32>,
}

impl Next {
    async fn run(&self, _request: Body) -> Result<u16, Broken> {
        self.sent.set(self.sent.get() + 1);
        self.answers.borrow_mut().pop_front().unwrap()
    }
}

async fn execute_with_retry(request: Body, next: &Next) -> Result<u16, Error> {
    let waits = Backoff::exponential(SECOND, SECOND * 60).jitter(Jitter::None);
    let mut call = Policy::with_retries(3).backoff(waits).call_without_budget();
    let classify = |result: &Option<Result<u16, Broken>>| match result.as_ref().map(strategy) {
        Some(Some(Retryable::Transient)) => Outcome::Retry,
        Some(None) => Outcome::Success,
        Some(Some(Retryable::Fatal)) | None => Outcome::Stop,
    };
    let result = call
        .run_with(classify, async |_| Some(next.run(request.try_clone()?).await))
        .await
        .ok_or(Error::NotCloneable)?;
    result.map_err(|error| match call.attempt() - 1 {
        0 => Error::Failed(error),
        retries => Error::WithRetries { retries, error },
    })
}

async fn execute(
    request: Body,
    answers: &[Result<u16, Broken>],
) -> (Result<u16, Error>, u32, Duration) {
    let answers = RefCell::new(answers.iter().copied().collect());
    let next = Next { answers, sent: Cell::new(0) };
    let start = Instant::now();
    let result = execute_with_retry(request, &next).await;
    (result, next.sent.get(), start.elapsed())
}

#[tokio::test(start_paused = true)]
async fn what_is_transient_is_repeated() {
    let answers = [Ok(503), Err(Broken::Connection), Ok(200)];
    assert_eq!(execute(Body::Bytes("a"), &answers).await, (Ok(200), 3, SECOND * (1 + 2)));
    assert_eq!(execute(Body::Bytes("a"), &[Ok(404)]).await, (Ok(404), 1, Duration::ZERO));
    assert_eq!(execute(Body::Bytes("a"), &[Ok(500); 4]).await, (Ok(500), 4, SECOND * 7));
}

#[tokio::test(start_paused = true)]
async fn an_error_says_after_how_many_repeats() {
    let (result, ..) = execute(Body::Bytes("a"), &[Err(Broken::Connection); 4]).await;
    assert_eq!(result, Err(Error::WithRetries { retries: 3, error: Broken::Connection }));
    let (result, sent, _) = execute(Body::Bytes("a"), &[Err(Broken::Certificate)]).await;
    assert_eq!((result, sent), (Err(Error::Failed(Broken::Certificate)), 1));
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_not_even_sent_once() {
    assert_eq!(execute(Body::Stream, &[]).await, (Err(Error::NotCloneable), 0, Duration::ZERO));
}
