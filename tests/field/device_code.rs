//! oauth2 5.0, `DeviceAccessTokenRequest::request_async`: the poll for the token of a device
//! (RFC 8628). A user who has not decided yet is asked for again after the same interval, a
//! server that says `slow_down` after five seconds more, a transport that fails after twice
//! the interval, at most ten seconds. When the code has expired, that is the error. (The
//! original waits once more before it sees that; this one does not begin such a wait.)

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::time::Duration;

use retry_runtime::{Decision, Outcome, Policy};
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Failure {
    AuthorizationPending,
    SlowDown,
    AccessDenied,
    ExpiredToken,
    Transport,
}

type Token = Result<&'static str, Failure>;

struct DeviceCode {
    interval: Duration,
    expires_in: Duration,
    answers: RefCell<VecDeque<Token>>,
    asked_at: RefCell<Vec<u64>>,
    start: Instant,
}

impl DeviceCode {
    fn new(answers: &[Token]) -> DeviceCode {
        DeviceCode {
            interval: SECOND * 3,
            expires_in: SECOND * 60,
            answers: RefCell::new(answers.iter().copied().collect()),
            asked_at: RefCell::default(),
            start: Instant::now(),
        }
    }

    async fn ask(&self) -> Token {
        self.asked_at.borrow_mut().push(self.start.elapsed().as_secs());
        self.answers.borrow_mut().pop_front().unwrap_or(Err(Failure::AuthorizationPending))
    }

    async fn request(&self) -> Token {
        let interval = Cell::new(self.interval);
        let mut call = Policy::unlimited().within(self.expires_in).call_without_budget();
        let answer = call
            .run_judged(async |_| {
                let answer = self.ask().await;
                let outcome = match answer {
                    Ok(_) => Outcome::Success,
                    Err(Failure::AuthorizationPending) => Outcome::RepeatIn(interval.get()),
                    Err(Failure::SlowDown) => {
                        interval.set(interval.get() + SECOND * 5);
                        Outcome::RepeatIn(interval.get())
                    }
                    Err(Failure::Transport) => {
                        interval.set((interval.get() * 2).min(SECOND * 10));
                        Outcome::RetryIn(interval.get())
                    }
                    Err(_) => Outcome::Stop,
                };
                (answer, outcome)
            })
            .await;
        match call.decision() {
            Some(Decision::Expired) => Err(Failure::ExpiredToken),
            _ => answer,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_interval_is_the_servers_and_grows_when_it_says_so() {
    use Failure::{AuthorizationPending, SlowDown, Transport};
    let pending = Err(AuthorizationPending);
    let code =
        DeviceCode::new(&[pending, Err(SlowDown), pending, Err(Transport), pending, Ok("token")]);
    assert_eq!(code.request().await, Ok("token"));
    // After 3, 8, 8, 10 and 10 seconds.
    assert_eq!(*code.asked_at.borrow(), [0, 3, 11, 19, 29, 39]);
}

#[tokio::test(start_paused = true)]
async fn a_user_who_says_no_is_asked_once() {
    let code = DeviceCode::new(&[Err(Failure::AccessDenied), Ok("token")]);
    assert_eq!(code.request().await, Err(Failure::AccessDenied));
    assert_eq!(code.asked_at.borrow().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_code_that_expires_is_the_error() {
    let code = DeviceCode::new(&[]);
    assert_eq!(code.request().await, Err(Failure::ExpiredToken));
    assert_eq!(code.asked_at.borrow().last(), Some(&57));
}
