//! `within` and `deadline`.

use std::time::Duration;

use retry_runtime::{Backoff, Budget, Decision, Policy, retry};
use tokio::time::{Instant, sleep};

use crate::support::{Calls, Error, Seen, classify, ms};

#[tokio::test(start_paused = true)]
async fn no_attempt_starts_after_within_and_the_last_result_is_kept() {
    #[retry(
        attempts = 50,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(300ms),
        within = 1s,
        observe = |event| seen.push(event)
    )]
    async fn call(calls: &Calls, seen: &Seen) -> Result<(), Error> {
        Err(Error::Numbered(calls.next()))
    }
    let (calls, seen) = (Calls::new(), Seen::default());
    assert_eq!(call(&calls, &seen).await, Err(Error::Numbered(4)));
    assert_eq!(calls.at(), [0, 300, 600, 900]);
    assert_eq!(calls.now(), 900, "the wait that would pass the limit is not begun");
    assert_eq!(seen.last(), Some(Decision::Expired));
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_would_end_at_the_limit_is_refused() {
    #[retry(attempts = 9, budget = none, classify = classify, schedule = Backoff::constant(500ms), within = 1s)]
    async fn call(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    let calls = Calls::new();
    call(&calls).await.unwrap_err();
    assert_eq!(calls.at(), [0, 500]);
}

#[tokio::test(start_paused = true)]
async fn a_running_attempt_is_never_cut() {
    #[retry(attempts = 9, budget = none, classify = classify, schedule = Backoff::none(), within = 1s)]
    async fn call(calls: &Calls) -> Result<&'static str, Error> {
        calls.next();
        sleep(Duration::from_secs(60)).await;
        Ok("late, but here")
    }
    let calls = Calls::new();
    assert_eq!(call(&calls).await, Ok("late, but here"));
    assert_eq!(calls.now(), 60_000);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_outlives_the_limit_is_the_last_and_costs_no_token() {
    static BUDGET: Budget = Budget::new(10, 0.1);
    #[retry(
        attempts = 9,
        budget = BUDGET,
        classify = classify,
        schedule = Backoff::none(),
        within = 1s,
        observe = |event| seen.push(event)
    )]
    async fn call(calls: &Calls, seen: &Seen) -> Result<(), Error> {
        let number = calls.next();
        sleep(ms(1000)).await;
        Err(Error::Numbered(number))
    }
    let (calls, seen) = (Calls::new(), Seen::default());
    assert_eq!(call(&calls, &seen).await, Err(Error::Numbered(1)));
    assert_eq!(seen.all(), [(1, Decision::Expired)]);
    assert_eq!(BUDGET.tokens(), 10.0);
}

#[tokio::test(start_paused = true)]
async fn a_refused_wait_has_paid_its_token() {
    static BUDGET: Budget = Budget::new(10, 0.1);
    #[retry(attempts = 9, budget = BUDGET, classify = classify, schedule = Backoff::constant(2s), within = 1s)]
    async fn call(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    let calls = Calls::new();
    call(&calls).await.unwrap_err();
    assert_eq!((calls.count(), calls.now()), (1, 0));
    assert_eq!(BUDGET.tokens(), 9.0);
}

#[tokio::test(start_paused = true)]
async fn a_delay_of_the_server_past_the_limit_ends_the_call_at_once() {
    #[retry(attempts = 9, budget = none, classify = classify, schedule = Backoff::none(), within = 10s)]
    async fn call(calls: &Calls, error: Error) -> Result<(), Error> {
        calls.next();
        Err(error.clone())
    }
    for error in [Error::After(ms(10_000)), Error::In(Duration::MAX)] {
        let calls = Calls::new();
        assert_eq!(call(&calls, error.clone()).await, Err(error));
        assert_eq!((calls.count(), calls.now()), (1, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_deadline_is_an_instant_of_std_or_of_tokio() {
    #[retry(attempts = 9, budget = none, classify = classify, schedule = Backoff::constant(400ms), deadline = until)]
    async fn of_tokio(calls: &Calls, until: Instant) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    #[retry(attempts = 9, budget = none, classify = classify, schedule = Backoff::constant(400ms), deadline = until)]
    async fn of_std(calls: &Calls, until: std::time::Instant) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    let calls = Calls::new();
    of_tokio(&calls, Instant::now() + ms(1000)).await.unwrap_err();
    assert_eq!(calls.at(), [0, 400, 800]);
    let calls = Calls::new();
    of_std(&calls, (Instant::now() + ms(1000)).into_std()).await.unwrap_err();
    assert_eq!(calls.at(), [0, 400, 800]);
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_has_passed_leaves_the_first_attempt_and_costs_no_token() {
    static BUDGET: Budget = Budget::new(10, 0.1);
    #[retry(attempts = 9, budget = BUDGET, classify = classify, deadline = until)]
    async fn call(calls: &Calls, until: Instant) -> Result<(), Error> {
        Err(Error::Numbered(calls.next()))
    }
    let until = Instant::now();
    sleep(ms(5)).await;
    assert_eq!(call(&Calls::new(), until).await, Err(Error::Numbered(1)));
    assert_eq!(BUDGET.tokens(), 10.0);
}

#[tokio::test(start_paused = true)]
async fn of_within_and_deadline_the_earlier_counts() {
    #[retry(
        attempts = 9,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(100ms),
        within = limit,
        deadline = Instant::now() + until,
    )]
    async fn call(calls: &Calls, limit: Duration, until: Duration) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    for (limit, until) in [(250, 800), (800, 250)] {
        let calls = Calls::new();
        call(&calls, ms(limit), ms(until)).await.unwrap_err();
        assert_eq!(calls.at(), [0, 100, 200], "within {limit}, deadline {until}");
    }
}

#[tokio::test(start_paused = true)]
async fn within_and_deadline_are_read_once_before_the_first_attempt() {
    #[retry(
        attempts = 9,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(100ms),
        within = { *reads.lock().unwrap() += 1; Duration::from_millis(250) },
        deadline = { *reads.lock().unwrap() += 1; Instant::now() + Duration::from_secs(9) },
    )]
    async fn call(calls: &Calls, reads: &std::sync::Mutex<u32>) -> Result<(), Error> {
        assert_eq!(*reads.lock().unwrap(), 2);
        calls.next();
        Err(Error::Again)
    }
    let (calls, reads) = (Calls::new(), std::sync::Mutex::new(0));
    call(&calls, &reads).await.unwrap_err();
    assert_eq!((calls.count(), reads.into_inner().unwrap()), (3, 2));
}

#[tokio::test(start_paused = true)]
async fn the_time_begins_when_the_call_is_first_polled() {
    #[retry(attempts = 9, budget = none, classify = classify, schedule = Backoff::constant(100ms), within = 250ms)]
    async fn call(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    let calls = Calls::new();
    let future = call(&calls);
    sleep(ms(5000)).await;
    future.await.unwrap_err();
    assert_eq!(calls.at(), [5000, 5100, 5200]);
}

#[tokio::test(start_paused = true)]
async fn a_limit_too_long_for_the_clock_is_none() {
    #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::constant(100ms), within = Duration::MAX)]
    async fn call(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    let calls = Calls::new();
    call(&calls).await.unwrap_err();
    assert_eq!(calls.count(), 3);
}

#[tokio::test(start_paused = true)]
async fn unlimited_attempts_end_with_their_time() {
    #[retry(
        attempts = unlimited,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(1ms),
        within = 5s
    )]
    async fn call(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    #[retry(
        attempts = unlimited,
        budget = none,
        classify = classify,
        policy = Policy::new(2).within(ms(9)).backoff(Backoff::constant(ms(1))),
        within = 20ms,
    )]
    async fn over_a_policy(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    let calls = Calls::new();
    call(&calls).await.unwrap_err();
    assert_eq!(calls.count(), 5000);
    let calls = Calls::new();
    over_a_policy(&calls).await.unwrap_err();
    assert_eq!(calls.count(), 20);
}

/// A configuration says whether there is a limit.
#[tokio::test(start_paused = true)]
async fn limits_may_be_options() {
    struct Config {
        within: Option<Duration>,
        deadline: Option<Instant>,
        attempt: Option<Duration>,
    }
    #[retry(
        attempts = 4,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(1s),
        within = config.within,
        deadline = config.deadline,
        attempt_timeout = config.attempt,
        on_timeout = Err(Error::Numbered(0)),
    )]
    async fn call(calls: &Calls, config: &Config) -> Result<(), Error> {
        calls.next();
        sleep(ms(200)).await;
        Err(Error::Again)
    }
    let at = async |config: Config| {
        let calls = Calls::new();
        let error = call(&calls, &config).await.unwrap_err();
        (calls.at(), error)
    };
    let none = Config { within: None, deadline: None, attempt: None };
    assert_eq!(at(none).await, (vec![0, 1200, 2400, 3600], Error::Again));
    let within = Config { within: Some(ms(3000)), deadline: None, attempt: None };
    assert_eq!(at(within).await, (vec![0, 1200, 2400], Error::Again));
    let now = Instant::now();
    let both = Config { within: Some(ms(3000)), deadline: Some(now + ms(2000)), attempt: None };
    assert_eq!(at(both).await, (vec![0, 1200], Error::Again));
    let attempt = Config { within: None, deadline: None, attempt: Some(ms(100)) };
    assert_eq!(at(attempt).await, (vec![0, 1100, 2200, 3300], Error::Numbered(0)));
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_the_timer_rounds_up_to_the_limit_is_refused() {
    #[retry(
        attempts = 9,
        budget = none,
        classify = classify,
        schedule = |_| delay,
        within = 1s,
        observe = |event| seen.push(event),
    )]
    async fn call(calls: &Calls, delay: Duration, seen: &Seen) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    // Tokio's timer ends a sleep at a whole millisecond: 999.5 ms would be a second.
    for (micros, attempts) in [(999_500, 1), (999_001, 1), (999_000, 2), (500_000, 2), (499_500, 2)]
    {
        let (calls, seen) = (Calls::new(), Seen::default());
        call(&calls, Duration::from_micros(micros), &seen).await.unwrap_err();
        assert_eq!(calls.count(), attempts, "{micros} us");
        assert_eq!(seen.last(), Some(Decision::Expired), "{micros} us");
        assert!(calls.at().iter().all(|at| *at < 1000), "{micros} us: {:?}", calls.at());
    }
}
