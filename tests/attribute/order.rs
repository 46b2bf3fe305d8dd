//! When and in which order the values of keys are evaluated.

use std::cell::RefCell;
use std::future::Future;
use std::time::{Duration, Instant};

use retry_runtime::{Backoff, Budget, Event, Outcome, Policy, TokioTimer, retry};

#[derive(Default)]
struct Seen(RefCell<Vec<&'static str>>);

static BUDGET: Budget = Budget::new(100, 0.1);
static TIMER: TokioTimer = TokioTimer;

impl Seen {
    fn says<T>(&self, what: &'static str, value: T) -> T {
        self.0.borrow_mut().push(what);
        value
    }

    fn observer(&self) -> impl FnOnce(&Event<'_>) {
        self.says("observe", |_: &Event<'_>| ())
    }
}

fn never() -> impl Future<Output = ()> {
    std::future::pending()
}

#[retry(
    observe = seen.observer(),
    name = seen.says("name", "order"),
    schedule = seen.says("schedule", Backoff::none()),
    budget = seen.says("budget", &BUDGET),
    classify = seen.says("classify", |_: &Result<u32, ()>| if attempt.number() < 3 { Outcome::Retry } else { Outcome::Success }),
    attempt_timeout = seen.says("attempt_timeout", 1s),
    on_timeout = seen.says("on_timeout", Err(())),
    cancel = seen.says("cancel", never()),
    deadline = seen.says("deadline", None::<Instant>),
    within = seen.says("within", 1h),
    policy = seen.says("policy", Policy::new(5)),
    attempt = attempt,
)]
async fn all(seen: &Seen) -> Result<u32, ()> {
    seen.says("body", ());
    if attempt.number() == 2 {
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    Ok(attempt.number())
}

#[tokio::test(start_paused = true)]
async fn values_are_evaluated_in_the_order_of_the_documentation() {
    let seen = Seen::default();
    assert_eq!(all(&seen).await, Ok(3));
    let before = ["policy", "within", "deadline", "cancel"];
    let attempt = ["attempt_timeout", "body"];
    let after = ["classify", "budget", "name"];
    let expected: Vec<&str> = [
        &before[..],
        &attempt,
        &after,
        &["observe", "schedule", "classify"],
        &attempt,
        &["on_timeout"],
        &after,
        &["observe", "schedule", "classify"],
        &attempt,
        &after,
        &["observe"],
    ]
    .concat();
    assert_eq!(*seen.0.borrow(), expected);
}

#[retry(
    attempts = 2,
    budget = none,
    classify_err = |()| Outcome::Retry,
    schedule = Backoff::none(),
    timer = seen.says("timer", &TIMER),
    attempt = attempt,
)]
async fn timed(seen: &Seen) -> Result<u32, ()> {
    seen.says("body", ());
    Err(()).or(if attempt.is_first() { Err(()) } else { Ok(2) })
}

#[tokio::test(start_paused = true)]
async fn a_timer_is_evaluated_where_it_is_needed() {
    let seen = Seen::default();
    assert_eq!(timed(&seen).await, Ok(2));
    let seen = seen.0.into_inner();
    assert_eq!(seen.iter().filter(|what| **what == "body").count(), 2);
    assert_eq!(seen.first(), Some(&"timer"));
}
