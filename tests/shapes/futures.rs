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
async fn error_that_is_not_send(text: &str) -> Result<u8, Local> {
    core::future::ready(()).await;
    Err(Local(Rc::new(u8::try_from(text.len()).unwrap_or_default())))
}

trait Fetch {
    fn fetch<'a>(&'a self, path: &'a str) -> impl Future<Output = usize> + Send;
}

impl Fetch for u8 {
    async fn fetch<'a>(&'a self, path: &'a str) -> usize {
        path.len() + usize::from(*self)
    }
}

/// Handed to a runtime as a closure, such a body is "not general enough" to be `Send`.
#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn borrows_that_stay_send<F: Fetch + Sync>(
    client: &F,
    path: &str,
    paths: &[&str],
) -> Result<usize, &'static str> {
    let mut sum = client.fetch(path).await;
    for other in paths {
        sum += client.fetch(other).await;
    }
    Ok(sum)
}

/// An async function captures every lifetime, in either edition.
#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn captures_every_lifetime<'a, T>(
    left: &'a str,
    right: &str,
    value: &T,
) -> Result<&'a str, &'static str> {
    let _held = (right, value);
    core::future::ready(()).await;
    Ok(left)
}

fn boxed_with_what_it_captures<'a>(
    left: &'a str,
    right: &'a str,
) -> BoxFuture<'a, Result<&'a str, &'static str>> {
    Box::pin(captures_every_lifetime(left, right, &1))
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn body_that_is_not_send(shared: Rc<u8>) -> Result<u8, &'static str> {
    let again = Rc::clone(&shared);
    core::future::ready(()).await;
    Ok(*again)
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn recursive(depth: u8) -> Result<u8, &'static str> {
    if depth == 0 {
        return Ok(0);
    }
    Box::pin(recursive(depth - 1)).await.map(|below| below + 1)
}

#[retry(attempts = 2, budget = BUDGET, classify = |_result: &Result<u8, u8>| {
    assert!(lock.try_lock().is_ok(), "the guard of the tail is gone");
    Outcome::Success
})]
async fn guard_in_the_tail(lock: &Mutex<u8>) -> Result<u8, u8> {
    Ok(*lock.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
}

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

#[retry(attempts = 3, budget = BUDGET, classify = judge, attempt = attempt)]
fn boxed(text: &str, other: String) -> BoxFuture<'_, Result<usize, &'static str>> {
    let length = other.len();
    Box::pin(async move {
        if attempt.number() < 3 {
            return Err("again");
        }
        Ok(text.len() + length + other.len())
    })
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
fn impl_future<'a>(
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
fn spelt_out(count: &mut u8) -> Pin<Box<dyn Future<Output = Result<u8, &'static str>> + '_>> {
    Box::pin(async move {
        *count += 1;
        if *count < 3 { Err("again") } else { Ok(*count) }
    })
}

#[async_trait::async_trait]
trait Api {
    async fn get(&self, name: String, mut list: Vec<u8>) -> Result<String, &'static str>;
    async fn put(&mut self, (a, b): (u8, String), _: u8) -> Result<u8, &'static str>;
    async fn of_a_reference(&self, text: &str) -> Result<usize, &'static str>;
    async fn nothing(&self);
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

// `#[async_trait]` has bound the parameters by then, and each attempt binds them anew.
// (`test`, because beside a `forbid` nothing may stand where Clippy does not run.)
#[cfg_attr(all(clippy, test), expect(clippy::shadow_unrelated))]
#[async_trait::async_trait]
impl Api for Client {
    #[retry(attempts = 3, budget = BUDGET, classify = |r| self.judge(r), clone(name, list))]
    async fn get(&self, name: String, mut list: Vec<u8>) -> Result<String, &'static str> {
        list.push(1);
        let mut attempts = self.attempts.lock().map_err(|_| "stop")?;
        *attempts += 1;
        if list.len() > 1 || *attempts < 3 { Err("again") } else { Ok(name) }
    }

    #[retry(attempts = 3, budget = BUDGET, classify = judge)]
    async fn put(&mut self, (a, b): (u8, String), _: u8) -> Result<u8, &'static str> {
        self.count += a;
        let length = u8::try_from(b.len()).map_err(|_| "stop")?;
        if self.count < 3 { Err("again") } else { Ok(self.count + length) }
    }

    #[retry(attempts = 3, budget = BUDGET, classify = judge)]
    async fn of_a_reference(&self, text: &str) -> Result<usize, &'static str> {
        Ok(text.len())
    }

    #[retry(attempts = 3, budget = BUDGET, classify = |()| Outcome::Success)]
    async fn nothing(&self) {}
}

#[test]
fn they_behave() {
    assert_eq!(run(must_be_send(error_that_is_not_send("a"))), Err(Local(Rc::new(1))));
    assert_eq!(run(must_be_send(borrows_that_stay_send(&1, "ab", &["c"]))), Ok(5));
    assert_eq!(run(boxed_with_what_it_captures("a", "b")), Ok("a"));
    assert_eq!(run(body_that_is_not_send(Rc::new(1))), Ok(1));
    assert_eq!(run(recursive(3)), Ok(3));
    assert_eq!(run(guard_in_the_tail(&Mutex::new(1))), Ok(1));
    assert_eq!(run(must_be_send(boxed("ab", "c".into()))), Ok(4));
    assert_eq!(run(must_be_send(impl_future(&mut 0, "ab"))), Ok(2));
    assert_eq!(run(spelt_out(&mut 0)), Ok(3));
    let mut client = Client::default();
    assert_eq!(run(must_be_send(client.get("a".into(), vec![]))), Ok("a".into()));
    assert_eq!(run(must_be_send(client.put((1, "b".into()), 0))), Ok(4));
    assert_eq!(run(must_be_send(client.of_a_reference("abc"))), Ok(3));
    run(must_be_send(client.nothing()));
}
