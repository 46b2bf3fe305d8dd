//! Captures of an attempt: the future is `Send` where the plain one
//! is, and a cancellation may borrow what the body uses.

use core::cell::Cell;
use core::future::{Future, ready};
use core::pin::Pin;

use retry_runtime::retry;

use super::{BUDGET, judge, must_be_send, run};

/// `Send`, and not `Sync`.
#[derive(Default)]
struct Counter(Cell<u8>);

impl Counter {
    fn next(&self) -> Result<u8, &'static str> {
        self.0.set(self.0.get() + 1);
        if self.0.get() < 3 { Err("again") } else { Ok(self.0.get()) }
    }

    #[retry(attempts = 3, budget = BUDGET, classify = judge)]
    async fn mutable(&mut self) -> Result<u8, &'static str> {
        ready(()).await;
        self.next()
    }

    #[retry(attempts = 3, budget = BUDGET, classify = judge)]
    #[allow(clippy::needless_arbitrary_self_type)]
    async fn mutable_in_full(self: &mut Self) -> Result<u8, &'static str> {
        ready(()).await;
        self.next()
    }

    #[retry(attempts = 3, budget = BUDGET, classify = judge)]
    async fn boxed(self: Box<Self>) -> Result<u8, &'static str> {
        ready(()).await;
        self.next()
    }

    #[retry(attempts = 3, budget = BUDGET, classify = judge)]
    async fn pinned(self: Pin<&mut Self>) -> Result<u8, &'static str> {
        ready(()).await;
        self.next()
    }

    #[retry(attempts = 3, budget = BUDGET, classify = |r| {
        assert!(self.0.get() > 0 && other.0.get() > 0, "the classifier sees both");
        judge(r)
    })]
    async fn seen_by_the_classifier(&mut self, other: &mut Counter) -> Result<u8, &'static str> {
        ready(()).await;
        self.next().and(other.next())
    }
}

#[async_trait::async_trait]
trait Next {
    async fn boxed_dyn(self: Box<Self>) -> Result<u8, &'static str>;
    async fn parameters(
        &mut self,
        counter: Counter,
        pinned: Pin<&mut Counter>,
    ) -> Result<u8, &'static str>;
}

// `#[async_trait]` has bound the parameters by then, and each attempt binds them anew.
// (`test`, because beside a `forbid` nothing may stand where Clippy does not run.)
#[cfg_attr(all(clippy, test), expect(clippy::shadow_unrelated))]
#[async_trait::async_trait]
impl Next for Counter {
    #[retry(attempts = 3, budget = BUDGET, classify = judge)]
    async fn boxed_dyn(self: Box<Self>) -> Result<u8, &'static str> {
        ready(()).await;
        self.next()
    }

    #[retry(attempts = 3, budget = BUDGET, classify = judge)]
    async fn parameters(
        &mut self,
        counter: Counter,
        pinned: Pin<&mut Counter>,
    ) -> Result<u8, &'static str> {
        ready(()).await;
        self.next().and(counter.next()).and(pinned.get_mut().next())
    }
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
#[expect(clippy::used_underscore_binding)]
async fn used_with_an_underscore(
    _counter: Counter,
    _pinned: Pin<&mut Counter>,
    _list: &mut Vec<u8>,
) -> Result<u8, &'static str> {
    ready(()).await;
    _list.push(0);
    _counter.next().and(_pinned.next())
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn elements([first, .., last]: [Counter; 3]) -> Result<u8, &'static str> {
    ready(()).await;
    first.next().and(last.next())
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn pinned_and_read(counter: Pin<&mut Counter>) -> Result<u8, &'static str> {
    ready(()).await;
    counter.next()
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn pinned_and_consumed(
    future: Pin<&mut (dyn Future<Output = u8> + Send)>,
) -> Result<u8, &'static str> {
    Ok(future.await)
}

struct Signal;

impl Signal {
    fn cancelled(&self) -> impl Future<Output = ()> {
        let _held = self;
        core::future::pending()
    }
}

struct Job {
    stop: Signal,
    count: u8,
}

impl Job {
    #[retry(attempts = 3, budget = BUDGET, classify = judge, cancel = self.stop.cancelled())]
    async fn borrowed_by_the_cancellation(&mut self) -> Result<u8, &'static str> {
        self.count += 1;
        if self.count < 3 { Err("again") } else { Ok(self.count) }
    }

    #[retry(attempts = 3, budget = BUDGET, classify = judge, cancel = self.stop.cancelled())]
    async fn boxed_and_borrowed(self: Box<Self>) -> Result<u8, &'static str> {
        Ok(self.count)
    }
}

#[retry(attempts = 3, budget = BUDGET, classify = judge, cancel = stop.cancelled())]
async fn parameter_of_the_cancellation(stop: Signal) -> Result<u8, &'static str> {
    let _also_here = &stop;
    Ok(1)
}

#[test]
fn they_behave() {
    let counter = Counter::default;
    assert_eq!(run(must_be_send(counter().mutable())), Ok(3));
    assert_eq!(run(must_be_send(counter().mutable_in_full())), Ok(3));
    assert_eq!(run(must_be_send(Box::new(counter()).boxed())), Ok(3));
    assert_eq!(run(must_be_send(Pin::new(&mut counter()).pinned())), Ok(3));
    assert_eq!(run(must_be_send(counter().seen_by_the_classifier(&mut counter()))), Ok(3));
    assert_eq!(run(Box::new(counter()).boxed_dyn()), Ok(3));
    let mut pinned = counter();
    assert_eq!(run(counter().parameters(counter(), Pin::new(&mut pinned))), Ok(3));
    assert_eq!(run(must_be_send(elements([counter(), counter(), counter()]))), Ok(3));
    assert_eq!(run(must_be_send(pinned_and_read(Pin::new(&mut counter())))), Ok(3));
    assert_eq!(run(must_be_send(pinned_and_consumed(core::pin::pin!(ready(1))))), Ok(1));
    let (mut other, mut list) = (counter(), vec![]);
    let used = used_with_an_underscore(counter(), Pin::new(&mut other), &mut list);
    assert_eq!(run(must_be_send(used)), Ok(3));
    let mut job = Job { stop: Signal, count: 0 };
    assert_eq!(run(job.borrowed_by_the_cancellation()), Ok(3));
    assert_eq!(run(Box::new(job).boxed_and_borrowed()), Ok(3));
    assert_eq!(run(parameter_of_the_cancellation(Signal)), Ok(1));
}
