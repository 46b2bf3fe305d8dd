//! octocrab 0.54, `RetryConfig::HandleRateLimits`: GitHub's limits. `Retry-After` is waited
//! exactly, and after an empty quota until it is filled again, but at least five seconds; a
//! 429 without a word waits a minimum, a 403 too if the configuration says so. A failure of
//! the server or the transport is repeated at once. The request is copied for each attempt.

use std::cell::RefCell;
use std::time::Duration;

use retry_runtime::{Budget, Classify, Outcome, Policy, Retrier};
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Response {
    status: u16,
    retry_after: Option<u64>,
    remaining: Option<u64>,
    /// In seconds from now.
    reset: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Transport;

type Answer = Result<Response, Transport>;

struct RateLimits {
    min_wait: Duration,
    retry_on_forbidden: bool,
}

impl Classify<Answer> for RateLimits {
    fn classify(&self, answer: &Answer) -> Outcome {
        let Ok(response) = answer else { return Outcome::RetryIn(Duration::ZERO) };
        match (response.status, response.retry_after, response.remaining, response.reset) {
            (403 | 429, Some(seconds), ..) => Outcome::RetryIn(SECOND * seconds as u32),
            (403 | 429, None, Some(0), Some(reset)) => {
                Outcome::RetryIn(SECOND * reset.max(5) as u32)
            }
            (429, ..) => Outcome::RetryIn(self.min_wait),
            (403, ..) if self.retry_on_forbidden => Outcome::RetryIn(self.min_wait),
            (500..=599, ..) => Outcome::RetryIn(Duration::ZERO),
            (200..=399, ..) => Outcome::Success,
            _ => Outcome::Stop,
        }
    }
}

struct Client {
    retrier: Retrier<RateLimits>,
    answers: Vec<Answer>,
    bodies: RefCell<Vec<String>>,
}

impl Client {
    fn new(max_retries: u32, retry_on_forbidden: bool, answers: &[Answer]) -> Client {
        let limits = RateLimits { min_wait: SECOND * 60, retry_on_forbidden };
        let budget = Budget::new(100, 0.1);
        Client {
            retrier: Retrier::new(Policy::with_retries(max_retries), budget, limits),
            answers: answers.to_vec(),
            bodies: RefCell::default(),
        }
    }

    async fn send(&self, body: String) -> Answer {
        self.bodies.borrow_mut().push(body);
        self.answers[self.bodies.borrow().len() - 1]
    }

    async fn execute(&self, body: String) -> (Answer, Duration) {
        let start = Instant::now();
        let answer = self.retrier.run(async |_| self.send(body.clone()).await).await;
        (answer, start.elapsed())
    }
}

fn status(status: u16) -> Response {
    Response { status, ..Response::default() }
}

const GOOD: Answer = Ok(Response { status: 200, retry_after: None, remaining: None, reset: None });

#[tokio::test(start_paused = true)]
async fn the_server_says_when_to_come_back() {
    let limited = Response { retry_after: Some(7), ..status(403) };
    let empty = Response { remaining: Some(0), reset: Some(90), ..status(429) };
    let nearly = Response { remaining: Some(0), reset: Some(1), ..status(403) };
    let answers = [Ok(limited), Ok(empty), Ok(nearly), Ok(status(429)), GOOD];
    let client = Client::new(4, false, &answers);
    assert_eq!(client.execute("body".to_owned()).await, (GOOD, SECOND * (7 + 90 + 5 + 60)));
    assert_eq!(*client.bodies.borrow(), ["body"; 5]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_repeated_at_once_and_not_for_ever() {
    let answers = [Err(Transport), Ok(status(500)), Err(Transport), GOOD];
    assert_eq!(
        Client::new(3, false, &answers).execute(String::new()).await,
        (GOOD, Duration::ZERO)
    );
    let client = Client::new(2, false, &answers);
    assert_eq!(client.execute(String::new()).await, (Err(Transport), Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn whether_a_bare_403_is_a_limit_is_a_setting() {
    let answers = [Ok(status(403)), GOOD];
    let refused = (Ok(status(403)), Duration::ZERO);
    assert_eq!(Client::new(3, false, &answers).execute(String::new()).await, refused);
    assert_eq!(Client::new(3, true, &answers).execute(String::new()).await, (GOOD, SECOND * 60));
    let client = Client::new(3, true, &[Ok(status(404)), GOOD]);
    assert_eq!(client.execute(String::new()).await.0, Ok(status(404)));
}
