//! bb8 0.9, `PoolInner::add_connection`: a connection of the pool is opened again and again, after
//! 400 ms, 800 ms and so on up to half of the time limit. An error that is not the last goes
//! to a sink by value; the last one frees the place and is returned. (The original begins a
//! wait that ends after its limit, and makes one attempt more.)

use std::cell::{Cell, RefCell};
use std::time::Duration;

use retry_runtime::{Backoff, Decision, Jitter, Outcome, Policy};
use tokio::time::{Instant, sleep};

#[derive(Debug, PartialEq)]
struct Refused(u32);

struct Pool {
    retry_connection: bool,
    connection_timeout: Duration,
    /// The number of the attempt that succeeds.
    good: u32,
    attempts: Cell<u32>,
    connections: Cell<u32>,
    free_places: Cell<u32>,
    sink: RefCell<Vec<Refused>>,
}

impl Pool {
    fn new(retry_connection: bool, good: u32) -> Pool {
        Pool {
            retry_connection,
            connection_timeout: Duration::from_secs(4),
            good,
            attempts: Cell::new(0),
            connections: Cell::new(0),
            free_places: Cell::new(0),
            sink: RefCell::default(),
        }
    }

    async fn connect(&self) -> Result<(), Refused> {
        let attempt = self.attempts.get() + 1;
        self.attempts.set(attempt);
        if attempt == self.good { Ok(()) } else { Err(Refused(attempt)) }
    }

    async fn add_connection(&self) -> Result<(), Refused> {
        let half = self.connection_timeout / 2;
        let waits = Backoff::exponential(half.min(Duration::from_millis(400)), half);
        let policy = match self.retry_connection {
            true => Policy::unlimited().within(self.connection_timeout),
            false => Policy::new(1),
        };
        let mut call = policy.backoff(waits.jitter(Jitter::None)).call_without_budget();
        loop {
            let result = self.connect().await;
            let outcome = if result.is_ok() { Outcome::Success } else { Outcome::Retry };
            // The error is owned by who gets it, so the wait is the loop's own.
            match (call.decide(outcome), result) {
                (Decision::Again { delay }, Err(error)) => {
                    self.sink.borrow_mut().push(error);
                    sleep(delay).await;
                }
                (_, Ok(())) => {
                    self.connections.set(self.connections.get() + 1);
                    return Ok(());
                }
                (_, last) => {
                    self.free_places.set(self.free_places.get() + 1);
                    return last;
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn each_error_but_the_last_goes_to_the_sink() {
    let (pool, start) = (Pool::new(true, 4), Instant::now());
    assert_eq!(pool.add_connection().await, Ok(()));
    assert_eq!(start.elapsed(), Duration::from_millis(400 + 800 + 1600));
    assert_eq!(*pool.sink.borrow(), [Refused(1), Refused(2), Refused(3)]);
    assert_eq!((pool.connections.get(), pool.free_places.get()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn the_last_error_frees_the_place() {
    let pool = Pool::new(true, 9);
    assert_eq!(pool.add_connection().await, Err(Refused(4)));
    assert_eq!((pool.connections.get(), pool.free_places.get()), (0, 1));
    assert_eq!(pool.sink.borrow().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_pool_can_be_told_not_to() {
    let pool = Pool::new(false, 2);
    assert_eq!(pool.add_connection().await, Err(Refused(1)));
    assert!(pool.sink.borrow().is_empty());
}
