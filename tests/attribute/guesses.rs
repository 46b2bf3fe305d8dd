//! Guesses from the look of tokens: the attribute must not take the user's for
//! what it is not, nor miss what they use.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;

use retry_runtime::{Backoff, Outcome, retry};

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

#[derive(Debug, PartialEq)]
enum Error {
    Again(Vec<u32>),
}

fn classify<T>(result: &Result<T, Error>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

/// Begins like what `#[async_trait]` writes for a function without a result.
#[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none())]
fn begins_with_a_typed_let(seen: &mut Vec<u32>) -> BoxFuture<'_, Result<usize, Error>> {
    Box::pin(async move {
        let _: Result<u8, u8> = { Ok(1) };
        seen.push(1);
        if seen.len() < 3 { Err(Error::Again(vec![])) } else { Ok(seen.len()) }
    })
}

/// The same, with the unit type and with something after it.
#[expect(clippy::manual_async_fn)]
#[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none())]
fn begins_with_a_unit_let(seen: &Cell<usize>) -> impl Future<Output = Result<usize, Error>> {
    async move {
        let _: () = {
            seen.set(seen.get() + 1);
        };
        if seen.get() < 3 { Err(Error::Again(vec![])) } else { Ok(seen.get()) }
    }
}

/// Begins like what `#[async_trait]` writes for a function with a result.
#[expect(clippy::manual_async_fn)]
#[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none())]
fn begins_with_ret(seen: &Cell<usize>) -> impl Future<Output = Result<usize, Error>> {
    async move {
        let __ret: Result<usize, Error> = { Ok(0) };
        seen.set(seen.get() + 1);
        if seen.get() < 3 { Err(Error::Again(vec![])) } else { __ret.map(|_| seen.get()) }
    }
}

/// Begins like what `#[instrument(err)]` writes: a `move` that the body means.
#[expect(clippy::match_single_binding)]
#[retry(attempts = 2, budget = none, classify = classify, schedule = Backoff::none())]
async fn a_block_that_moves(number: u32) -> Result<u32, Error> {
    let __tracing_instrument_future = async move {
        let mut number = number;
        match async move {
            number += 1;
            number
        }
        .await
        {
            changed => (changed, number),
        }
    };
    let (changed, kept) = __tracing_instrument_future.await;
    Ok(changed * 10 + kept)
}

#[tokio::test(start_paused = true)]
async fn a_body_that_only_begins_like_another_macros_output_runs_whole() {
    assert_eq!(begins_with_a_typed_let(&mut Vec::new()).await, Ok(3));
    assert_eq!(begins_with_a_unit_let(&Cell::new(0)).await, Ok(3));
    assert_eq!(begins_with_ret(&Cell::new(0)).await, Ok(3));
    assert_eq!(a_block_that_moves(1).await, Ok(21));
}

/// A macro whose tokens name what it uses as a key, a field, or in a string.
macro_rules! with {
    ($name:ident: push $value:expr) => {
        $name.push($value)
    };
    (.$name:ident) => {
        $name.clone()
    };
    ($name:ident :: take) => {
        std::mem::take($name)
    };
}

#[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none(), clone(list))]
async fn named_only_in_a_macro(mut list: Vec<u32>) -> Result<Vec<u32>, Error> {
    with!(list: push 1);
    Err(Error::Again(with!(.list)))
}

#[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none(), clone(list))]
async fn consumed_only_in_a_macro(list: Vec<u32>) -> Result<Vec<u32>, Error> {
    macro_rules! consume {
        ($name:ident: whole) => {
            $name
        };
    }
    Err(Error::Again(consume!(list: whole)))
}

#[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none())]
async fn reborrowed_only_in_a_macro(list: &mut Vec<u32>) -> Result<Vec<u32>, Error> {
    with!(list: push 1);
    if list.len() < 3 { Err(Error::Again(vec![])) } else { Ok(with!(list::take)) }
}

#[tokio::test(start_paused = true)]
async fn a_parameter_that_only_the_tokens_of_a_macro_name_is_used() {
    assert_eq!(named_only_in_a_macro(vec![]).await, Err(Error::Again(vec![1])));
    assert_eq!(consumed_only_in_a_macro(vec![7]).await, Err(Error::Again(vec![7])));
    assert_eq!(reborrowed_only_in_a_macro(&mut vec![]).await, Ok(vec![1, 1, 1]));
}

struct Json<T>(T);

enum Either {
    Left(String),
    Right(String),
}

#[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none(), clone(body, b, s))]
async fn nested_patterns(
    Json((a, mut b)): Json<(u8, Vec<u32>)>,
    Json((body, _)): Json<(String, u8)>,
    (Either::Left(s) | Either::Right(s)): Either,
) -> Result<(u8, String), Error> {
    b.push(u32::from(a));
    drop((body, s));
    Err(Error::Again(b))
}

#[tokio::test(start_paused = true)]
async fn a_binding_of_a_nested_pattern_is_cloned() {
    for side in [Either::Left(String::new()), Either::Right(String::new())] {
        let found = nested_patterns(Json((1, vec![0])), Json((String::new(), 1)), side).await;
        assert_eq!(found, Err(Error::Again(vec![0, 1])));
    }
}
