//! Shared by the tests: an error whose value says what it means, and a record of
//! when attempts were made.

use std::sync::Mutex;
use std::time::Duration;

use retry_runtime::{Decision, Event, Outcome};
use tokio::time::Instant;

#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    Again,
    After(Duration),
    In(Duration),
    Fail,
    Stop,
    /// An `Again` that can be told from others.
    Numbered(u32),
}

pub fn outcome(error: &Error) -> Outcome {
    match error {
        Error::Again | Error::Numbered(_) => Outcome::Retry,
        Error::After(delay) => Outcome::RetryAfter(*delay),
        Error::In(delay) => Outcome::RetryIn(*delay),
        Error::Fail => Outcome::Fail,
        Error::Stop => Outcome::Stop,
    }
}

pub fn classify<T>(result: &Result<T, Error>) -> Outcome {
    match result {
        Ok(_) => Outcome::Success,
        Err(error) => outcome(error),
    }
}

/// When each attempt began.
pub struct Calls {
    start: Instant,
    at: Mutex<Vec<Duration>>,
}

impl Calls {
    pub fn new() -> Calls {
        Calls { start: Instant::now(), at: Mutex::default() }
    }

    /// Records an attempt; its number, from 1, over all calls.
    pub fn next(&self) -> u32 {
        let mut at = self.at.lock().unwrap();
        at.push(self.start.elapsed());
        at.len() as u32
    }

    pub fn count(&self) -> usize {
        self.at.lock().unwrap().len()
    }

    /// When the attempts began, in milliseconds.
    pub fn at(&self) -> Vec<u128> {
        self.at.lock().unwrap().iter().map(Duration::as_millis).collect()
    }

    /// Milliseconds since this record was made.
    pub fn now(&self) -> u128 {
        self.start.elapsed().as_millis()
    }
}

/// The decisions that an observer was told, each with its attempt.
#[derive(Default)]
pub struct Seen(Mutex<Vec<(u32, Decision)>>);

impl Seen {
    pub fn push(&self, event: &Event<'_>) {
        self.0.lock().unwrap().push((event.attempt, event.decision));
    }

    pub fn all(&self) -> Vec<(u32, Decision)> {
        self.0.lock().unwrap().clone()
    }

    /// The last decision.
    pub fn last(&self) -> Option<Decision> {
        self.0.lock().unwrap().last().map(|(_, decision)| *decision)
    }
}

pub const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}
