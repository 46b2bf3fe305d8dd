//! `run` and its kin: the whole loop around a closure, under tokio's paused clock.
//! In one file, though a long one: every form is held to the same.

#![cfg(feature = "tokio")]

mod giving_up;
mod told;

use std::cell::{Cell, RefCell};
use std::future::{Future, pending, ready};
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use retry_runtime::{
    Attempt, Backoff, Budget, Classify, Decision, Event, EventKind, NoBudget, Outcome, Policy,
    Retrier, Timer, TokioTimer, on_err,
};
use tokio::sync::oneshot;
use tokio::time::{Instant, Sleep, advance, sleep};

const SECOND: Duration = Duration::from_secs(1);
const SECONDS: Policy = Policy::new(4).backoff(Backoff::linear(SECOND, Duration::from_secs(10)));

#[derive(Debug, PartialEq)]
enum Failure {
    Busy,
    Unknown,
}

/// A classifier for the results of many functions.
struct Service;

impl<T> Classify<Result<T, Failure>> for Service {
    fn classify(&self, result: &Result<T, Failure>) -> Outcome {
        match result {
            Ok(_) => Outcome::Success,
            Err(Failure::Busy) => Outcome::Retry,
            Err(Failure::Unknown) => Outcome::Stop,
        }
    }
}

/// What `Service` says of a result, as a function.
fn by_service(result: &Result<u32, Failure>) -> Outcome {
    Service.classify(result)
}

fn retrier() -> Retrier<Service> {
    Retrier::new(SECONDS, Budget::new(10, 0.1), Service)
}

/// Busy for the first attempts, then the number of the attempt.
fn busy_before(first_good: u32, attempt: u32) -> Result<u32, Failure> {
    if attempt < first_good { Err(Failure::Busy) } else { Ok(attempt) }
}

#[tokio::test(start_paused = true)]
async fn a_call_says_why_it_ended_and_after_how_many_attempts() {
    let start = Instant::now();
    let retrier = retrier();
    let mut call = retrier.call();
    let result = call.run(async |attempt| busy_before(3, attempt.number())).await;
    assert_eq!((result, call.attempt()), (Ok(3), 3));
    assert_eq!(call.decision(), Some(Decision::Succeeded));
    assert_eq!((start.elapsed(), retrier.budget().unwrap().tokens()), (SECOND * 3, 8.1));

    let mut call = retrier.call();
    let result = call.run(async |_| Err::<u32, _>(Failure::Unknown)).await;
    assert_eq!((result, call.attempt()), (Err(Failure::Unknown), 1));
    assert_eq!(call.decision(), Some(Decision::Stopped));

    // The fourth failure of all leaves half of the tokens, and the retry is refused.
    let mut call = retrier.call();
    let result = call.run(async |_| Err::<u32, _>(Failure::Busy)).await;
    assert_eq!((result, call.attempt()), (Err(Failure::Busy), 4));
    assert_eq!(call.decision(), Some(Decision::Exhausted));
    assert_eq!(retrier.budget().unwrap().tokens(), 4.1);
}

#[tokio::test(start_paused = true)]
async fn the_closure_borrows_what_is_around_it() {
    struct Client {
        host: String,
        sent: Mutex<Vec<String>>,
    }
    impl Client {
        async fn send(&self, body: &str) -> Result<usize, Failure> {
            tokio::task::yield_now().await;
            let mut sent = self.sent.lock().unwrap();
            sent.push(format!("{}/{body}", self.host));
            if sent.len() < 2 { Err(Failure::Busy) } else { Ok(sent.len()) }
        }
    }
    let client = Client { host: "pay".to_owned(), sent: Mutex::default() };
    let body = String::from("charge");
    assert_eq!(retrier().run(async |_| client.send(&body).await).await, Ok(2));
    assert_eq!(client.sent.into_inner().unwrap(), ["pay/charge", "pay/charge"]);

    // A closure that returns a future may change what it keeps outside of it.
    let mut made = 0;
    let result = retrier()
        .run(|attempt| {
            made += 1;
            ready(busy_before(2, attempt.number()))
        })
        .await;
    assert_eq!((result, made), (Ok(2), 2));
}

/// A generic caller that spawns needs the future to be `Send` for every closure of its
/// own callers; this is what an `AsyncFnMut` bound would refuse.
async fn spawned<F, Fut>(retrier: Arc<Retrier<Service>>, send: F) -> Result<u32, Failure>
where
    F: Fn(u32) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<u32, Failure>> + Send + 'static,
{
    tokio::spawn(async move {
        let mut call = retrier.call();
        let result = call.run(async |attempt| send(attempt.number()).await).await;
        assert_eq!(call.attempt(), 2);
        result
    })
    .await
    .unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_generic_caller_can_spawn_it() {
    let result = spawned(Arc::new(retrier()), |attempt| async move {
        sleep(SECOND).await;
        busy_before(2, attempt)
    });
    assert_eq!(result.await, Ok(2));
}

#[test]
fn the_futures_are_send_although_the_result_is_not() {
    fn sendable<T: Send>(value: T) -> T {
        value
    }
    let classify = |_: &Rc<u32>| Outcome::Retry;
    let retrier = Retrier::new(SECONDS, NoBudget, classify);
    let mut call = retrier.call();
    drop(sendable(call.run(|_| ready_with(Rc::new(1)))));
    drop(sendable(call.run_with(classify, |_| ready_with(Rc::new(1)))));
    drop(sendable(call.run_judged(|_| ready_with((1, Outcome::Stop)))));
    // Where a wait can be cut short, the result is kept for it, and has to be `Send`.
    let retrier_of_u32 = Retrier::new(SECONDS, NoBudget, |_: &u32| Outcome::Retry);
    let mut cut = retrier_of_u32.call();
    drop(sendable(cut.run_unless(pending::<()>(), async |_| ready_with(1).await)));
    drop(sendable(retrier.run(|_| ready_with(Rc::new(1)))));
}

/// A future that is `Send` whatever it gives.
fn ready_with<R: 'static>(value: R) -> impl Future<Output = R> + Send {
    // Only a test could want one: the value is never sent.
    struct Made<R>(fn() -> R);
    impl<R> Future for Made<R> {
        type Output = R;
        fn poll(self: std::pin::Pin<&mut Self>, _: &mut std::task::Context<'_>) -> Poll<R> {
            Poll::Ready(self.0())
        }
    }
    drop(value);
    Made(|| unreachable!("it is only asked whether it is `Send`"))
}

#[tokio::test(start_paused = true)]
async fn the_result_is_dropped_before_the_wait() {
    struct Held<'d>(&'d RefCell<Vec<Instant>>);
    impl Drop for Held<'_> {
        fn drop(&mut self) {
            self.0.borrow_mut().push(Instant::now());
        }
    }
    let start = Instant::now();
    let dropped = RefCell::default();
    let policy = Policy::new(2).backoff(Backoff::constant(SECOND));
    let last = policy
        .call_without_budget()
        .run_with(|_: &Held<'_>| Outcome::Retry, async |_| Held(&dropped))
        .await;
    assert_eq!(*dropped.borrow(), [start]);
    drop(last);
    assert_eq!(*dropped.borrow(), [start, start + SECOND]);
}

#[tokio::test(start_paused = true)]
async fn run_with_takes_a_function_a_closure_or_a_value() {
    let budget = Budget::new(10, 0.1);
    for first_good in 1..=2 {
        let attempts = async |attempt: Attempt| busy_before(first_good, attempt.number());
        let good = Ok(first_good);
        assert_eq!(SECONDS.call(&budget).run_with(by_service, attempts).await, good);
        assert_eq!(SECONDS.call(&budget).run_with(Service, attempts).await, good);
        let closure = |result: &Result<u32, Failure>| by_service(result);
        assert_eq!(SECONDS.call(&budget).run_with(closure, attempts).await, good);
        let of_error = on_err(|_: &Failure| Outcome::Retry);
        assert_eq!(SECONDS.call(&budget).run_with(of_error, attempts).await, good);
        assert_eq!(SECONDS.call(&budget).classify(&Service).run(attempts).await, good);
    }
}

#[tokio::test(start_paused = true)]
async fn an_attempt_can_judge_itself() {
    let budget = Budget::new(10, 0.1);
    let mut call = SECONDS.call(&budget);
    let result: Result<u32, &str> = call
        .run_judged(async |attempt| match attempt.number() {
            1 => (Err("busy"), Outcome::RetryIn(SECOND * 7)),
            2 => (Err("not yet"), Outcome::Repeat),
            _ => (Err("denied"), Outcome::Fail),
        })
        .await;
    assert_eq!((result, call.attempt()), (Err("denied"), 3));
    assert_eq!((call.decision(), budget.tokens()), (Some(Decision::Failed), 8.0));
}

#[tokio::test(start_paused = true)]
async fn the_run_of_a_retrier_does_what_the_run_of_its_call_does() {
    use Outcome::*;
    let scripts = [
        &[Success][..],
        &[Retry, Success],
        &[Retry, RetryIn(SECOND * 2), Retry, Success],
        &[Repeat, RepeatAfter(SECOND * 3), Fail],
        &[Retry, Retry, Stop],
        &[Retry, Retry, Retry, Retry],
        &[RetryAfter(SECOND * 4), RetryAfter(SECOND * 4), Success],
        &[RetryIn(Duration::ZERO), RetryIn(SECOND * 60)],
    ];
    // What each attempt is told, the last result, when it came, and what the budget has left.
    type Seen = (Vec<(u32, Option<u32>, Option<Duration>)>, Outcome, Duration, f64);
    async fn seen(script: &[Outcome], policy: Policy, by_call: bool) -> Seen {
        let retrier = Retrier::new(policy, Budget::new(4, 0.1), |outcome: &Outcome| *outcome);
        let told = RefCell::new(Vec::new());
        let start = Instant::now();
        let attempt = async |attempt: Attempt| {
            told.borrow_mut().push((attempt.number(), attempt.max(), attempt.remaining()));
            sleep(SECOND / 10).await;
            script[attempt.number() as usize - 1]
        };
        let last = match by_call {
            true => retrier.call().run(attempt).await,
            false => retrier.run(attempt).await,
        };
        let tokens = retrier.budget().unwrap().tokens();
        (told.into_inner(), last, start.elapsed(), tokens)
    }
    for policy in [SECONDS, SECONDS.within(SECOND * 5), SECONDS.within(Duration::ZERO)] {
        for script in scripts {
            let (by_retrier, by_call) = (seen(script, policy, false), seen(script, policy, true));
            assert_eq!(by_retrier.await, by_call.await, "{script:?} by {policy:?}");
        }
    }
}

/// A clock that is an hour ahead of tokio's, and ten times as fast.
struct Fast(Instant);

impl Timer for Fast {
    type Sleep = Sleep;

    fn now(&self) -> std::time::Instant {
        (self.0 + self.0.elapsed() * 10 + SECOND * 3600).into_std()
    }

    fn sleep(&self, delay: Duration) -> Sleep {
        TokioTimer.sleep(delay / 10)
    }
}

#[tokio::test(start_paused = true)]
async fn another_timer_is_the_clock_of_the_call_and_of_its_attempts() {
    let timer = Fast(Instant::now());
    let retrier = Retrier::new(SECONDS.within(SECOND * 10), NoBudget, Service);
    let start = Instant::now();
    let mut call = retrier.call().timer(&timer);
    let mut left = Vec::new();
    let result = call
        .run(|attempt| {
            left.push(attempt.remaining().unwrap());
            async { Err::<u32, _>(Failure::Busy) }
        })
        .await;
    assert_eq!(result, Err(Failure::Busy));
    assert_eq!(left, [SECOND * 10, SECOND * 9, SECOND * 7, SECOND * 4]);
    assert_eq!(start.elapsed(), SECOND * 6 / 10);
}

#[tokio::test(start_paused = true)]
async fn a_call_lives_in_a_struct() {
    struct Job<'b> {
        call: retry_runtime::Call<'b>,
        done: u32,
    }
    impl Job<'_> {
        async fn step(&mut self) -> bool {
            self.done += 1;
            self.call.again(Outcome::Repeat).await
        }
    }
    let budget = Budget::new(10, 0.1);
    let mut job = Job { call: SECONDS.call(&budget), done: 0 };
    while job.step().await {}
    assert_eq!((job.done, budget.tokens()), (4, 10.0));
    advance(SECOND).await;
}
