//! The attribute on an `impl`: keys that its marked methods share.

use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use retry_runtime::{Backoff, Budget, Event, NoBudget, Outcome, Policy, Retrier, on_err, retry};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use crate::support::{Calls, Error, classify, outcome};

type Judge = fn(&Result<u32, Error>) -> Outcome;

const SECOND: Duration = Duration::from_secs(1);
const SECONDS: Policy = Policy::new(3).backoff(Backoff::constant(SECOND));

struct Client<T = ()> {
    retrier: Retrier<Judge>,
    other: Retrier<Judge, NoBudget>,
    stop: Notify,
    calls: Calls,
    seen: Mutex<Vec<String>>,
    tag: T,
}

impl<T> Client<T> {
    fn new(tag: T) -> Client<T> {
        Client {
            retrier: Retrier::new(SECONDS, Budget::new(10, 0.1), classify),
            other: Retrier::new(Policy::new(2), NoBudget, classify),
            stop: Notify::new(),
            calls: Calls::new(),
            seen: Mutex::default(),
            tag,
        }
    }

    fn log(&self, event: &Event<'_>) {
        let name = event.name.rsplit("::").next().unwrap_or_default();
        self.seen.lock().unwrap().push(format!("{name} {}", event.decision.as_str()));
    }

    fn seen(&self) -> Vec<String> {
        std::mem::take(&mut *self.seen.lock().unwrap())
    }

    async fn send(&self) -> Result<u32, Error> {
        sleep(Duration::ZERO).await;
        self.calls.next();
        Err(Error::Again)
    }
}

#[retry(
    retrier = self.retrier,
    cancel = self.stop.notified(),
    observe = |event| self.log(event),
    attempt_timeout = 5s,
    on_timeout = Err(Error::Again),
)]
impl<T: Clone + Sync> Client<T>
where
    T: Send,
{
    pub const LIMITS: [u8; 2] = [3, 1];

    /// It gets the keys as they are.
    #[retry]
    async fn get(&self) -> Result<u32, Error> {
        self.send().await
    }

    /// Its own keys win, and can say more.
    #[retry(attempts = 1, name = "client::once")]
    async fn once(&self) -> Result<u32, Error> {
        self.send().await
    }

    /// A retrier replaces the retrier.
    #[retry(retrier = self.other, schedule = Backoff::none())]
    async fn by_other(&self) -> Result<u32, Error> {
        self.send().await
    }

    /// So does a policy; and one of the classifiers the other.
    #[retry(policy = SECONDS, budget = none, classify_err = |_| Outcome::Stop)]
    async fn by_policy(&self) -> Result<u32, Error> {
        self.send().await
    }

    /// Keys of the block are off.
    #[retry(observe = none, cancel = none, attempt_timeout = none, on_timeout = none)]
    async fn quiet(&self) -> Result<u32, Error> {
        sleep(SECOND * 60).await;
        self.send().await
    }

    /// Not marked, so not retried.
    async fn plain(&self) -> Result<u32, Error> {
        self.send().await
    }

    #[retry(clone(tag), attempt = attempt, cancel = none)]
    async fn generic(&mut self, tag: T, value: &mut u32) -> Result<u32, Error> {
        self.tag = tag;
        *value += attempt.number();
        self.send().await
    }

    fn tag(&self) -> &T {
        &self.tag
    }
}

#[tokio::test(start_paused = true)]
async fn each_marked_method_has_the_keys_of_the_block() {
    let client = Client::new(());
    assert_eq!(client.get().await, Err(Error::Again));
    assert_eq!(client.seen(), ["get again", "get again", "get exhausted"]);
    assert_eq!(client.calls.count(), 3);
    assert_eq!(client.retrier.budget().unwrap().tokens(), 7.0);
    assert_eq!(Client::<()>::LIMITS, [3, 1]);
}

#[tokio::test(start_paused = true)]
async fn its_own_keys_win() {
    let client = Client::new(());
    assert_eq!(client.once().await, Err(Error::Again));
    assert_eq!(client.seen(), ["once exhausted"]);
    assert_eq!(client.by_other().await, Err(Error::Again));
    assert_eq!(client.seen(), ["by_other again", "by_other exhausted"]);
    assert_eq!(client.by_policy().await, Err(Error::Again));
    assert_eq!(client.seen(), ["by_policy stopped"]);
    // Only the first was paid by the budget of the block.
    assert_eq!(client.retrier.budget().unwrap().tokens(), 9.0);
}

#[tokio::test(start_paused = true)]
async fn a_key_can_be_switched_off() {
    let client = Client::new(());
    let start = Instant::now();
    client.stop.notify_one();
    assert_eq!(client.quiet().await, Err(Error::Again));
    // Three attempts of a minute, which nothing ended, and two waits.
    assert!(start.elapsed() >= SECOND * 182);
    assert!(client.seen().is_empty());
    // The signal is there still, and ends the next call.
    assert_eq!(client.get().await, Err(Error::Again));
    assert_eq!(client.seen(), ["get cancelled"]);
}

#[tokio::test(start_paused = true)]
async fn a_method_without_a_mark_is_not_retried() {
    let mut client = Client::new('a');
    assert_eq!(client.plain().await, Err(Error::Again));
    assert_eq!((client.calls.count(), client.seen().len()), (1, 0));
    let mut sum = 0;
    assert_eq!(client.generic('b', &mut sum).await, Err(Error::Again));
    assert_eq!((sum, *client.tag()), (6, 'b'));
}

#[async_trait]
trait Fetch {
    async fn fetch(&self, id: u32) -> Result<u32, Error>;
    async fn forget(&mut self) -> Result<u32, Error>;
    async fn peek(&self) -> Result<u32, Error>;
}

struct Above(Calls);

#[retry(attempts = 3, budget = none, classify_err = outcome, schedule = Backoff::none())]
#[async_trait]
impl Fetch for Above {
    #[retry]
    async fn fetch(&self, id: u32) -> Result<u32, Error> {
        if self.0.next() < id { Err(Error::Again) } else { Ok(id) }
    }

    #[retry(attempts = 2)]
    async fn forget(&mut self) -> Result<u32, Error> {
        self.0.next();
        Err(Error::Again)
    }

    async fn peek(&self) -> Result<u32, Error> {
        Ok(self.0.next())
    }
}

struct Below(Calls);

#[async_trait]
#[retry(attempts = 3, budget = none, classify_err = outcome, schedule = Backoff::none())]
impl Fetch for Below {
    #[retry]
    async fn fetch(&self, id: u32) -> Result<u32, Error> {
        if self.0.next() < id { Err(Error::Again) } else { Ok(id) }
    }

    #[retry_runtime::retry(attempts = 2)]
    async fn forget(&mut self) -> Result<u32, Error> {
        self.0.next();
        Err(Error::Again)
    }

    async fn peek(&self) -> Result<u32, Error> {
        Ok(self.0.next())
    }
}

#[tokio::test]
async fn above_and_below_async_trait() {
    let both: [Box<dyn Fetch>; 2] = [Box::new(Above(Calls::new())), Box::new(Below(Calls::new()))];
    for mut fetch in both {
        assert_eq!(fetch.fetch(3).await, Ok(3));
        assert_eq!(fetch.forget().await, Err(Error::Again));
        assert_eq!(fetch.peek().await, Ok(6));
    }
}

trait Native {
    async fn load(&self) -> Result<u32, Error>;
    fn read(&self) -> Result<u32, Error>;
}

#[retry(attempts = 2, budget = none, classify = on_err(outcome), schedule = Backoff::none())]
impl Native for Calls {
    #[retry]
    async fn load(&self) -> Result<u32, Error> {
        if self.next() < 2 { Err(Error::Again) } else { Ok(2) }
    }

    /// `blocking` is the method's alone.
    #[retry(blocking)]
    fn read(&self) -> Result<u32, Error> {
        if self.next() < 4 { Err(Error::Again) } else { Ok(4) }
    }
}

#[tokio::test]
async fn a_trait_with_async_methods_and_with_blocking_ones() {
    let calls = Calls::new();
    assert_eq!(calls.load().await, Ok(2));
    assert_eq!(calls.read(), Ok(4));
}
