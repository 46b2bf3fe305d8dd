//! `Send`, recursion, guards, and functions that return a future.

#![allow(clippy::manual_async_fn, reason = "functions that return a future are what is tested")]

use core::future::Future;
use core::pin::Pin;
use std::rc::Rc;
use std::sync::Mutex;

use retry_runtime::{Outcome, retry};

use super::{BUDGET, judge, must_be_send, run};

/// An error that is not `Send`.
#[derive(Debug, PartialEq)]
struct Local(Rc<u8>);

fn judge_local(result: &Result<u8, Local>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::RetryIn(core::time::Duration::ZERO) }
}

#[retry(attempts = 3, budget = BUDGET, classify = judge_local)]
async fn g1_error_that_is_not_send(text: &str) -> Result<u8, Local> {
    core::future::ready(()).await;
    Err(Local(Rc::new(u8::try_from(text.len()).unwrap_or_default())))
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn g3_body_that_is_not_send(shared: Rc<u8>) -> Result<u8, &'static str> {
    let again = Rc::clone(&shared);
    core::future::ready(()).await;
    Ok(*again)
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn g5_recursive(depth: u8) -> Result<u8, &'static str> {
    if depth == 0 {
        return Ok(0);
    }
    Box::pin(g5_recursive(depth - 1)).await.map(|below| below + 1)
}

#[retry(attempts = 2, budget = BUDGET, classify = |_result: &Result<u8, u8>| {
    assert!(lock.try_lock().is_ok(), "the guard of the tail is gone");
    Outcome::Success
})]
async fn g6_guard_in_the_tail(lock: &Mutex<u8>) -> Result<u8, u8> {
    Ok(*lock.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
}

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

#[retry(attempts = 3, budget = BUDGET, classify = judge, attempt = attempt)]
fn l4_boxed(text: &str, other: String) -> BoxFuture<'_, Result<usize, &'static str>> {
    let length = other.len();
    Box::pin(async move {
        if attempt.number() < 3 {
            return Err("again");
        }
        Ok(text.len() + length + other.len())
    })
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
fn l4_impl_future<'a>(
    count: &'a mut u8,
    text: &'a str,
) -> impl Future<Output = Result<usize, &'static str>> + Send + 'a {
    async move {
        *count += 1;
        if *count < 3 {
            return Err("again");
        }
        Ok(text.len())
    }
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
fn l4_spelt_out(count: &mut u8) -> Pin<Box<dyn Future<Output = Result<u8, &'static str>> + '_>> {
    Box::pin(async move {
        *count += 1;
        if *count < 3 { Err("again") } else { Ok(*count) }
    })
}

#[async_trait::async_trait]
trait Api {
    async fn k3_get(&self, name: String, mut list: Vec<u8>) -> Result<String, &'static str>;
    async fn k3_put(&mut self, (a, b): (u8, String), _: u8) -> Result<u8, &'static str>;
    async fn k3_default(&self, text: &str) -> Result<usize, &'static str>;
    async fn k3_nothing(&self);
}

#[derive(Default)]
struct Client {
    count: u8,
    attempts: Mutex<u8>,
}

impl Client {
    fn judge<T>(&self, result: &Result<T, &'static str>) -> Outcome {
        let _unused = self.count;
        judge(result)
    }
}

#[async_trait::async_trait]
impl Api for Client {
    #[retry(attempts = 3, budget = BUDGET, classify = |r| self.judge(r), clone(name, list))]
    async fn k3_get(&self, name: String, mut list: Vec<u8>) -> Result<String, &'static str> {
        list.push(1);
        let mut attempts = self.attempts.lock().map_err(|_| "stop")?;
        *attempts += 1;
        if list.len() > 1 || *attempts < 3 { Err("again") } else { Ok(name) }
    }

    #[retry(attempts = 3, budget = BUDGET, classify = judge)]
    async fn k3_put(&mut self, (a, b): (u8, String), _: u8) -> Result<u8, &'static str> {
        self.count += a;
        let length = u8::try_from(b.len()).map_err(|_| "stop")?;
        if self.count < 3 { Err("again") } else { Ok(self.count + length) }
    }

    #[retry(attempts = 3, budget = BUDGET, classify = judge)]
    async fn k3_default(&self, text: &str) -> Result<usize, &'static str> {
        Ok(text.len())
    }

    #[retry(attempts = 3, budget = BUDGET, classify = |()| Outcome::Success)]
    async fn k3_nothing(&self) {}
}

#[test]
fn they_behave() {
    assert_eq!(run(must_be_send(g1_error_that_is_not_send("a"))), Err(Local(Rc::new(1))));
    assert_eq!(run(g3_body_that_is_not_send(Rc::new(1))), Ok(1));
    assert_eq!(run(g5_recursive(3)), Ok(3));
    assert_eq!(run(g6_guard_in_the_tail(&Mutex::new(1))), Ok(1));
    assert_eq!(run(must_be_send(l4_boxed("ab", "c".into()))), Ok(4));
    assert_eq!(run(must_be_send(l4_impl_future(&mut 0, "ab"))), Ok(2));
    assert_eq!(run(l4_spelt_out(&mut 0)), Ok(3));
    let mut client = Client::default();
    assert_eq!(run(must_be_send(client.k3_get("a".into(), vec![]))), Ok("a".into()));
    assert_eq!(run(must_be_send(client.k3_put((1, "b".into()), 0))), Ok(4));
    assert_eq!(run(must_be_send(client.k3_default("abc"))), Ok(3));
    run(must_be_send(client.k3_nothing()));
}
