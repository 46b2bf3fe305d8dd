//! Classifiers: any function of a reference, a closure whose parameter has
//! no type, and a value that implements `Classify`.

use core::time::Duration;
use std::sync::Arc;

use retry_runtime::{Classify, Outcome, retry};

use super::{BUDGET, judge, run};

type Judge = dyn Fn(&Result<u32, &'static str>) -> Outcome + Send + Sync;

struct Client {
    pointer: fn(&Result<u32, &'static str>) -> Outcome,
    boxed: Box<Judge>,
    is_strict: bool,
}

struct Rules;

impl<T> Classify<Result<T, &'static str>> for Rules {
    fn classify(&self, result: &Result<T, &'static str>) -> Outcome {
        judge(result)
    }
}

fn stop<R: ?Sized>(_: &R) -> Outcome {
    Outcome::Stop
}

impl Client {
    #[retry(attempts = 2, budget = BUDGET, classify = self.pointer)]
    async fn by_pointer(&self, cents: u32) -> Result<u32, &'static str> {
        Ok(cents)
    }

    #[retry(attempts = 2, budget = BUDGET, classify = &self.boxed)]
    async fn by_boxed_function(&self, cents: u32) -> Result<u32, &'static str> {
        Ok(cents)
    }

    #[retry(attempts = 2, budget = BUDGET, classify = if self.is_strict { stop } else { judge })]
    async fn by_one_of_two(&self, cents: u32) -> Result<u32, &'static str> {
        Ok(cents)
    }
}

#[retry(attempts = 2, budget = BUDGET, classify = Rules)]
async fn by_value(cents: u32) -> Result<u32, &'static str> {
    Ok(cents)
}

#[retry(attempts = 2, budget = BUDGET, classify = rules)]
async fn by_value_of_unknown_type<C>(cents: u32, rules: C) -> Result<u32, &'static str>
where
    C: Classify<Result<u32, &'static str>>,
{
    Ok(cents)
}

#[retry(attempts = 2, budget = BUDGET, classify = &**rules)]
async fn by_object(
    cents: u32,
    rules: &Arc<dyn Classify<Result<u32, &'static str>>>,
) -> Result<u32, &'static str> {
    Ok(cents)
}

#[retry(attempts = 2, budget = BUDGET, classify = |result| Rules.classify(result))]
async fn by_closure_around_a_value(cents: u32) -> Result<u32, &'static str> {
    Ok(cents)
}

#[retry(attempts = 2, budget = BUDGET, classify = |result| match result {
    Ok(found) if found.trim().is_empty() => Outcome::RetryIn(Duration::ZERO),
    Ok(_) => Outcome::Success,
    Err(error) if error.contains("busy") => Outcome::Retry,
    Err(_) => Outcome::Stop,
})]
async fn by_closure<'t>(text: &'t str) -> Result<&'t str, &'static str> {
    Ok(text)
}

#[retry(attempts = 2, budget = BUDGET, classify_err = |error| if error.is_empty() { Outcome::Stop } else { Outcome::Fail })]
async fn by_closure_of_the_error(text: &str) -> Result<u32, &str> {
    Err(text)
}

#[retry(attempts = 2, budget = BUDGET, classify_err = stop, clone(error))]
async fn by_generic_function_of_the_error<E: Clone>(error: E) -> Result<u32, E> {
    Err(error)
}

#[test]
fn they_behave() {
    let client = Client { pointer: judge, boxed: Box::new(judge), is_strict: true };
    assert_eq!(run(client.by_pointer(1)), Ok(1));
    assert_eq!(run(client.by_boxed_function(2)), Ok(2));
    assert_eq!(run(client.by_one_of_two(3)), Ok(3));
    assert_eq!(run(by_value(4)), Ok(4));
    assert_eq!(run(by_value_of_unknown_type(4, Rules)), Ok(4));
    assert_eq!(run(by_object(4, &(Arc::new(Rules) as _))), Ok(4));
    assert_eq!(run(by_closure_around_a_value(4)), Ok(4));
    assert_eq!(run(by_closure("five")), Ok("five"));
    assert_eq!(run(by_closure_of_the_error("six")), Err("six"));
    assert_eq!(run(by_generic_function_of_the_error(7)), Err(7));
}
