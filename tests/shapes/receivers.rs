//! Receivers of every kind, and `Self` in the body.

use core::pin::Pin;
use std::sync::Arc;

use retry_runtime::retry;

use super::{BUDGET, judge, must_be_send, run};

#[derive(Clone, Default)]
struct Client {
    count: u32,
}

struct Pair<T>(T, T);

impl Client {
    const FIRST: u32 = 1;

    fn new(count: u32) -> Self {
        Self { count }
    }

    #[retry(attempts = 3, budget = BUDGET, classify = judge)]
    async fn self_in_macros(&self) -> Result<u32, &'static str> {
        macro_rules! count {
            ($client:expr) => {
                $client.count
            };
        }
        assert_eq!(self.count, count!(self), "{}", self.count);
        Ok(vec![self.count][0])
    }

    #[retry(attempts = 3, budget = BUDGET, classify = judge)]
    async fn mutable(&mut self, other: &mut u32) -> Result<u32, &'static str> {
        async fn bump(client: &mut Client, other: &mut u32) {
            client.count += 1;
            *other += 1;
        }
        bump(self, other).await;
        bump(self, other).await;
        if self.count < 5 { Err("again") } else { Ok(self.count) }
    }

    #[retry(attempts = 3, budget = BUDGET, classify = judge)]
    async fn arc(self: Arc<Self>) -> Result<u32, &'static str> {
        let shared = Arc::clone(&self);
        Ok(shared.count + self.count)
    }

    #[retry(attempts = 3, budget = BUDGET, classify = judge)]
    async fn reference_to_arc(self: &Arc<Self>) -> Result<u32, &'static str> {
        let shared = Arc::clone(self);
        Ok(shared.count)
    }

    #[retry(attempts = 3, budget = BUDGET, classify = judge)]
    async fn boxed(self: Box<Self>) -> Result<u32, &'static str> {
        Ok(self.count)
    }

    #[retry(attempts = 3, budget = BUDGET, classify = judge)]
    async fn pinned(self: Pin<&mut Self>) -> Result<u32, &'static str> {
        Ok(self.count)
    }

    #[retry(attempts = 3, budget = BUDGET, classify = judge)]
    async fn pinned_mut(mut self: Pin<&mut Self>) -> Result<u32, &'static str> {
        self.count += 1;
        self.as_mut().get_mut().count += 1;
        if self.count < 4 { Err("again") } else { Ok(self.count) }
    }

    #[retry(attempts = 3, budget = BUDGET, classify = judge)]
    async fn self_as_constructor(&self) -> Result<Self, &'static str> {
        let Self { count } = self;
        let value: Self = Self { count: *count + Self::FIRST };
        Ok(Self::new(value.count))
    }
}

impl<T: Clone + Send + Sync> Pair<T> {
    #[retry(attempts = 3, budget = BUDGET, classify = judge)]
    async fn nested_items(&self) -> Result<T, &'static str> {
        fn first<U: Clone>(pair: &Pair<U>) -> U {
            let Pair(first, _second) = pair;
            first.clone()
        }
        struct Local<V>(V);
        impl<V> Local<V> {
            fn into_inner(self) -> V {
                self.0
            }
        }
        Ok(Local(first(self)).into_inner())
    }
}

trait Api {
    fn base(&self) -> u32;

    #[retry(attempts = 3, budget = BUDGET, classify = judge)]
    async fn default_body(&self) -> Result<u32, &'static str> {
        Ok(self.base() + 1)
    }

    async fn required(&mut self, by: u32) -> Result<u32, &'static str>;
}

impl Api for Client {
    fn base(&self) -> u32 {
        self.count
    }

    #[retry(attempts = 3, budget = BUDGET, classify = judge)]
    async fn required(&mut self, by: u32) -> Result<u32, &'static str> {
        self.count += by;
        if self.count < 10 { Err("again") } else { Ok(self.count) }
    }
}

#[test]
fn they_behave() {
    let mut client = Client::default();
    assert_eq!(run(must_be_send(client.self_in_macros())), Ok(0));
    let mut other = 0;
    assert_eq!(run(must_be_send(client.mutable(&mut other))), Ok(6));
    assert_eq!(other, 6);
    let shared = Arc::new(client.clone());
    assert_eq!(run(must_be_send(Arc::clone(&shared).arc())), Ok(12));
    assert_eq!(run(must_be_send(shared.reference_to_arc())), Ok(6));
    assert_eq!(run(must_be_send(Box::new(client.clone()).boxed())), Ok(6));
    assert_eq!(run(must_be_send(Pin::new(&mut client).pinned())), Ok(6));
    let mut small = Client::default();
    assert_eq!(run(must_be_send(Pin::new(&mut small).pinned_mut())), Ok(4));
    assert_eq!(run(client.self_as_constructor()).map(|made| made.count), Ok(7));
    assert_eq!(run(Pair("a", "b").nested_items()), Ok("a"));
    assert_eq!(run(client.default_body()), Ok(7));
    assert_eq!(run(small.required(3)), Ok(10));
}
