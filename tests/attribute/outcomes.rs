//! Outcomes and the decisions that follow, for every return type.

use std::process::ExitStatus;

use retry_runtime::{Backoff, Budget, Decision, Outcome, retry};

use crate::support::{Calls, Error, Seen, classify, outcome};

#[tokio::test(start_paused = true)]
async fn fail_takes_a_token_and_ends_the_call() {
    static BUDGET: Budget = Budget::new(10, 0.1);
    #[retry(attempts = 9, budget = BUDGET, classify = classify, observe = |event| seen.push(event))]
    async fn call(seen: &Seen) -> Result<(), Error> {
        Err(Error::Fail)
    }
    let seen = Seen::default();
    assert_eq!(call(&seen).await, Err(Error::Fail));
    assert_eq!(seen.all(), [(1, Decision::Failed)]);
    assert_eq!(BUDGET.tokens(), 9.0);
}

#[tokio::test(start_paused = true)]
async fn stop_ends_the_call_and_says_nothing_to_the_budget() {
    static BUDGET: Budget = Budget::new(10, 0.1);
    #[retry(attempts = 9, budget = BUDGET, classify = classify, observe = |event| seen.push(event))]
    async fn call(seen: &Seen) -> Result<(), Error> {
        Err(Error::Stop)
    }
    let seen = Seen::default();
    assert_eq!(call(&seen).await, Err(Error::Stop));
    assert_eq!(seen.all(), [(1, Decision::Stopped)]);
    assert_eq!(BUDGET.tokens(), 10.0);
}

#[tokio::test(start_paused = true)]
async fn a_success_value_that_means_retry_is_retried_and_returned_at_the_end() {
    #[derive(Debug, PartialEq)]
    enum Job {
        Pending(u32),
        Done,
    }
    static BUDGET: Budget = Budget::new(10, 0.1);
    #[retry(
        attempts = 3,
        budget = BUDGET,
        classify = |job| match job {
            Ok(Job::Pending(_)) => Outcome::Retry,
            Ok(Job::Done) => Outcome::Success,
            Err(_) => Outcome::Stop,
        },
        schedule = Backoff::none(),
    )]
    async fn poll(calls: &Calls, done_at: u32) -> Result<Job, Error> {
        let number = calls.next();
        if number == done_at { Ok(Job::Done) } else { Ok(Job::Pending(number)) }
    }
    assert_eq!(poll(&Calls::new(), 9).await, Ok(Job::Pending(3)));
    assert_eq!(BUDGET.tokens(), 7.0);
    assert_eq!(poll(&Calls::new(), 2).await, Ok(Job::Done));
    assert_eq!(BUDGET.tokens(), 6.1);
}

#[tokio::test(start_paused = true)]
async fn an_error_that_means_success_ends_the_call() {
    #[retry(attempts = 3, budget = none, classify = |_| Outcome::Success)]
    async fn already_there(calls: &Calls) -> Result<(), Error> {
        Err(Error::Numbered(calls.next()))
    }
    assert_eq!(already_there(&Calls::new()).await, Err(Error::Numbered(1)));
}

#[tokio::test(start_paused = true)]
async fn an_exit_status_is_judged_as_any_other_value() {
    #[cfg(unix)]
    fn exited(code: i32) -> ExitStatus {
        std::os::unix::process::ExitStatusExt::from_raw(code << 8)
    }
    #[cfg(windows)]
    fn exited(code: u32) -> ExitStatus {
        std::os::windows::process::ExitStatusExt::from_raw(code)
    }
    #[retry(
        attempts = 5,
        budget = none,
        classify = |status| match status.code() {
            Some(0) => Outcome::Success,
            Some(78) => Outcome::Stop,
            _ => Outcome::Retry,
        },
        schedule = Backoff::none(),
    )]
    async fn run(calls: &Calls, last: ExitStatus) -> ExitStatus {
        if calls.next() < 3 { exited(1) } else { last }
    }
    for (last, attempts) in [(exited(0), 3), (exited(78), 3), (exited(2), 5)] {
        let calls = Calls::new();
        assert_eq!(run(&calls, last).await, last);
        assert_eq!(calls.count(), attempts, "{last}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_function_that_returns_nothing_can_be_retried() {
    #[retry(
        attempts = 5,
        budget = none,
        classify = |()| if calls.count() < 3 { Outcome::Retry } else { Outcome::Success },
        schedule = Backoff::none(),
    )]
    async fn tick(calls: &Calls) {
        calls.next();
    }
    let calls = Calls::new();
    tick(&calls).await;
    assert_eq!(calls.count(), 3);
}

#[tokio::test(start_paused = true)]
async fn classify_err_is_given_the_error_alone_and_ok_is_success() {
    static BUDGET: Budget = Budget::new(10, 0.1);
    #[retry(attempts = 5, budget = BUDGET, classify_err = outcome, schedule = Backoff::none())]
    async fn by_name(calls: &Calls, last: Result<u32, Error>) -> Result<u32, Error> {
        if calls.next() < 3 { Err(Error::Again) } else { last.clone() }
    }
    #[retry(
        attempts = 5,
        budget = BUDGET,
        classify_err = |error| if matches!(error, Error::Again) { Outcome::Retry } else { Outcome::Stop },
        schedule = Backoff::none(),
    )]
    async fn by_closure(calls: &Calls, last: Result<u32, Error>) -> Result<u32, Error> {
        if calls.next() < 3 { Err(Error::Again) } else { last.clone() }
    }
    assert_eq!(by_name(&Calls::new(), Ok(7)).await, Ok(7));
    assert_eq!(BUDGET.tokens(), 8.1);
    assert_eq!(by_closure(&Calls::new(), Err(Error::Stop)).await, Err(Error::Stop));
    assert_eq!(BUDGET.tokens(), 6.1);
}

#[tokio::test(start_paused = true)]
async fn a_classifier_sees_the_receiver_and_the_arguments() {
    struct Rules {
        repeatable: &'static str,
    }
    impl Rules {
        fn classify(&self, method: &str, result: &Result<u32, Error>) -> Outcome {
            match result {
                Ok(_) => Outcome::Success,
                Err(_) if method == self.repeatable => Outcome::Retry,
                Err(_) => Outcome::Fail,
            }
        }
    }
    struct Request {
        method: String,
    }
    impl Request {
        fn method(&self) -> &str {
            &self.method
        }
    }
    struct Client {
        rules: Rules,
        calls: Calls,
    }
    impl Client {
        #[retry(
            attempts = 3,
            budget = none,
            classify = |r| self.rules.classify(request.method(), r),
            schedule = Backoff::none(),
        )]
        async fn send(&self, request: Request) -> Result<u32, Error> {
            Err(Error::Numbered(self.calls.next()))
        }
    }
    let client = Client { rules: Rules { repeatable: "GET" }, calls: Calls::new() };
    let request = |method: &str| Request { method: method.to_owned() };
    assert_eq!(client.send(request("GET")).await, Err(Error::Numbered(3)));
    assert_eq!(client.send(request("POST")).await, Err(Error::Numbered(4)));
}

#[tokio::test(start_paused = true)]
async fn a_classifier_may_count_for_itself() {
    #[retry(
        attempts = 9,
        budget = none,
        classify = |_| {
            *judged += 1;
            if *judged < 4 { Outcome::Retry } else { Outcome::Stop }
        },
        schedule = Backoff::none(),
    )]
    async fn call(judged: &mut u32) -> Result<(), Error> {
        Err(Error::Again)
    }
    let mut judged = 0;
    call(&mut judged).await.unwrap_err();
    assert_eq!(judged, 4);
}

#[tokio::test(start_paused = true)]
async fn a_result_that_borrows_an_argument_is_returned() {
    #[retry(
        attempts = 3,
        budget = none,
        classify = |found| if found.is_some() { Outcome::Success } else { Outcome::Retry },
        schedule = Backoff::none(),
    )]
    async fn find<'a>(names: &'a [String], calls: &Calls) -> Option<&'a str> {
        let number = calls.next() as usize;
        names.get(number).map(String::as_str)
    }
    let names = ["zero".to_owned(), "one".to_owned()];
    assert_eq!(find(&names, &Calls::new()).await, Some("one"));
    assert_eq!(find(&names[..1], &Calls::new()).await, None);
}
