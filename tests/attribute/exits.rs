//! Every way out of the body ends an attempt, never the call.

use retry_runtime::{Backoff, retry};

use crate::support::{Calls, Error, classify};

macro_rules! bail {
    ($error:expr) => {
        return Err($error)
    };
}

#[tokio::test(start_paused = true)]
async fn the_tail_ends_an_attempt() {
    #[retry(attempts = 3, budget = none, classify = classify)]
    async fn call(calls: &Calls) -> Result<u32, Error> {
        let number = calls.next();
        if number < 3 { Err(Error::Again) } else { Ok(number) }
    }
    assert_eq!(call(&Calls::new()).await, Ok(3));
}

#[tokio::test(start_paused = true)]
async fn a_return_ends_an_attempt() {
    #[retry(attempts = 3, budget = none, classify = classify)]
    async fn call(calls: &Calls) -> Result<u32, Error> {
        let number = calls.next();
        if number < 3 {
            return Err(Error::Again);
        }
        Ok(number)
    }
    assert_eq!(call(&Calls::new()).await, Ok(3));
}

#[tokio::test(start_paused = true)]
async fn a_return_of_success_ends_the_call_with_its_value() {
    #[retry(attempts = 3, budget = none, classify = classify)]
    async fn call(calls: &Calls) -> Result<u32, Error> {
        if calls.count() < 9 {
            return Ok(calls.next());
        }
        Err(Error::Again)
    }
    let calls = Calls::new();
    assert_eq!(call(&calls).await, Ok(1));
    assert_eq!(calls.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_question_mark_ends_an_attempt_and_converts_the_error() {
    struct Low;
    impl From<Low> for Error {
        fn from(Low: Low) -> Error {
            Error::Again
        }
    }
    #[retry(attempts = 3, budget = none, classify = classify)]
    async fn call(calls: &Calls) -> Result<u32, Error> {
        let number = calls.next();
        let low: Result<u32, Low> = if number < 3 { Err(Low) } else { Ok(number) };
        Ok(low? * 10)
    }
    assert_eq!(call(&Calls::new()).await, Ok(30));
}

#[tokio::test(start_paused = true)]
async fn a_question_mark_on_an_option_ends_an_attempt() {
    use retry_runtime::Outcome;
    #[retry(attempts = 3, budget = none, classify = |found| match found {
        Some(_) => Outcome::Success,
        None => Outcome::Retry,
    })]
    async fn call(calls: &Calls) -> Option<u32> {
        let number = calls.next();
        let found = (number == 3).then_some(number)?;
        Some(found + 1)
    }
    assert_eq!(call(&Calls::new()).await, Some(4));
}

#[tokio::test(start_paused = true)]
async fn a_macro_that_returns_ends_an_attempt() {
    #[retry(attempts = 3, budget = none, classify = classify)]
    async fn call(calls: &Calls) -> Result<u32, Error> {
        let number = calls.next();
        if number < 3 {
            bail!(Error::Again);
        }
        Ok(number)
    }
    assert_eq!(call(&Calls::new()).await, Ok(3));
}

#[tokio::test(start_paused = true)]
async fn a_return_in_a_closure_or_an_async_block_is_its_own() {
    #[retry(attempts = 3, budget = none, classify = classify)]
    async fn call(calls: &Calls) -> Result<u32, Error> {
        let number = calls.next();
        let doubled = |x: u32| {
            if x > 0 {
                return x * 2;
            }
            0
        };
        let parsed: Result<u32, std::num::ParseIntError> = async {
            let parsed = "5".parse::<u32>()?;
            if parsed == 5 {
                return Ok(50);
            }
            Ok(parsed)
        }
        .await;
        if number < 2 {
            return Err(Error::Again);
        }
        Ok(doubled(number) + parsed.unwrap())
    }
    let calls = Calls::new();
    assert_eq!(call(&calls).await, Ok(54));
    assert_eq!(calls.count(), 2);
}

#[tokio::test(start_paused = true)]
async fn breaks_and_labels_of_the_body_stay_in_the_body() {
    #[retry(attempts = 4, budget = none, classify = classify, schedule = Backoff::none())]
    async fn call(calls: &Calls) -> Result<u32, Error> {
        let mut turns = 0;
        'outer: loop {
            for _ in 0..2 {
                turns += 1;
                if turns == 1 {
                    continue 'outer;
                }
                if turns == 4 {
                    break 'outer;
                }
            }
        }
        if calls.next() < 3 { Err(Error::Again) } else { Ok(turns) }
    }
    let calls = Calls::new();
    assert_eq!(call(&calls).await, Ok(4));
    assert_eq!(calls.count(), 3);
}

#[tokio::test(start_paused = true)]
async fn the_last_result_of_exhausted_attempts_is_returned_untouched() {
    #[retry(attempts = 3, budget = none, classify = classify)]
    async fn call(calls: &Calls) -> Result<(), Error> {
        Err(Error::Numbered(calls.next()))
    }
    assert_eq!(call(&Calls::new()).await, Err(Error::Numbered(3)));
}

#[tokio::test(start_paused = true)]
async fn what_an_attempt_made_is_dropped_before_the_wait() {
    use std::sync::Arc;
    #[derive(Debug)]
    struct Held(#[allow(dead_code)] Arc<()>);

    #[retry(
        attempts = 2,
        budget = none,
        classify_err = |_| retry_runtime::Outcome::Retry,
        // Asked between the attempts: the result is still there, the body's locals are not.
        schedule = |_| {
            assert_eq!(Arc::strong_count(held), 2);
            std::time::Duration::ZERO
        }
    )]
    async fn call(held: &Arc<()>) -> Result<(), Held> {
        // The result of the attempt before this one is gone.
        assert_eq!(Arc::strong_count(held), 1);
        let _local = Held(Arc::clone(held));
        tokio::task::yield_now().await;
        Err(Held(Arc::clone(held)))
    }
    let held = Arc::new(());
    let result = call(&held).await;
    assert_eq!(Arc::strong_count(&held), 2);
    drop(result);
    assert_eq!(Arc::strong_count(&held), 1);
}
