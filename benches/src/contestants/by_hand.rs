//! The loop that one would write by hand. The body is in a block of its own, as a
//! body with `?` needs.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::work::YieldOnce;

/// The rule of the budget (gRFC A6) in one atomic, by hand.
#[derive(Debug)]
pub struct Bucket {
    tokens: AtomicU32,
    max: u32,
    ratio: u32,
}

impl Bucket {
    /// In thousandths of a token.
    pub const fn new(max: u32, ratio: u32) -> Bucket {
        Bucket { tokens: AtomicU32::new(max), max, ratio }
    }

    /// Adds the ratio. Writes nothing when the bucket is full.
    pub fn refill(&self) {
        if self.tokens.load(Relaxed) < self.max {
            let add = |tokens: u32| (tokens < self.max).then(|| self.max.min(tokens + self.ratio));
            let _ = self.tokens.fetch_update(Relaxed, Relaxed, add);
        }
    }

    /// Takes a token: whether a retry may follow.
    pub fn take(&self) -> bool {
        let take = |tokens: u32| (tokens > 0).then(|| tokens.saturating_sub(1000));
        self.tokens
            .fetch_update(Relaxed, Relaxed, take)
            .is_ok_and(|before| before.saturating_sub(1000) > self.max / 2)
    }
}

/// A delay of zero lets the executor run something else, without the timer.
async fn wait(delay: Duration) {
    if delay.is_zero() {
        YieldOnce::default().await;
    } else {
        tokio::time::sleep(delay).await;
    }
}

pub mod no_budget {
    use super::wait;
    use crate::work::{ATTEMPTS, Answer, Work, YieldOnce};

    pub async fn ready(work: &Work) -> Answer {
        let mut attempt = 1;
        loop {
            match async { work.answer() }.await {
                Err(_) if attempt < ATTEMPTS => attempt += 1,
                answer => return answer,
            }
            wait(work.delay).await;
        }
    }

    pub async fn yields(work: &Work) -> Answer {
        let mut attempt = 1;
        loop {
            let body = async {
                YieldOnce::default().await;
                work.answer()
            };
            match body.await {
                Err(_) if attempt < ATTEMPTS => attempt += 1,
                answer => return answer,
            }
            wait(work.delay).await;
        }
    }
}

pub mod budget {
    use super::{Bucket, wait};
    use crate::work::{ATTEMPTS, Answer, Work, YieldOnce};

    static BUCKET: Bucket = Bucket::new(1_000_000, 10_000);

    pub async fn ready(work: &Work) -> Answer {
        let mut attempt = 1;
        loop {
            match async { work.answer() }.await {
                Ok(value) => {
                    BUCKET.refill();
                    return Ok(value);
                }
                Err(_) if BUCKET.take() && attempt < ATTEMPTS => attempt += 1,
                Err(error) => return Err(error),
            }
            wait(work.delay).await;
        }
    }

    pub async fn yields(work: &Work) -> Answer {
        let mut attempt = 1;
        loop {
            let body = async {
                YieldOnce::default().await;
                work.answer()
            };
            match body.await {
                Ok(value) => {
                    BUCKET.refill();
                    return Ok(value);
                }
                Err(_) if BUCKET.take() && attempt < ATTEMPTS => attempt += 1,
                Err(error) => return Err(error),
            }
            wait(work.delay).await;
        }
    }
}

/// The loop in a future that the function awaits, as a block in the middle of it is.
pub mod block {
    use super::{Bucket, wait};
    use crate::work::{ATTEMPTS, Answer, Work, YieldOnce};

    static BUCKET: Bucket = Bucket::new(1_000_000, 10_000);

    pub async fn ready(work: &Work) -> Answer {
        async {
            let mut attempt = 1;
            loop {
                match async { work.answer() }.await {
                    Ok(value) => {
                        BUCKET.refill();
                        return Ok(value);
                    }
                    Err(_) if BUCKET.take() && attempt < ATTEMPTS => attempt += 1,
                    Err(error) => return Err(error),
                }
                wait(work.delay).await;
            }
        }
        .await
    }

    pub async fn yields(work: &Work) -> Answer {
        async {
            let mut attempt = 1;
            loop {
                let body = async {
                    YieldOnce::default().await;
                    work.answer()
                };
                match body.await {
                    Ok(value) => {
                        BUCKET.refill();
                        return Ok(value);
                    }
                    Err(_) if BUCKET.take() && attempt < ATTEMPTS => attempt += 1,
                    Err(error) => return Err(error),
                }
                wait(work.delay).await;
            }
        }
        .await
    }
}
