//! The return type reaches the body: coercions and inference are as in the plain
//! function.

#![allow(clippy::let_unit_value, reason = "a binding of the never type is what is tested")]

use core::fmt::Display;
use core::future::Future;
use core::pin::Pin;

use retry_runtime::{Outcome, retry};

use super::{BUDGET, judge, run};

fn judge_boxed<T, E>(result: &Result<T, E>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Stop }
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn unsized_coercion(flag: bool) -> Result<Box<dyn Display>, &'static str> {
    if flag {
        return Ok(Box::new(1));
    }
    Ok(Box::new("one"))
}

#[derive(Debug)]
struct Failure(#[expect(dead_code)] core::num::ParseIntError);

impl From<core::num::ParseIntError> for Failure {
    fn from(error: core::num::ParseIntError) -> Self {
        Failure(error)
    }
}

#[retry(attempts = 3, budget = BUDGET, classify = judge_boxed)]
async fn error_only_through_conversion(text: &str) -> Result<u32, Failure> {
    let number: u32 = text.parse()?;
    Ok(number)
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn collect_from_the_return_type(words: &str) -> Result<Vec<String>, &'static str> {
    Ok(words.split(' ').map(Into::into).collect())
}

type Alias = std::io::Result<u8>;

#[retry(attempts = 3, budget = BUDGET, classify_err = |error| {
    if error.kind() == std::io::ErrorKind::TimedOut { Outcome::Retry } else { Outcome::Stop }
})]
async fn alias_of_result() -> Alias {
    Ok(1)
}

#[retry(attempts = 3, budget = BUDGET, classify = |result: &Option<u8>| {
    if result.is_some() { Outcome::Success } else { Outcome::RetryIn(std::time::Duration::ZERO) }
})]
async fn no_result_at_all(found: Option<u8>) -> Option<u8> {
    found
}

#[retry(attempts = 3, budget = BUDGET, classify = |()| Outcome::Success)]
async fn no_return_type() {}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn impl_trait_in_the_result(value: u8) -> Result<impl Display, &'static str> {
    if value > 200 {
        return Err("stop");
    }
    Ok(value)
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn diverges() -> Result<u8, &'static str> {
    panic!("on purpose")
}

type NumberFuture = Pin<Box<dyn Future<Output = u8>>>;

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn gives_a_future_or_diverges(
    number: u8,
) -> Result<Pin<Box<dyn Future<Output = u8>>>, &'static str> {
    let found: NumberFuture = Box::pin(core::future::ready(number));
    if number > 1 {
        return Ok(found);
    }
    panic!("on purpose")
}

#[retry(attempts = 3, budget = BUDGET, classify = |_| Outcome::Success)]
async fn gives_nothing_but_a_future() -> NumberFuture {
    panic!("on purpose")
}

#[retry(attempts = 3, budget = BUDGET, classify = |_| Outcome::Success)]
async fn gives_a_future_or_panics() -> impl Future<Output = u8> {
    if false {
        return core::future::ready(1);
    }
    panic!("on purpose")
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn loops(limit: u8) -> Result<u8, &'static str> {
    let mut count = 0;
    loop {
        count += 1;
        if count > limit {
            return Ok(count);
        }
    }
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn never_type_fallback(flag: bool) -> Result<(), &'static str> {
    let unit = if flag {
        return Err("stop");
    };
    Ok(unit)
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn return_of_a_closure(numbers: &[u8]) -> Result<u8, &'static str> {
    let first = || {
        for number in numbers {
            if *number > 1 {
                return Some(*number);
            }
        }
        None
    };
    let found = async { first().ok_or("stop") }.await?;
    Ok(found)
}

#[test]
fn they_behave() {
    assert_eq!(run(unsized_coercion(true)).map(|shown| shown.to_string()), Ok("1".to_owned()));
    assert_eq!(run(error_only_through_conversion("7")).ok(), Some(7));
    assert_eq!(run(collect_from_the_return_type("a b")), Ok(vec!["a".into(), "b".into()]));
    assert_eq!(run(alias_of_result()).ok(), Some(1));
    assert_eq!(run(no_result_at_all(None)), None);
    run(no_return_type());
    assert_eq!(run(impl_trait_in_the_result(3)).map(|shown| shown.to_string()), Ok("3".into()));
    assert!(std::panic::catch_unwind(|| run(diverges())).is_err());
    assert_eq!(run(gives_a_future_or_diverges(2)).map(run), Ok(2));
    assert!(std::panic::catch_unwind(|| run(gives_nothing_but_a_future())).is_err());
    assert!(std::panic::catch_unwind(|| run(gives_a_future_or_panics())).is_err());
    assert_eq!(run(loops(3)), Ok(4));
    assert_eq!(run(never_type_fallback(true)), Err("stop"));
    assert_eq!(run(return_of_a_closure(&[1, 2])), Ok(2));
}
