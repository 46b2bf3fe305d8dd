//! Every key that has to do with time, on a clock that moves only by its sleeps.

use std::future::{Ready, pending, ready};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use retry_runtime::{Backoff, Decision, Event, Outcome, Timer, retry};

struct Clock {
    start: Instant,
    sleeps: Mutex<Vec<Duration>>,
}

impl Timer for Clock {
    type Sleep = Ready<()>;

    fn now(&self) -> Instant {
        self.start + self.sleeps.lock().unwrap().iter().sum::<Duration>()
    }

    fn sleep(&self, delay: Duration) -> Ready<()> {
        self.sleeps.lock().unwrap().push(delay);
        ready(())
    }
}

impl Clock {
    fn new() -> Clock {
        Clock { start: Instant::now(), sleeps: Mutex::default() }
    }

    /// How long each sleep was asked to be, in milliseconds.
    fn sleeps(&self) -> Vec<u128> {
        self.sleeps.lock().unwrap().iter().map(Duration::as_millis).collect()
    }
}

#[derive(Debug, PartialEq)]
struct Busy;

fn retry_it(_error: &Busy) -> Outcome {
    Outcome::Retry
}

#[test]
fn the_time_limit_and_what_is_left_of_it() {
    #[retry(
        attempts = unlimited,
        budget = none,
        classify_err = retry_it,
        schedule = Backoff::constant(300ms),
        within = 1s,
        timer = clock,
        attempt = attempt,
        observe = |event: &Event<'_>| told.push((event.decision, event.elapsed.as_millis())),
    )]
    async fn call(
        clock: &Clock,
        left: &mut Vec<u128>,
        told: &mut Vec<(Decision, u128)>,
    ) -> Result<(), Busy> {
        left.extend(attempt.remaining().map(|left| left.as_millis()));
        Err(Busy)
    }
    let (clock, mut left, mut told) = (Clock::new(), vec![], vec![]);
    smol::block_on(call(&clock, &mut left, &mut told)).unwrap_err();
    assert_eq!(clock.sleeps(), [300, 300, 300]);
    assert_eq!(left, [1000, 700, 400, 100]);
    let again = Decision::Again { delay: Duration::from_millis(300) };
    assert_eq!(told, [(again, 0), (again, 300), (again, 600), (Decision::Expired, 900)]);
}

#[test]
fn a_deadline() {
    #[retry(
        attempts = unlimited,
        budget = none,
        classify_err = retry_it,
        schedule = Backoff::constant(300ms),
        deadline = clock.start + Duration::from_millis(700),
        timer = clock,
    )]
    async fn call(clock: &Clock) -> Result<(), Busy> {
        Err(Busy)
    }
    let clock = Clock::new();
    smol::block_on(call(&clock)).unwrap_err();
    assert_eq!(clock.sleeps(), [300, 300]);
}

#[test]
fn the_time_of_an_attempt() {
    #[retry(
        attempts = 2,
        budget = none,
        classify_err = retry_it,
        schedule = Backoff::constant(300ms),
        attempt_timeout = 2s,
        on_timeout = Err(Busy),
        timer = clock,
    )]
    async fn call(clock: &Clock) -> Result<(), Busy> {
        pending().await
    }
    let clock = Clock::new();
    assert_eq!(smol::block_on(call(&clock)), Err(Busy));
    assert_eq!(clock.sleeps(), [2000, 300, 2000]);
}

#[test]
fn a_wait_of_zero_does_not_touch_the_timer() {
    #[retry(attempts = 3, budget = none, classify_err = retry_it, schedule = Backoff::none(), timer = clock)]
    async fn call(clock: &Clock) -> Result<(), Busy> {
        Err(Busy)
    }
    let clock = Clock::new();
    smol::block_on(call(&clock)).unwrap_err();
    assert_eq!(clock.sleeps(), [] as [u128; 0]);
}
