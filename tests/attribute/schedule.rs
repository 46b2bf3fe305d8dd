//! Wait times of a call: the schedule, the server's delays, and units.

use std::time::Duration;

use retry_runtime::{Backoff, Jitter, Outcome, Schedule, retry};

use crate::support::{Calls, Error, classify, ms};

#[tokio::test(start_paused = true)]
async fn a_backoff_value_with_a_unit_inside_sets_every_wait() {
    #[retry(attempts = 4, budget = none, classify = classify, schedule = Backoff::constant(200ms))]
    async fn call(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    let calls = Calls::new();
    call(&calls).await.unwrap_err();
    assert_eq!(calls.at(), [0, 200, 400, 600]);
    assert_eq!(calls.now(), 600, "there is no wait after the last attempt");
}

#[tokio::test(start_paused = true)]
async fn units_are_read_at_any_depth_of_a_value() {
    #[retry(
        attempts = 4,
        budget = none,
        classify = classify,
        schedule = Backoff::exponential(1s, (1m + 30s).min(1h)).jitter(Jitter::None),
        within = [2h][0],
    )]
    async fn call(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    let calls = Calls::new();
    call(&calls).await.unwrap_err();
    assert_eq!(calls.at(), [0, 1000, 3000, 7000]);
}

#[tokio::test(start_paused = true)]
async fn a_closure_needs_no_type_and_is_given_the_attempt_that_failed() {
    #[retry(
        attempts = 4,
        budget = none,
        classify = classify,
        schedule = |failed| ms(10) * failed.pow(2)
    )]
    async fn call(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    let calls = Calls::new();
    call(&calls).await.unwrap_err();
    assert_eq!(calls.at(), [0, 10, 50, 140]);
}

#[tokio::test(start_paused = true)]
async fn a_function_an_own_schedule_and_an_argument_can_be_the_schedule() {
    fn by_function(failed: u32) -> Duration {
        ms(5) * failed
    }
    struct Own;
    impl Schedule for Own {
        fn delay(&self, _: u32) -> Duration {
            ms(1)
        }
        fn delay_at_least(&self, _: u32, floor: Duration) -> Duration {
            floor + ms(1)
        }
    }
    #[retry(attempts = 3, budget = none, classify = classify, schedule = by_function)]
    async fn function(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    #[retry(attempts = 2, budget = none, classify = classify, schedule = Own)]
    async fn own(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::After(ms(100)))
    }
    #[retry(attempts = 2, budget = none, classify = classify, schedule = *schedule)]
    async fn argument(calls: &Calls, schedule: &(dyn Schedule + Sync)) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    let calls = Calls::new();
    function(&calls).await.unwrap_err();
    assert_eq!(calls.at(), [0, 5, 15]);
    let calls = Calls::new();
    own(&calls).await.unwrap_err();
    assert_eq!(calls.at(), [0, 101]);
    let calls = Calls::new();
    argument(&calls, &Backoff::constant(ms(7))).await.unwrap_err();
    assert_eq!(calls.at(), [0, 7]);
}

#[tokio::test(start_paused = true)]
async fn a_schedule_sees_the_arguments_of_the_call() {
    #[retry(
        attempts = 3,
        budget = none,
        classify = classify,
        schedule = |failed| step * failed
    )]
    async fn call(calls: &Calls, step: Duration) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    let calls = Calls::new();
    call(&calls, ms(20)).await.unwrap_err();
    assert_eq!(calls.at(), [0, 20, 60]);
}

#[tokio::test(start_paused = true)]
async fn a_delay_of_the_server_is_a_floor_and_adds_no_attempt() {
    #[retry(attempts = 4, budget = none, classify = classify, schedule = Backoff::constant(100ms))]
    async fn call(calls: &Calls, delays: &[Duration]) -> Result<(), Error> {
        let number = calls.next() as usize;
        Err(Error::After(delays[number - 1]))
    }
    let calls = Calls::new();
    // Longer than the schedule's, shorter, none, and one that nothing waits for.
    let delays = [ms(700), ms(30), ms(0), ms(9000)];
    call(&calls, &delays).await.unwrap_err();
    assert_eq!(calls.at(), [0, 700, 800, 900]);
    assert_eq!(calls.now(), 900);
}

#[tokio::test(start_paused = true)]
async fn retry_in_replaces_the_schedule() {
    #[retry(
        attempts = 4,
        budget = none,
        classify = classify,
        schedule = |_| panic!("it is not asked")
    )]
    async fn call(calls: &Calls, delays: &[Duration]) -> Result<(), Error> {
        let number = calls.next() as usize;
        Err(Error::In(delays[number - 1]))
    }
    let calls = Calls::new();
    call(&calls, &[ms(3), ms(4000), ms(0), ms(50)]).await.unwrap_err();
    assert_eq!(calls.at(), [0, 3, 4003, 4003]);
}

#[tokio::test(start_paused = true)]
async fn the_schedule_is_asked_only_after_a_retry() {
    #[retry(attempts = 3, budget = none, classify = classify, schedule = |_| panic!("asked"))]
    async fn call(result: Result<(), Error>) -> Result<(), Error> {
        result.clone()
    }
    assert_eq!(call(Ok(())).await, Ok(()));
    assert_eq!(call(Err(Error::Stop)).await, Err(Error::Stop));
    assert_eq!(call(Err(Error::Fail)).await, Err(Error::Fail));
}

#[tokio::test(start_paused = true)]
async fn without_a_schedule_the_default_backoff_spreads_the_waits() {
    #[retry(attempts = 12, budget = none, classify = classify)]
    async fn call(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    let calls = Calls::new();
    call(&calls).await.unwrap_err();
    let at = calls.at();
    for (failed, pair) in (1..).zip(at.windows(2)) {
        let most = Backoff::DEFAULT.curve(failed).as_millis();
        assert!(pair[1] - pair[0] <= most, "after {failed}: {pair:?}, at most {most}");
    }
    assert!(calls.now() > 0, "eleven draws are not all zero");
}

#[tokio::test(start_paused = true)]
async fn a_zero_wait_lets_others_run_and_takes_no_time() {
    #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none())]
    async fn call(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    let calls = Calls::new();
    let other = async {
        for done in 1..=3 {
            assert_eq!(calls.count(), done, "one attempt for each turn of this task");
            tokio::task::yield_now().await;
        }
    };
    let (result, ()) = tokio::join!(biased; call(&calls), other);
    result.unwrap_err();
    assert_eq!(calls.now(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_curve_starts_over_after_an_exact_delay() {
    #[retry(attempts = 9, budget = none, classify = classify, schedule = Backoff::linear(1s, 9s))]
    async fn call(calls: &Calls, errors: &[Error]) -> Result<(), Error> {
        Err(errors[calls.next() as usize - 1].clone())
    }
    let calls = Calls::new();
    let exactly = Error::In(ms(7));
    let errors = [
        Error::Again,
        Error::Again,
        Error::After(ms(1)),
        exactly.clone(),
        Error::Again,
        Error::Again,
        exactly,
        Error::After(ms(1)),
        Error::Stop,
    ];
    call(&calls, &errors).await.unwrap_err();
    // Waits: 1 s, 2 s, 3 s, exactly 7 ms, 1 s, 2 s, exactly 7 ms, 1 s.
    assert_eq!(calls.at(), [0, 1000, 3000, 6000, 6007, 7007, 9007, 9014, 10_014]);
}

#[tokio::test(start_paused = true)]
async fn an_exact_wait_of_a_repeat_leaves_the_curve_where_it_is() {
    #[retry(
        attempts = 6,
        budget = none,
        classify_err = |outcome| *outcome,
        schedule = |step| ms(1000) * step,
    )]
    async fn call(calls: &Calls, outcomes: &[Outcome]) -> Result<(), Outcome> {
        Err(outcomes[calls.next() as usize - 1])
    }
    let calls = Calls::new();
    let exactly = Outcome::RepeatIn(ms(7));
    let outcomes = [
        Outcome::Retry,
        Outcome::Repeat,
        exactly,
        Outcome::RepeatAfter(ms(1)),
        exactly,
        Outcome::Stop,
    ];
    let _ = call(&calls, &outcomes).await.unwrap_err();
    assert_eq!(calls.at(), [0, 1000, 3000, 3007, 6007, 6014]);
}
