//! `observe` and `name`.

use std::sync::Mutex;
use std::time::Duration;

use retry_runtime::{Backoff, Budget, Decision, Event, EventKind, Outcome, retry};
use tokio::time::sleep;

use crate::support::{Calls, Error, Seen, classify, ms};

#[tokio::test(start_paused = true)]
async fn every_attempt_is_told_with_what_followed_from_it() {
    static BUDGET: Budget = Budget::new(10, 0.1);
    type Line = (EventKind, u32, Outcome, Decision, Duration, Option<f64>);
    fn line(event: &Event<'_>) -> Line {
        let tokens = event.budget.map(Budget::tokens);
        (event.kind, event.attempt, event.outcome, event.decision, event.elapsed, tokens)
    }
    #[retry(
        attempts = 4,
        budget = BUDGET,
        classify = classify,
        schedule = Backoff::constant(50ms),
        observe = |event| lines.lock().unwrap().push(line(event)),
    )]
    async fn call(calls: &Calls, lines: &Mutex<Vec<Line>>) -> Result<(), Error> {
        sleep(ms(10)).await;
        match calls.next() {
            1 => Err(Error::Again),
            2 => Err(Error::After(ms(200))),
            _ => Ok(()),
        }
    }
    let lines = Mutex::default();
    call(&Calls::new(), &lines).await.unwrap();
    let again = |delay| Decision::Again { delay: ms(delay) };
    assert_eq!(
        lines.into_inner().unwrap(),
        [
            (EventKind::Attempt, 1, Outcome::Retry, again(50), ms(10), Some(9.0)),
            (EventKind::Attempt, 2, Outcome::RetryAfter(ms(200)), again(200), ms(70), Some(8.0)),
            (EventKind::Attempt, 3, Outcome::Success, Decision::Succeeded, ms(280), Some(8.1)),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_success_at_the_first_try_is_told() {
    #[retry(attempts = 4, budget = none, classify = classify, observe = |event| {
        assert!(event.budget.is_none());
        seen.push(event);
    })]
    async fn call(seen: &Seen) -> Result<(), Error> {
        Ok(())
    }
    let seen = Seen::default();
    call(&seen).await.unwrap();
    assert_eq!(seen.all(), [(1, Decision::Succeeded)]);
}

#[tokio::test(start_paused = true)]
async fn the_observer_may_change_what_it_captures_and_may_be_a_function() {
    fn ignore(_: &Event<'_>) {}
    #[retry(attempts = 4, budget = none, classify = classify, observe = |_| *told += 1, schedule = Backoff::none())]
    async fn counting(told: &mut u32) -> Result<(), Error> {
        Err(Error::Again)
    }
    #[retry(attempts = 1, budget = none, classify = classify, observe = ignore)]
    async fn by_name() -> Result<u32, Error> {
        Ok(5)
    }
    let mut told = 0;
    counting(&mut told).await.unwrap_err();
    assert_eq!(told, 4);
    assert_eq!(by_name().await, Ok(5));
}

type Names = Mutex<Vec<String>>;

#[retry(attempts = 1, budget = none, classify = classify, observe = |event| names.lock().unwrap().push(event.name.into()))]
async fn free(names: &Names) -> Result<(), Error> {
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn the_name_is_the_module_path_and_the_function_unless_one_is_given() {
    struct Payments;
    impl Payments {
        #[retry(attempts = 1, budget = none, classify = classify, observe = |event| names.lock().unwrap().push(event.name.into()))]
        async fn r#move(&self, names: &Names) -> Result<(), Error> {
            Ok(())
        }
        #[retry(
            attempts = 1,
            budget = none,
            classify = classify,
            name = "payments.charge",
            observe = |event| names.lock().unwrap().push(event.name.into()),
        )]
        async fn charge(&self, names: &Names) -> Result<(), Error> {
            Ok(())
        }
    }
    let names = Names::default();
    free(&names).await.unwrap();
    Payments.r#move(&names).await.unwrap();
    Payments.charge(&names).await.unwrap();
    assert_eq!(
        names.into_inner().unwrap(),
        [concat!(module_path!(), "::free"), concat!(module_path!(), "::move"), "payments.charge"]
    );
}
