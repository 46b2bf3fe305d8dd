//! sqlx-core 0.9, `PoolInner::connect`: until a deadline, a server that refuses connections is
//! taken to be starting up. Each attempt reads the options anew and may take what is left of
//! the time; a callback that fails closes the connection, and is repeated like a refusal.
//! The longest wait is a fifth of the time that there was.

use std::sync::{Mutex, RwLock};
use std::time::Duration;

use retry_runtime::{Backoff, Jitter, Outcome, retry_block};
use tokio::time::{Instant, sleep};

const MILLISECOND: Duration = Duration::from_millis(1);

#[derive(Clone, Debug, PartialEq)]
enum Error {
    PoolClosed,
    PoolTimedOut,
    Refused,
    AfterConnect,
    Password,
}

/// What a server does with one connection.
#[derive(Clone, Copy)]
enum Answer {
    Refuses,
    FailsLater,
    Hangs,
    Denies,
    Connects,
}

#[derive(Debug, PartialEq)]
struct Connection {
    host: String,
}

struct Pool {
    is_closed: bool,
    host: RwLock<String>,
    answers: fn(usize) -> Answer,
    connected: Mutex<Vec<Duration>>,
    closed: Mutex<u32>,
    start: Instant,
}

impl Pool {
    fn new(answers: fn(usize) -> Answer) -> Pool {
        Pool {
            is_closed: false,
            host: RwLock::new("db".to_owned()),
            answers,
            connected: Mutex::default(),
            closed: Mutex::default(),
            start: Instant::now(),
        }
    }

    async fn open(&self, host: String) -> Result<(Connection, Answer), Error> {
        let number = {
            let mut connected = self.connected.lock().unwrap();
            connected.push(self.start.elapsed());
            connected.len()
        };
        let answer = (self.answers)(number);
        match answer {
            Answer::Refuses => Err(Error::Refused),
            Answer::Denies => Err(Error::Password),
            Answer::Hangs => std::future::pending().await,
            Answer::FailsLater | Answer::Connects => Ok((Connection { host }, answer)),
        }
    }

    async fn after_connect(&self, answer: Answer) -> Result<(), Error> {
        sleep(MILLISECOND).await;
        if matches!(answer, Answer::FailsLater) { Err(Error::AfterConnect) } else { Ok(()) }
    }

    async fn connect(&self, deadline: Instant) -> Result<Connection, Error> {
        if self.is_closed {
            return Err(Error::PoolClosed);
        }
        let left = || deadline.saturating_duration_since(Instant::now());
        let initial = MILLISECOND * 10;
        let waits = Backoff::exponential(initial, initial.max(left() / 5)).jitter(Jitter::None);
        let result = retry_block!(
            attempts = unlimited,
            budget = none,
            classify_err = |error: &Error| match error {
                Error::Refused | Error::AfterConnect => Outcome::Retry,
                _ => Outcome::Stop,
            },
            schedule = waits,
            deadline = deadline,
            attempt_timeout = left(),
            on_timeout = Err(Error::PoolTimedOut),
            async {
                let host = self.host.read().unwrap().clone();
                let (connection, answer) = self.open(host).await?;
                if let Err(error) = self.after_connect(answer).await {
                    *self.closed.lock().unwrap() += 1;
                    return Err(error);
                }
                Ok(connection)
            }
        )
        .await;
        // An error that asks for another attempt is the last one because the time is up.
        result.map_err(|error| match error {
            Error::Refused | Error::AfterConnect => Error::PoolTimedOut,
            other => other,
        })
    }
}

fn after(delay: Duration) -> Instant {
    Instant::now() + delay
}

#[tokio::test(start_paused = true)]
async fn a_server_that_starts_up_is_waited_for() {
    let pool = Pool::new(|number| match number {
        1..4 => Answer::Refuses,
        4 => Answer::FailsLater,
        _ => Answer::Connects,
    });
    let connected = pool.connect(after(MILLISECOND * 1000)).await;
    assert_eq!(connected, Ok(Connection { host: "db".to_owned() }));
    let waits = [0, 10, 30, 70, 151].map(Duration::from_millis);
    assert_eq!(*pool.connected.lock().unwrap(), waits);
    assert_eq!(*pool.closed.lock().unwrap(), 1);
}

#[tokio::test(start_paused = true)]
async fn waits_are_at_most_a_fifth_of_the_time() {
    let pool = Pool::new(|_| Answer::Refuses);
    assert_eq!(pool.connect(after(MILLISECOND * 200)).await, Err(Error::PoolTimedOut));
    let waits = [0, 10, 30, 70, 110, 150, 190].map(Duration::from_millis);
    assert_eq!(*pool.connected.lock().unwrap(), waits);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_has_what_is_left_of_the_time() {
    let pool = Pool::new(|number| if number == 1 { Answer::Refuses } else { Answer::Hangs });
    assert_eq!(pool.connect(after(MILLISECOND * 500)).await, Err(Error::PoolTimedOut));
    assert_eq!(pool.start.elapsed(), MILLISECOND * 500);
}

#[tokio::test(start_paused = true)]
async fn any_other_error_ends_it_and_a_closed_pool_connects_to_nothing() {
    let mut pool = Pool::new(|_| Answer::Denies);
    assert_eq!(pool.connect(after(MILLISECOND * 500)).await, Err(Error::Password));
    pool.is_closed = true;
    assert_eq!(pool.connect(after(MILLISECOND * 500)).await, Err(Error::PoolClosed));
    assert_eq!(pool.connected.lock().unwrap().len(), 1);
}
