//! Methods, by every receiver that can be used more than once.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use retry_runtime::{Backoff, Budget, Outcome, retry};

use crate::support::{Error, classify};

struct Client {
    attempts: u32,
    shared: AtomicU32,
    budget: Budget,
}

impl Client {
    fn new() -> Client {
        Client { attempts: 0, shared: AtomicU32::new(0), budget: Budget::new(10, 0.1) }
    }

    fn next(&self) -> Result<u32, Error> {
        match self.shared.fetch_add(1, Relaxed) + 1 {
            number if number < 3 => Err(Error::Again),
            number => Ok(number),
        }
    }

    #[retry(attempts = 4, budget = self.budget, classify = classify, schedule = Backoff::none())]
    async fn by_reference(&self) -> Result<u32, Error> {
        self.next()
    }

    #[retry(attempts = 4, budget = self.budget, classify = classify, schedule = Backoff::none())]
    async fn by_unique_reference(&mut self) -> Result<u32, Error> {
        self.attempts += 1;
        tokio::task::yield_now().await;
        self.count(3).await
    }

    async fn count(&mut self, enough: u32) -> Result<u32, Error> {
        if self.attempts < enough { Err(Error::Again) } else { Ok(self.attempts) }
    }

    #[retry(attempts = 4, budget = self.budget, classify = classify, schedule = Backoff::none())]
    async fn by_arc(self: Arc<Self>) -> Result<u32, Error> {
        let other = Arc::clone(&self);
        tokio::task::yield_now().await;
        other.next()
    }

    #[retry(attempts = 4, budget = self.budget, classify = classify, schedule = Backoff::none())]
    async fn by_reference_to_an_arc(self: &Arc<Self>) -> Result<u32, Error> {
        let other = Arc::clone(self);
        tokio::spawn(async move { other.next() }).await.unwrap()
    }

    #[retry(attempts = 4, budget = self.budget, classify = classify, schedule = Backoff::none())]
    async fn by_box(self: Box<Self>) -> Result<u32, Error> {
        self.next()
    }

    #[retry(attempts = 4, budget = self.budget, classify = classify, schedule = Backoff::none())]
    async fn by_pin(self: Pin<&mut Self>) -> Result<u32, Error> {
        self.next()
    }

    #[retry(attempts = 4, budget = self.budget, classify = classify, schedule = Backoff::none())]
    async fn by_mut_pin(mut self: Pin<&mut Self>) -> Result<u32, Error> {
        self.as_mut().get_mut().attempts += 1;
        tokio::task::yield_now().await;
        self.attempts += 1;
        if self.attempts < 6 { Err(Error::Again) } else { Ok(self.attempts) }
    }

    #[retry(
        attempts = 4,
        budget = none,
        classify = |n| if *n < 3 { Outcome::Retry } else { Outcome::Success },
        schedule = Backoff::none()
    )]
    async fn pinned_argument(mut other: Pin<&mut Client>) -> u32 {
        other.attempts += 1;
        other.as_mut().get_mut().attempts
    }
}

#[tokio::test(start_paused = true)]
async fn a_shared_reference() {
    let client = Client::new();
    assert_eq!(client.by_reference().await, Ok(3));
    assert_eq!(client.budget.tokens(), 8.1);
}

#[tokio::test(start_paused = true)]
async fn a_unique_reference() {
    let mut client = Client::new();
    assert_eq!(client.by_unique_reference().await, Ok(3));
    assert_eq!((client.attempts, client.budget.tokens()), (3, 8.1));
}

#[tokio::test(start_paused = true)]
async fn an_arc() {
    let client = Arc::new(Client::new());
    assert_eq!(Arc::clone(&client).by_arc().await, Ok(3));
    assert_eq!(client.budget.tokens(), 8.1);
    assert_eq!(Arc::strong_count(&client), 1);
}

#[tokio::test(start_paused = true)]
async fn a_reference_to_an_arc() {
    let client = Arc::new(Client::new());
    assert_eq!(client.by_reference_to_an_arc().await, Ok(3));
    assert_eq!(client.budget.tokens(), 8.1);
}

#[tokio::test(start_paused = true)]
async fn a_box() {
    assert_eq!(Box::new(Client::new()).by_box().await, Ok(3));
}

#[tokio::test(start_paused = true)]
async fn a_pinned_reference() {
    let mut client = Client::new();
    assert_eq!(Pin::new(&mut client).by_pin().await, Ok(3));
    let mut client = Client::new();
    assert_eq!(Pin::new(&mut client).by_mut_pin().await, Ok(6));
    let mut client = Client::new();
    assert_eq!(Client::pinned_argument(Pin::new(&mut client)).await, 3);
}
