//! A panic passes through, and leaves the budget as the last decision left it.

use std::future::Future;

use retry_runtime::{Backoff, Budget, Outcome, retry};

use crate::support::{Calls, Error, classify};

/// The message that `future` panics with.
async fn message_of(future: impl Future<Output: Send> + Send + 'static) -> String {
    let panic = match tokio::spawn(future).await {
        Ok(_) => panic!("it did not panic"),
        Err(error) => error.into_panic(),
    };
    (*panic.downcast_ref::<&str>().expect("a message")).to_owned()
}

#[tokio::test(start_paused = true)]
async fn of_the_body() {
    static BUDGET: Budget = Budget::new(10, 0.1);
    #[retry(attempts = 9, budget = BUDGET, classify = classify, schedule = Backoff::none())]
    async fn call(calls: Calls) -> Result<(), Error> {
        if calls.next() == 2 {
            panic!("the second attempt");
        }
        Err(Error::Again)
    }
    assert_eq!(message_of(call(Calls::new())).await, "the second attempt");
    assert_eq!(BUDGET.tokens(), 9.0);
}

#[tokio::test(start_paused = true)]
async fn of_the_classifier() {
    static BUDGET: Budget = Budget::new(10, 0.1);
    #[retry(attempts = 9, budget = BUDGET, classify = |_| panic!("judged"))]
    async fn call() -> Result<(), Error> {
        Err(Error::Again)
    }
    assert_eq!(message_of(call()).await, "judged");
    assert_eq!(BUDGET.tokens(), 10.0);
}

#[tokio::test(start_paused = true)]
async fn of_the_schedule() {
    static BUDGET: Budget = Budget::new(10, 0.1);
    #[retry(attempts = 9, budget = BUDGET, classify = classify, schedule = |_| panic!("asked"))]
    async fn call() -> Result<(), Error> {
        Err(Error::Again)
    }
    assert_eq!(message_of(call()).await, "asked");
    assert_eq!(BUDGET.tokens(), 9.0);
}

#[tokio::test(start_paused = true)]
async fn of_the_observer() {
    static BUDGET: Budget = Budget::new(10, 0.1);
    #[retry(attempts = 9, budget = BUDGET, classify = classify, observe = |_| panic!("told"))]
    async fn call(result: Result<(), Error>) -> Result<(), Error> {
        result.clone()
    }
    assert_eq!(message_of(call(Err(Error::Again))).await, "told");
    assert_eq!(BUDGET.tokens(), 9.0);
    assert_eq!(message_of(call(Ok(()))).await, "told");
    assert_eq!(BUDGET.tokens(), 9.1);
}

#[tokio::test(start_paused = true)]
async fn another_call_goes_on_after_one_that_panicked() {
    static BUDGET: Budget = Budget::new(10, 0.1);
    #[retry(
        attempts = 9,
        budget = BUDGET,
        classify = |result| match result {
            Ok(()) => Outcome::Success,
            Err(Error::Stop) => panic!("judged"),
            Err(_) => Outcome::Retry,
        },
        schedule = Backoff::none(),
    )]
    async fn call(calls: Calls, error: Error) -> Result<(), Error> {
        if calls.next() < 3 { Err(error.clone()) } else { Ok(()) }
    }
    assert_eq!(message_of(call(Calls::new(), Error::Stop)).await, "judged");
    assert_eq!(call(Calls::new(), Error::Again).await, Ok(()));
    assert_eq!(BUDGET.tokens(), 8.1);
}

#[track_caller]
fn place() -> (&'static str, u32) {
    let caller = std::panic::Location::caller();
    (caller.file(), caller.line())
}

#[tokio::test(start_paused = true)]
async fn a_place_in_the_body_is_the_users_line() {
    #[retry(attempts = 2, budget = none, classify = classify, schedule = Backoff::none())]
    async fn call(text: &str) -> Result<((&'static str, u32), u32), Error> {
        let expected = line!() + 1;
        let found = place();
        if text.is_empty() { Err(Error::Again) } else { Ok((found, expected)) }
    }
    let ((file, found), expected) = call("text").await.unwrap();
    assert_eq!((file, found), (file!(), expected));
}

#[tokio::test(start_paused = true)]
async fn an_attempt_is_at_most_one_frame_of_a_backtrace() {
    fn frames(of: &str) -> usize {
        let trace = std::backtrace::Backtrace::force_capture().to_string();
        trace.lines().filter(|line| line.contains(of)).count()
    }
    async fn plain() -> Result<usize, Error> {
        Ok(frames("one_frame_of_a_backtrace::{{closure}}::plain"))
    }
    #[retry(attempts = 2, budget = none, classify = classify, schedule = Backoff::none())]
    async fn retried() -> Result<usize, Error> {
        Ok(frames("one_frame_of_a_backtrace::{{closure}}::retried"))
    }
    let (plain, retried) = (plain().await.unwrap(), retried().await.unwrap());
    assert!(plain > 0, "a backtrace has names");
    assert!(retried <= plain + 1, "{plain} frames became {retried}");
}
