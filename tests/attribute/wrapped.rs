//! Bodies that are a future, and other attributes around ours.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use retry_runtime::{Backoff, Budget, retry};
use tracing::span;

use crate::support::{Calls, Error, classify};

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

#[async_trait]
trait Api: Send + Sync {
    fn calls(&self) -> &Calls;

    #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none())]
    async fn default_body(&self, name: &str) -> Result<usize, Error> {
        let number = self.calls().next() as usize;
        if number < 3 {
            return Err(Error::Again);
        }
        Ok(number + name.len())
    }

    async fn of_the_impl(&mut self, text: String, names: &mut Vec<String>) -> Result<u32, Error>;

    async fn nothing(&self);

    async fn traced_unique(&mut self, log: &mut Vec<u32>) -> Result<u32, Error>;

    #[tracing_attributes::instrument(skip_all)]
    #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none())]
    async fn traced(&self, name: &str) -> Result<usize, Error> {
        let number = self.calls().next() as usize;
        if number < 3 { Err(Error::Again) } else { Ok(number + name.len()) }
    }
}

struct Client {
    calls: Calls,
    attempts: u32,
    budget: Budget,
}

impl Client {
    fn new() -> Client {
        Client { calls: Calls::new(), attempts: 0, budget: Budget::new(10, 0.1) }
    }
}

#[async_trait]
impl Api for Client {
    fn calls(&self) -> &Calls {
        &self.calls
    }

    #[retry(attempts = 4, budget = self.budget, classify = classify, schedule = Backoff::none(), clone(text))]
    async fn of_the_impl(&mut self, text: String, names: &mut Vec<String>) -> Result<u32, Error> {
        self.attempts += 1;
        names.push(text);
        tokio::task::yield_now().await;
        (self.attempts == 3).then_some(self.attempts).ok_or(Error::Again)
    }

    #[retry(
        attempts = 4,
        budget = self.budget,
        classify = |()| if self.calls.count() < 2 { retry_runtime::Outcome::Retry } else { retry_runtime::Outcome::Success },
        schedule = Backoff::none(),
    )]
    async fn nothing(&self) {
        self.calls.next();
    }

    #[tracing_attributes::instrument(skip_all)]
    #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none())]
    async fn traced_unique(&mut self, log: &mut Vec<u32>) -> Result<u32, Error> {
        self.attempts += 1;
        log.push(self.attempts);
        if self.attempts < 3 { Err(Error::Again) } else { Ok(self.attempts) }
    }
}

#[tokio::test(start_paused = true)]
async fn methods_under_async_trait() {
    let mut client = Client::new();
    let api: &mut dyn Api = &mut client;
    assert_eq!(api.default_body("ab").await, Ok(5));
    let mut names = Vec::new();
    assert_eq!(api.of_the_impl("n".into(), &mut names).await, Ok(3));
    assert_eq!(names, ["n", "n", "n"]);
    assert_eq!(client.budget.tokens(), 8.1);
    let client = Client::new();
    client.nothing().await;
    assert_eq!((client.calls.count(), client.budget.tokens()), (2, 9.1));
}

#[tokio::test(start_paused = true)]
async fn async_trait_below_retry_is_the_same() {
    #[async_trait]
    trait Get {
        async fn get(&self, calls: &Calls) -> Result<u32, Error>;
    }
    struct Unit;
    #[async_trait]
    impl Get for Unit {
        #[retry(attempts = 2, budget = none, classify = classify, schedule = Backoff::none(), attempt = this)]
        async fn get(&self, calls: &Calls) -> Result<u32, Error> {
            calls.next();
            if this.is_first() { Err(Error::Again) } else { Ok(this.number()) }
        }
    }
    let get: Box<dyn Get + Send + Sync> = Box::new(Unit);
    let calls = Arc::new(Calls::new());
    let spawned = tokio::spawn({
        let calls = Arc::clone(&calls);
        async move { get.get(&calls).await }
    });
    assert_eq!(spawned.await.unwrap(), Ok(2));
    assert_eq!(calls.count(), 2);
}

#[tokio::test(start_paused = true)]
// The long form is what is tested.
#[allow(clippy::manual_async_fn)]
async fn functions_that_return_a_future() {
    #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none())]
    fn pinned(calls: &Calls) -> Pin<Box<dyn Future<Output = Result<u32, Error>> + Send + '_>> {
        Box::pin(async move {
            let number = calls.next();
            if number < 3 {
                return Err(Error::Again);
            }
            Ok(number)
        })
    }
    #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none())]
    fn aliased(calls: &Calls, text: String) -> BoxFuture<'_, Result<usize, Error>> {
        Box::pin(async move {
            let number = calls.next() as usize;
            if number < 3 { Err(Error::Again) } else { Ok(number + text.len()) }
        })
    }
    #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none())]
    fn plain(calls: &Calls) -> impl Future<Output = Result<u32, Error>> {
        async move {
            let number = calls.next();
            if number < 3 { Err(Error::Again) } else { Ok(number) }
        }
    }
    #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none(), clone(text))]
    fn cloning(calls: &Calls, text: String) -> impl Future<Output = Result<String, Error>> + Send {
        async move {
            let number = calls.next();
            if number < 3 { Err(Error::Again) } else { Ok(text) }
        }
    }
    assert_eq!(pinned(&Calls::new()).await, Ok(3));
    assert_eq!(aliased(&Calls::new(), "ab".into()).await, Ok(5));
    assert_eq!(plain(&Calls::new()).await, Ok(3));
    assert_eq!(cloning(&Calls::new(), "ab".into()).await, Ok("ab".into()));
}

#[tokio::test(start_paused = true)]
async fn what_stands_before_the_future_runs_once() {
    #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none())]
    fn call<'a>(before: &Calls, calls: &'a Calls) -> BoxFuture<'a, Result<u32, Error>> {
        before.next();
        let made = 10;
        Box::pin(async move {
            let number = calls.next();
            if number < 3 { Err(Error::Again) } else { Ok(made + number) }
        })
    }
    let (before, calls) = (Calls::new(), Calls::new());
    let future = call(&before, &calls);
    assert_eq!((before.count(), calls.count()), (1, 0));
    assert_eq!(future.await, Ok(13));
    assert_eq!((before.count(), calls.count()), (1, 3));
}

/// Counts the spans that are made, by name.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<&'static str>>>);

impl tracing::Subscriber for Spans {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        let mut spans = self.0.lock().unwrap();
        spans.push(attributes.metadata().name());
        span::Id::from_u64(spans.len() as u64)
    }
    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn event(&self, _: &tracing::Event<'_>) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

#[tokio::test(start_paused = true)]
async fn instrument_above_is_a_span_per_attempt_and_below_one_per_call() {
    struct Client {
        calls: Calls,
        attempts: u32,
    }
    impl Client {
        #[tracing_attributes::instrument(skip_all)]
        #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none())]
        async fn above(&self, request: &str) -> Result<usize, Error> {
            let number = self.calls.next() as usize;
            if number < 3 {
                return Err(Error::Again);
            }
            Ok(number + request.len())
        }

        #[tracing_attributes::instrument(skip_all)]
        #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none())]
        async fn above_unique(&mut self, log: &mut Vec<u32>) -> Result<u32, Error> {
            self.attempts += 1;
            log.push(self.attempts);
            if self.attempts < 3 { Err(Error::Again) } else { Ok(self.attempts) }
        }

        #[tracing_attributes::instrument(skip_all, err(Debug))]
        #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none())]
        async fn above_err(&mut self, text: String) -> Result<String, Error> {
            self.attempts += 1;
            if self.attempts < 3 { Err(Error::Again) } else { Ok(text.clone()) }
        }

        #[tracing_attributes::instrument(skip_all, ret(Debug), err(Debug))]
        #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none())]
        async fn above_ret(&mut self, text: String) -> Result<String, Error> {
            self.attempts += 1;
            if self.attempts < 3 { Err(Error::Again) } else { Ok(text.clone()) }
        }

        #[tracing_attributes::instrument(skip_all)]
        #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none(), clone(text))]
        async fn above_by_value(&self, text: String) -> Result<String, Error> {
            if self.calls.next() < 3 { Err(Error::Again) } else { Ok(text) }
        }

        #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none())]
        #[tracing_attributes::instrument(skip_all, err(Debug))]
        async fn below(&self, text: String) -> Result<usize, Error> {
            if self.calls.next() < 3 { Err(Error::Again) } else { Ok(text.len()) }
        }

        #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none())]
        #[tracing_attributes::instrument(skip_all)]
        async fn below_unique(&mut self, log: &mut Vec<u32>) -> Result<u32, Error> {
            self.attempts += 1;
            log.push(self.attempts);
            if self.attempts < 3 { Err(Error::Again) } else { Ok(self.attempts) }
        }
    }
    let spans = Spans::default();
    let mut api: Box<dyn Api> = Box::new(self::Client::new());
    let _guard = tracing::subscriber::set_default(spans.clone());
    let made = || std::mem::take(&mut *spans.0.lock().unwrap());
    let client = || Client { calls: Calls::new(), attempts: 0 };

    assert_eq!(client().above("ab").await, Ok(5));
    assert_eq!(made(), ["above"; 3]);
    let mut log = Vec::new();
    assert_eq!(client().above_unique(&mut log).await, Ok(3));
    assert_eq!(made(), ["above_unique"; 3]);
    assert_eq!(client().above_by_value("ab".into()).await, Ok("ab".into()));
    assert_eq!(made(), ["above_by_value"; 3]);
    assert_eq!(client().above_err("ab".into()).await, Ok("ab".into()));
    assert_eq!(made(), ["above_err"; 3]);
    assert_eq!(client().above_ret("ab".into()).await, Ok("ab".into()));
    assert_eq!(made(), ["above_ret"; 3]);
    assert_eq!(api.traced("ab").await, Ok(5));
    assert_eq!(made(), ["traced"; 3]);
    let mut unique = Vec::new();
    assert_eq!(api.traced_unique(&mut unique).await, Ok(3));
    assert_eq!((made(), unique), (vec!["traced_unique"; 3], vec![1, 2, 3]));
    assert_eq!(client().below("ab".into()).await, Ok(2));
    assert_eq!(made(), ["below"]);
    assert_eq!(client().below_unique(&mut log).await, Ok(3));
    assert_eq!(made(), ["below_unique"]);
    assert_eq!(log, [1, 2, 3, 1, 2, 3]);
}
