//! async-openai 0.29, `Client::execute_raw`: the request is made anew for each attempt. An error
//! on the way, or in making it, is final; one of the server is not, nor is a rate limit; a 429
//! that says `insufficient_quota` is. All of them are one error type, so that only the body
//! knows which is which.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::time::Duration;

use retry_runtime::{Backoff, Budget, Jitter, Outcome, Policy, retry_block};
use tokio::time::Instant;

#[derive(Clone, Debug, PartialEq)]
enum Error {
    Api { message: &'static str, kind: Option<&'static str> },
    Transport,
    Request,
}

#[derive(Clone, Copy)]
struct Response {
    status: u16,
    body: &'static str,
    kind: Option<&'static str>,
}

struct Client {
    budget: Budget,
    answers: RefCell<VecDeque<Result<Response, Error>>>,
    requests: Cell<u32>,
}

const WAITS: Backoff =
    Backoff::exponential(Duration::from_millis(500), Duration::from_secs(60)).factor(1.5);

impl Client {
    fn new(answers: &[Result<Response, Error>]) -> Client {
        let answers = RefCell::new(answers.iter().cloned().collect());
        Client { budget: Budget::new(10, 0.1), answers, requests: Cell::new(0) }
    }

    async fn send(&self, _request: String) -> Result<Response, Error> {
        self.requests.set(self.requests.get() + 1);
        self.answers.borrow_mut().pop_front().unwrap()
    }

    async fn execute_raw<M, F>(&self, request_maker: M) -> Result<&'static str, Error>
    where
        M: Fn() -> F,
        F: Future<Output = Result<String, Error>>,
    {
        let policy = Policy::unlimited()
            .backoff(WAITS.jitter(Jitter::None))
            .within(Duration::from_secs(900));
        let budget = &self.budget;
        retry_block!(
            policy = policy,
            budget = budget,
            // What the body has not judged: a success, or an error on the way.
            classify = |result| if result.is_ok() { Outcome::Success } else { Outcome::Fail },
            attempt = attempt,
            async {
                let request =
                    request_maker().await.inspect_err(|_| attempt.judge(Outcome::Stop))?;
                let Response { status, body, kind } = self.send(request).await?;
                if status < 300 {
                    return Ok(body);
                }
                attempt.judge(match status {
                    500.. => Outcome::Retry,
                    429 if kind != Some("insufficient_quota") => Outcome::Retry,
                    _ => Outcome::Stop,
                });
                Err(Error::Api { message: body, kind })
            }
        )
        .await
    }
}

fn answer(status: u16, kind: Option<&'static str>) -> Result<Response, Error> {
    Ok(Response { status, body: "text", kind })
}

async fn execute(client: &Client) -> (Result<&'static str, Error>, u32, Duration) {
    let start = Instant::now();
    let made = Cell::new(0);
    let result = client
        .execute_raw(|| {
            made.set(made.get() + 1);
            async { Ok("request".to_owned()) }
        })
        .await;
    assert_eq!(made.get(), client.requests.get());
    (result, client.requests.get(), start.elapsed())
}

#[tokio::test(start_paused = true)]
async fn a_failure_of_the_server_and_a_rate_limit_are_repeated() {
    let client = Client::new(&[answer(503, None), answer(429, Some("tokens")), answer(200, None)]);
    assert_eq!(execute(&client).await, (Ok("text"), 3, Duration::from_millis(500 + 750)));
    assert_eq!(client.budget.tokens(), 8.1);
}

#[tokio::test(start_paused = true)]
async fn a_quota_that_is_used_up_is_final() {
    let kind = Some("insufficient_quota");
    let client = Client::new(&[answer(429, kind), answer(200, None)]);
    let error = Err(Error::Api { message: "text", kind });
    assert_eq!(execute(&client).await, (error, 1, Duration::ZERO));
    assert_eq!(client.budget.tokens(), 10.0, "it says nothing of the server's health");
}

#[tokio::test(start_paused = true)]
async fn an_error_on_the_way_or_in_the_request_is_final() {
    let client = Client::new(&[Err(Error::Transport)]);
    assert_eq!(execute(&client).await, (Err(Error::Transport), 1, Duration::ZERO));
    assert_eq!(client.budget.tokens(), 9.0);
    let client = Client::new(&[]);
    let result = client.execute_raw(|| async { Err(Error::Request) }).await;
    assert_eq!((result, client.requests.get()), (Err(Error::Request), 0));
    assert_eq!(client.budget.tokens(), 10.0);
}
