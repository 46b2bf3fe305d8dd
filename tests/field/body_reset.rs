//! typespec_client_core 0.5, the policy of retries: before each attempt but the first the body of
//! the request is set back to its beginning, and a body that cannot be is the end. Some
//! statuses and errors of input and output are repeated; a 429 and a 503 may say when, and are
//! then waited for exactly. An error that was repeated in vain says so.

use std::collections::VecDeque;
use std::time::Duration;

use retry_runtime::{Backoff, Decision, Jitter, Outcome, Policy, retry_block};
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Status(u16, Option<u64>),
    Io,
    Other,
    Reset,
}

#[derive(Debug, PartialEq)]
struct Error {
    kind: Kind,
    context: &'static str,
}

/// A body that can be read once, and set back so often.
struct Request {
    is_read: bool,
    resets: u32,
}

impl Request {
    async fn reset(&mut self) -> Result<(), Kind> {
        self.resets = self.resets.checked_sub(1).ok_or(Kind::Reset)?;
        self.is_read = false;
        Ok(())
    }
}

struct Pipeline {
    answers: VecDeque<Result<u16, Kind>>,
}

impl Pipeline {
    async fn next(&mut self, request: &mut Request) -> Result<u16, Kind> {
        assert!(!std::mem::replace(&mut request.is_read, true), "the body is at its end");
        self.answers.pop_front().unwrap()
    }

    async fn send(&mut self, request: &mut Request) -> Result<u16, Error> {
        let waits = Backoff::constant(SECOND).jitter(Jitter::None);
        let mut last = None;
        let result = retry_block!(
            policy = Policy::with_retries(3).backoff(waits).within(SECOND * 60),
            budget = none,
            classify_err = |kind| match *kind {
                Kind::Status(429 | 503, Some(after)) => Outcome::RetryIn(SECOND * after as u32),
                Kind::Status(408 | 429 | 500 | 502..=504, _) | Kind::Io => Outcome::Retry,
                Kind::Status(..) | Kind::Other | Kind::Reset => Outcome::Stop,
            },
            attempt = attempt,
            observe = |event| last = Some(event.decision),
            async {
                if !attempt.is_first() {
                    request.reset().await?;
                }
                self.next(request).await
            }
        )
        .await;
        result.map_err(|kind| match (kind, last) {
            (Kind::Reset, _) => Error { kind, context: "failed to reset the body" },
            (_, Some(Decision::Stopped)) => Error { kind, context: "will not be retried" },
            _ => Error { kind, context: "retry policy expired" },
        })
    }
}

async fn send(resets: u32, answers: &[Result<u16, Kind>]) -> (Result<u16, Error>, Duration) {
    let mut pipeline = Pipeline { answers: answers.iter().copied().collect() };
    let start = Instant::now();
    let result = pipeline.send(&mut Request { is_read: false, resets }).await;
    (result, start.elapsed())
}

fn error(kind: Kind, context: &'static str) -> Result<u16, Error> {
    Err(Error { kind, context })
}

#[tokio::test(start_paused = true)]
async fn the_body_is_set_back_and_the_server_says_when() {
    let answers = [Err(Kind::Status(503, Some(7))), Err(Kind::Io), Ok(200)];
    assert_eq!(send(9, &answers).await, (Ok(200), SECOND * (7 + 1)));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_cannot_be_set_back_is_the_end() {
    let answers = [Err(Kind::Io), Err(Kind::Io)];
    let end = error(Kind::Reset, "failed to reset the body");
    assert_eq!(send(1, &answers).await, (end, SECOND * 2));
}

#[tokio::test(start_paused = true)]
async fn the_error_says_whether_it_was_repeated_in_vain() {
    let busy = Kind::Status(500, None);
    assert_eq!(send(9, &[Err(busy); 4]).await, (error(busy, "retry policy expired"), SECOND * 3));
    for kind in [Kind::Other, Kind::Status(404, None), Kind::Status(400, Some(9))] {
        let end = error(kind, "will not be retried");
        assert_eq!(send(9, &[Err(kind)]).await, (end, Duration::ZERO));
    }
}
