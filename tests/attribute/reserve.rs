//! The reserve of a budget, through the attribute: tokio's paused clock and another timer.

use std::future::{Ready, ready};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use retry_runtime::{Backoff, Budget, Decision, Outcome, Timer, retry};
use tokio::time::sleep;

use crate::support::{Calls, Error, Seen, classify, ms};

fn dry() -> Budget {
    let budget = Budget::new(3, 0.1).one_retry_every(Duration::from_secs(60));
    for _ in 0..3 {
        let _ = retry_runtime::Policy::new(1).call(&budget).decide(Outcome::Fail);
    }
    budget
}

#[tokio::test(start_paused = true)]
async fn a_quiet_service_is_retried_once_in_a_period() {
    #[retry(attempts = 3, budget = budget, classify = classify, schedule = Backoff::none())]
    async fn call(budget: &Budget, calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    let (budget, calls) = (dry(), Calls::new());
    let mut made = Vec::new();
    for _ in 0..5 {
        let before = calls.count();
        call(&budget, &calls).await.unwrap_err();
        made.push(calls.count() - before);
        sleep(ms(20_000)).await;
    }
    assert_eq!(made, [2, 1, 1, 2, 1], "at 0 s and at 60 s");
}

#[tokio::test(start_paused = true)]
async fn a_call_with_limits_in_time_spends_the_reserve_only_on_a_retry() {
    #[retry(
        attempts = 3,
        budget = budget,
        classify = classify,
        schedule = Backoff::constant(2s),
        within = limit,
        observe = |event| seen.push(event),
    )]
    async fn call(budget: &Budget, limit: Duration, seen: &Seen) -> Result<(), Error> {
        Err(Error::Again)
    }
    let (budget, seen) = (dry(), Seen::default());
    call(&budget, ms(1000), &seen).await.unwrap_err();
    assert_eq!(seen.last(), Some(Decision::Expired));
    call(&budget, ms(60_000), &seen).await.unwrap_err();
    let again = Decision::Again { delay: ms(2000) };
    assert_eq!(seen.all()[1..], [(1, again), (2, Decision::Throttled)]);
}

/// A clock that only its own sleeps move.
struct Fake {
    start: Instant,
    passed: Mutex<Duration>,
}

impl Timer for Fake {
    type Sleep = Ready<()>;

    fn now(&self) -> Instant {
        self.start + *self.passed.lock().unwrap()
    }

    fn sleep(&self, delay: Duration) -> Ready<()> {
        *self.passed.lock().unwrap() += delay;
        ready(())
    }
}

#[tokio::test(start_paused = true)]
async fn the_period_is_counted_by_the_timer_of_the_function() {
    #[retry(
        attempts = 9,
        budget = budget,
        classify = classify,
        schedule = Backoff::constant(60s),
        timer = clock,
    )]
    async fn call(budget: &Budget, clock: &Fake, calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    let clock = Fake { start: Instant::now(), passed: Mutex::default() };
    let (budget, calls) = (dry(), Calls::new());
    call(&budget, &clock, &calls).await.unwrap_err();
    assert_eq!(calls.count(), 9, "each wait of a minute opens the reserve");
    assert_eq!(*clock.passed.lock().unwrap(), Duration::from_secs(8 * 60));
    assert_eq!(calls.now(), 0, "on that clock alone");
}
