//! `attempt_timeout` and `on_timeout`: the end of an attempt that hangs.
//! One subject, so in one file, however long.

use std::cell::RefCell;
use std::future::{pending, poll_fn, ready};
use std::sync::Mutex;
use std::task::Poll;
use std::time::Duration;

use retry_runtime::{Attempt, Backoff, Budget, Decision, Event, Outcome, retry};
use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::support::{Calls, Error, Seen, classify, ms};

#[tokio::test(start_paused = true)]
async fn a_hung_attempt_is_dropped_and_its_value_is_classified_like_any_result() {
    static BUDGET: Budget = Budget::new(10, 0.1);
    #[retry(
        attempts = 3,
        budget = BUDGET,
        classify = classify,
        schedule = Backoff::constant(100ms),
        attempt_timeout = 2s,
        on_timeout = Err(Error::Again),
        attempt = this,
        observe = |event| seen.push(event),
    )]
    async fn call(calls: &Calls, seen: &Seen) -> Result<u32, Error> {
        calls.next();
        if this.number() < 3 {
            pending::<()>().await;
        }
        Ok(this.number())
    }
    let (calls, seen) = (Calls::new(), Seen::default());
    assert_eq!(call(&calls, &seen).await, Ok(3));
    assert_eq!(calls.at(), [0, 2100, 4200]);
    assert_eq!(BUDGET.tokens(), 8.1, "each timeout has cost a token");
    let again = Decision::Again { delay: ms(100) };
    assert_eq!(seen.all(), [(1, again), (2, again), (3, Decision::Succeeded)]);
}

#[tokio::test(start_paused = true)]
async fn the_value_decides_whether_the_attempt_is_repeated() {
    #[retry(
        attempts = 9,
        budget = none,
        classify = classify,
        attempt_timeout = 1s,
        on_timeout = Err(error.clone()),
    )]
    async fn call(calls: &Calls, error: Error) -> Result<(), Error> {
        calls.next();
        pending().await
    }
    for error in [Error::Stop, Error::Fail] {
        let calls = Calls::new();
        assert_eq!(call(&calls, error.clone()).await, Err(error));
        assert_eq!((calls.count(), calls.now()), (1, 1000));
    }
}

#[tokio::test(start_paused = true)]
async fn a_hung_attempt_does_not_defeat_within() {
    #[retry(
        attempts = unlimited,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(500ms),
        within = 4s,
        attempt_timeout = 1s,
        on_timeout = Err(Error::Numbered(this.number())),
        attempt = this,
        observe = |event| seen.push(event),
    )]
    async fn call(calls: &Calls, seen: &Seen) -> Result<(), Error> {
        calls.next();
        pending().await
    }
    let (calls, seen) = (Calls::new(), Seen::default());
    assert_eq!(call(&calls, &seen).await, Err(Error::Numbered(3)));
    // The third attempt began in time, and is not cut at 4 s.
    assert_eq!(calls.at(), [0, 1500, 3000]);
    assert_eq!((calls.now(), seen.last()), (4000, Some(Decision::Expired)));
}

#[tokio::test(start_paused = true)]
async fn the_time_can_be_another_for_each_attempt() {
    #[retry(
        attempts = 9,
        budget = none,
        classify = classify,
        schedule = Backoff::none(),
        within = 4s,
        attempt = this,
        attempt_timeout = this.remaining().map_or(3s, |left| left.min(3s)),
        on_timeout = Err(Error::Again),
    )]
    async fn call(calls: &Calls) -> Result<(), Error> {
        calls.next();
        pending().await
    }
    let calls = Calls::new();
    call(&calls).await.unwrap_err();
    assert_eq!(calls.at(), [0, 3000]);
    assert_eq!(calls.now(), 4000, "the second was cut at the end of the call's time");
}

#[tokio::test(start_paused = true)]
async fn a_body_that_is_ready_as_the_time_ends_has_its_result() {
    #[retry(
        attempts = 1,
        budget = none,
        classify = classify,
        attempt_timeout = 1s,
        on_timeout = Err(Error::Stop),
    )]
    async fn call(takes: Duration) -> Result<u8, Error> {
        sleep(takes).await;
        Ok(1)
    }
    assert_eq!(call(ms(1000)).await, Ok(1));
    assert_eq!(call(ms(1001)).await, Err(Error::Stop));
}

#[tokio::test(start_paused = true)]
async fn the_value_is_made_only_when_the_time_is_over() {
    #[retry(
        attempts = 2,
        budget = none,
        classify = classify,
        schedule = Backoff::none(),
        attempt_timeout = 1s,
        on_timeout = { *made.lock().unwrap() += 1; Err(Error::Again) },
    )]
    async fn call(made: &Mutex<u32>, hang: bool) -> Result<(), Error> {
        if hang { pending().await } else { Err(Error::Again) }
    }
    let made = Mutex::new(0);
    call(&made, false).await.unwrap_err();
    assert_eq!(*made.lock().unwrap(), 0);
    call(&made, true).await.unwrap_err();
    assert_eq!(*made.lock().unwrap(), 2);
}

#[tokio::test(start_paused = true)]
async fn the_body_is_dropped_before_the_value_is_made_and_classified() {
    struct Noisy<'a>(&'a RefCell<Vec<&'static str>>);
    impl Drop for Noisy<'_> {
        fn drop(&mut self) {
            self.0.borrow_mut().push("dropped");
        }
    }
    #[retry(
        attempts = 1,
        budget = none,
        classify = |result| { log.borrow_mut().push("classified"); classify(result) },
        attempt_timeout = 1s,
        on_timeout = { log.borrow_mut().push("made"); Err(Error::Stop) },
    )]
    async fn call(log: &RefCell<Vec<&'static str>>) -> Result<(), Error> {
        let _held = Noisy(log);
        pending().await
    }
    let log = RefCell::default();
    call(&log).await.unwrap_err();
    assert_eq!(log.into_inner(), ["dropped", "made", "classified"]);
}

#[tokio::test(start_paused = true)]
async fn the_value_is_made_anew_for_each_attempt_that_took_too_long() {
    fn late(attempt: Attempt) -> Result<u8, Error> {
        if attempt.is_first() { Err(Error::Again) } else { Err(Error::Numbered(2)) }
    }
    #[retry(
        attempts = 3,
        budget = none,
        classify = classify,
        schedule = Backoff::none(),
        attempt_timeout = 1s,
        on_timeout = late(this),
        attempt = this,
    )]
    async fn call(calls: &Calls) -> Result<u8, Error> {
        let number = calls.next();
        if number < 3 { pending().await } else { Ok(3) }
    }
    assert_eq!(call(&Calls::new()).await, Ok(3));
}

// The real clock: a paused one stands still while something is busy.
#[tokio::test]
async fn a_body_that_uses_up_the_cooperative_budget_in_every_poll_is_still_ended() {
    // Always ready, as a flooded socket is: each poll of the body takes messages
    // until tokio makes it yield, which leaves nothing for tokio's timer.
    #[retry(
        attempts = 2,
        budget = none,
        classify = classify,
        schedule = Backoff::none(),
        attempt_timeout = 5ms,
        on_timeout = Err(Error::Again),
    )]
    async fn call(calls: &Calls) -> Result<(), Error> {
        calls.next();
        let (tap, mut flood) = mpsc::unbounded_channel();
        let begin = std::time::Instant::now();
        loop {
            assert!(begin.elapsed() < Duration::from_secs(10), "the attempt is never ended");
            tap.send(()).unwrap();
            flood.recv().await;
        }
    }
    let calls = Calls::new();
    assert_eq!(call(&calls).await, Err(Error::Again));
    assert_eq!(calls.count(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_wait_touches_no_timer() {
    #[retry(
        attempts = 1,
        budget = none,
        classify = classify,
        attempt_timeout = 1s,
        on_timeout = Err(Error::Stop),
        timer = timer,
    )]
    async fn call(timer: &Counting, waits: bool) -> Result<u8, Error> {
        if waits {
            tokio::task::yield_now().await;
        }
        Ok(1)
    }
    #[derive(Default)]
    struct Counting {
        polls: std::sync::Arc<Mutex<u32>>,
    }
    impl retry_runtime::Timer for Counting {
        type Sleep = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;
        fn now(&self) -> std::time::Instant {
            std::time::Instant::now()
        }
        fn sleep(&self, _delay: Duration) -> Self::Sleep {
            let polls = self.polls.clone();
            Box::pin(poll_fn(move |_| {
                *polls.lock().unwrap() += 1;
                Poll::Pending
            }))
        }
    }
    let timer = Counting::default();
    assert_eq!(call(&timer, false).await, Ok(1));
    assert_eq!(*timer.polls.lock().unwrap(), 0);
    assert_eq!(call(&timer, true).await, Ok(1));
    assert_eq!(*timer.polls.lock().unwrap(), 2);
}

#[tokio::test(start_paused = true)]
async fn every_receiver_and_parameter_works_with_it() {
    struct Client {
        limit: Duration,
        hangs: u32,
        log: Vec<u32>,
    }
    impl Client {
        #[retry(
            attempts = 3,
            budget = none,
            classify = classify,
            schedule = Backoff::none(),
            clone(name),
            attempt_timeout = self.limit,
            on_timeout = { self.log.push(0); Err(Error::Again) },
            attempt = this,
        )]
        async fn get(&mut self, mut name: String, sink: &mut Vec<u8>) -> Result<String, Error> {
            name.push('!');
            sink.push(1);
            self.log.push(this.number());
            if this.number() <= self.hangs {
                pending::<()>().await;
            }
            Ok(name)
        }
    }
    let mut client = Client { limit: ms(50), hangs: 2, log: vec![] };
    let mut sink = Vec::new();
    assert_eq!(client.get("a".into(), &mut sink).await, Ok("a!".into()));
    assert_eq!((client.log, sink.len()), (vec![1, 0, 2, 0, 3], 3));
}

#[async_trait::async_trait]
trait Get {
    async fn get(&self, hangs: bool) -> Result<u8, Error>;
}

struct Limited(Duration);

#[async_trait::async_trait]
impl Get for Limited {
    #[retry(
        attempts = 2,
        budget = none,
        classify = classify,
        attempt_timeout = self.0,
        on_timeout = Err(if hangs { Error::Stop } else { Error::Again }),
    )]
    async fn get(&self, hangs: bool) -> Result<u8, Error> {
        if hangs { pending().await } else { Ok(1) }
    }
}

#[retry(
    attempts = 2,
    budget = none,
    classify = classify,
    attempt_timeout = 1s,
    on_timeout = Err(Error::Stop),
)]
fn boxed(hangs: bool) -> std::pin::Pin<Box<dyn Future<Output = Result<u8, Error>> + Send>> {
    Box::pin(async move { if hangs { pending().await } else { Ok(1) } })
}

#[tokio::test(start_paused = true)]
async fn functions_with_a_boxed_future_are_bounded_too() {
    assert_eq!(Limited(ms(10)).get(false).await, Ok(1));
    assert_eq!(Limited(ms(10)).get(true).await, Err(Error::Stop));
    assert_eq!(boxed(false).await, Ok(1));
    assert_eq!(boxed(true).await, Err(Error::Stop));
}

#[tokio::test(start_paused = true)]
async fn the_type_of_the_value_is_that_of_the_function() {
    #[retry(
        attempts = 2,
        budget = none,
        classify = |_| Outcome::Success,
        attempt_timeout = 1s,
        on_timeout = Default::default(),
    )]
    async fn number() -> u64 {
        pending().await
    }
    #[retry(
        attempts = 2,
        budget = none,
        classify = |_| Outcome::Success,
        attempt_timeout = 1s,
        on_timeout = Err("too long".into()),
    )]
    async fn boxed_error() -> Result<impl std::fmt::Debug, Box<dyn std::error::Error>> {
        pending::<()>().await;
        Ok(1_u8)
    }
    #[retry(attempts = 2, budget = none, classify = |&()| Outcome::Success, attempt_timeout = 1s, on_timeout = ())]
    async fn nothing() {
        pending().await
    }
    assert_eq!(number().await, 0);
    assert_eq!(boxed_error().await.unwrap_err().to_string(), "too long");
    nothing().await;
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_and_a_timeout_work_together() {
    #[retry(
        attempts = 9,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(1s),
        cancel = sleep(ms(2500)),
        attempt_timeout = 1s,
        on_timeout = Err(Error::Again),
        observe = |event: &Event<'_>| seen.push(event),
    )]
    async fn call(calls: &Calls, seen: &Seen) -> Result<(), Error> {
        calls.next();
        pending().await
    }
    let (calls, seen) = (Calls::new(), Seen::default());
    call(&calls, &seen).await.unwrap_err();
    // The signal comes during the second attempt, which goes on to its own end.
    assert_eq!((calls.at(), calls.now()), (vec![0, 2000], 3000));
    assert_eq!(seen.last(), Some(Decision::Cancelled));
}

#[test]
fn the_future_can_be_sent_and_holds_one_sleep_more() {
    fn sendable<F: Future + Send>(future: F) -> usize {
        size_of_val(&future)
    }
    #[retry(attempts = 3, budget = none, classify = classify)]
    async fn without(bytes: &[u8; 200]) -> Result<(), Error> {
        let copy = *bytes;
        ready(()).await;
        std::hint::black_box(copy);
        Ok(())
    }
    #[retry(
        attempts = 3,
        budget = none,
        classify = classify,
        attempt_timeout = 1s,
        on_timeout = Err(Error::Again),
    )]
    async fn with(bytes: &[u8; 200]) -> Result<(), Error> {
        let copy = *bytes;
        ready(()).await;
        std::hint::black_box(copy);
        Ok(())
    }
    let (without, with) = (sendable(without(&[0; 200])), sendable(with(&[0; 200])));
    // And two pointers and a flag, while it is polled.
    let most = size_of::<tokio::time::Sleep>() + 24;
    assert!(with <= without + most, "{without} and {with}: more than {most}");
}
