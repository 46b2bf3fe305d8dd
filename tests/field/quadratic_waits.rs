//! rust-s3 0.37, the macro `retry!`: whatever the error, the request is made again, after 1, 4, 9
//! and more seconds, as often as a setting of the whole program says; what is done with the
//! answer follows in the same function.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use retry_runtime::{NoBudget, Outcome, Policy, Retrier, on_err};
use tokio::time::Instant;

static RETRIES: AtomicU32 = AtomicU32::new(3);

#[derive(Debug, PartialEq)]
struct S3Error(u32);

struct Request {
    good: u32,
    sent: Cell<u32>,
}

impl Request {
    async fn response(&self) -> Result<&'static str, S3Error> {
        self.sent.set(self.sent.get() + 1);
        if self.sent.get() == self.good { Ok("a: 1") } else { Err(S3Error(self.sent.get())) }
    }

    async fn header(&self) -> Result<(&'static str, &'static str), S3Error> {
        let waits = |step: u32| Duration::from_secs(u64::from(step).pow(2));
        let policy = Policy::with_retries(RETRIES.load(Ordering::Relaxed));
        let retrier = Retrier::new(policy, NoBudget, on_err(|_: &S3Error| Outcome::Retry));
        let response = retrier.call().schedule(&waits).run(async |_| self.response().await).await?;
        Ok(response.split_once(": ").expect("a header has a value"))
    }
}

#[tokio::test(start_paused = true)]
async fn the_waits_are_the_squares_and_the_number_is_the_programs() {
    let (request, start) = (Request { good: 4, sent: Cell::new(0) }, Instant::now());
    assert_eq!(request.header().await, Ok(("a", "1")));
    assert_eq!(start.elapsed(), Duration::from_secs(1 + 4 + 9));
    let request = Request { good: 5, sent: Cell::new(0) };
    assert_eq!(request.header().await, Err(S3Error(4)));
}
