//! `cancel`: ends the waiting, never a running attempt.
//! One subject, so in one file, however long.

use std::future::{Future, pending, ready};
use std::sync::{Arc, Mutex};

use retry_runtime::{Backoff, Budget, Decision, Event, EventKind, Outcome, retry};
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::sleep;

use crate::support::{Calls, Error, Seen, classify, ms};

#[tokio::test(start_paused = true)]
async fn a_wait_ends_at_once_with_the_last_result() {
    static BUDGET: Budget = Budget::new(10, 0.1);
    #[retry(
        attempts = 9,
        budget = BUDGET,
        classify = classify,
        schedule = Backoff::constant(1s),
        cancel = stop,
    )]
    async fn call(calls: &Calls, stop: oneshot::Receiver<()>) -> Result<(), Error> {
        Err(Error::Numbered(calls.next()))
    }
    let calls = Calls::new();
    let (stop, stopped) = oneshot::channel();
    let stopping = async {
        sleep(ms(1500)).await;
        stop.send(()).unwrap();
    };
    let (result, ()) = tokio::join!(call(&calls, stopped), stopping);
    assert_eq!(result, Err(Error::Numbered(2)));
    assert_eq!(calls.now(), 1500);
    assert_eq!(BUDGET.tokens(), 8.0, "the wait that was cut had paid");
}

#[tokio::test(start_paused = true)]
async fn a_signal_during_an_attempt_is_not_lost_and_the_attempt_is_not_cut() {
    static BUDGET: Budget = Budget::new(10, 0.1);
    #[retry(
        attempts = 9,
        budget = BUDGET,
        classify = classify,
        schedule = Backoff::constant(1s),
        cancel = stop.notified(),
        observe = |event| seen.push(event),
    )]
    async fn call(calls: &Calls, stop: &Notify, seen: &Seen) -> Result<(), Error> {
        let number = calls.next();
        sleep(ms(100)).await;
        Err(Error::Numbered(number))
    }
    let (calls, stop, seen) = (Calls::new(), Notify::new(), Seen::default());
    let stopping = async {
        sleep(ms(50)).await;
        // Wakes only who waits already.
        stop.notify_waiters();
    };
    let (result, ()) = tokio::join!(call(&calls, &stop, &seen), stopping);
    assert_eq!(result, Err(Error::Numbered(1)));
    assert_eq!(calls.now(), 100);
    assert_eq!(seen.all(), [(1, Decision::Cancelled)]);
    assert_eq!(BUDGET.tokens(), 10.0, "cancelled before the retry was paid");
}

#[tokio::test(start_paused = true)]
async fn a_call_cancelled_from_the_start_makes_its_first_attempt_alone() {
    static BUDGET: Budget = Budget::new(10, 0.1);
    #[retry(attempts = 9, budget = BUDGET, classify = classify, cancel = ready(()))]
    async fn call(calls: &Calls, error: Error) -> Result<(), Error> {
        calls.next();
        Err(error.clone())
    }
    let calls = Calls::new();
    assert_eq!(call(&calls, Error::Again).await, Err(Error::Again));
    assert_eq!((calls.count(), BUDGET.tokens()), (1, 10.0));
    // What is no retry is not the cancellation's to decide.
    assert_eq!(call(&calls, Error::Fail).await, Err(Error::Fail));
    assert_eq!((calls.count(), BUDGET.tokens()), (2, 9.0));
}

#[tokio::test(start_paused = true)]
async fn a_success_after_the_signal_is_a_success() {
    #[retry(
        attempts = 9,
        budget = none,
        classify = classify,
        cancel = ready("the output is of no matter"),
        observe = |event| seen.push(event),
    )]
    async fn call(seen: &Seen) -> Result<u32, Error> {
        Ok(1)
    }
    let seen = Seen::default();
    assert_eq!(call(&seen).await, Ok(1));
    assert_eq!(seen.all(), [(1, Decision::Succeeded)]);
}

#[tokio::test(start_paused = true)]
async fn if_the_wait_and_the_signal_are_ready_at_once_the_signal_counts() {
    #[retry(
        attempts = 9,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(100ms),
        cancel = sleep(Duration::from_millis(100)),
    )]
    async fn call(calls: &Calls) -> Result<(), Error> {
        Err(Error::Numbered(calls.next()))
    }
    use std::time::Duration;
    let calls = Calls::new();
    assert_eq!(call(&calls).await, Err(Error::Numbered(1)));
    assert_eq!(calls.now(), 100);
}

#[tokio::test(start_paused = true)]
async fn a_zero_wait_can_be_cut_too() {
    #[retry(
        attempts = 9,
        budget = none,
        classify = classify,
        schedule = Backoff::none(),
        cancel = stop.notified(),
    )]
    async fn call(calls: &Calls, stop: &Notify) -> Result<(), Error> {
        Err(Error::Numbered(calls.next()))
    }
    let (calls, stop) = (Calls::new(), Notify::new());
    let stopping = async {
        while calls.count() < 2 {
            tokio::task::yield_now().await;
        }
        stop.notify_waiters();
    };
    let (result, ()) = tokio::join!(biased; call(&calls, &stop), stopping);
    assert_eq!(result, Err(Error::Numbered(2)));
}

#[tokio::test(start_paused = true)]
async fn the_observer_is_told_of_a_wait_that_was_cut() {
    type Line = (EventKind, u32, Outcome, Decision, u128);
    #[retry(
        attempts = 9,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(1s),
        cancel = sleep(ms(1400)),
        observe = |event: &Event<'_>| lines.lock().unwrap().push((
            event.kind,
            event.attempt,
            event.outcome,
            event.decision,
            event.elapsed.as_millis(),
        )),
    )]
    async fn call(calls: &Calls, lines: &Mutex<Vec<Line>>) -> Result<(), Error> {
        Err(Error::Numbered(calls.next()))
    }
    let (calls, lines) = (Calls::new(), Mutex::default());
    assert_eq!(call(&calls, &lines).await, Err(Error::Numbered(2)));
    let again = Decision::Again { delay: ms(1000) };
    assert_eq!(
        lines.into_inner().unwrap(),
        [
            (EventKind::Attempt, 1, Outcome::Retry, again, 0),
            (EventKind::Attempt, 2, Outcome::Retry, again, 1000),
            (EventKind::WaitCut, 2, Outcome::Retry, Decision::Cancelled, 1400),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_signal_that_never_comes_changes_nothing() {
    #[retry(
        attempts = 3,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(100ms),
        cancel = pending::<()>(),
    )]
    async fn call(calls: &Calls) -> Result<(), Error> {
        Err(Error::Numbered(calls.next()))
    }
    let calls = Calls::new();
    assert_eq!(call(&calls).await, Err(Error::Numbered(3)));
    assert_eq!(calls.at(), [0, 100, 200]);
}

#[tokio::test(start_paused = true)]
async fn a_signal_ends_unlimited_attempts() {
    #[retry(
        attempts = unlimited,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(10ms),
        cancel = sleep(ms(10_005)),
    )]
    async fn call(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    let calls = Calls::new();
    call(&calls).await.unwrap_err();
    assert_eq!((calls.count(), calls.now()), (1001, 10_005));
}

#[tokio::test(start_paused = true)]
async fn the_signal_is_made_once_for_a_call_and_may_borrow_the_arguments() {
    fn signal<'a>(made: &Mutex<u32>, stop: &'a Notify) -> impl Future<Output = ()> + 'a {
        *made.lock().unwrap() += 1;
        stop.notified()
    }
    #[retry(
        attempts = 3,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(10ms),
        cancel = signal(made, &stop),
    )]
    async fn call(made: &Mutex<u32>, stop: Notify) -> Result<(), Error> {
        Err(Error::Again)
    }
    let made = Mutex::new(0);
    call(&made, Notify::new()).await.unwrap_err();
    assert_eq!(made.into_inner().unwrap(), 1);
}

/// A client whose body uses `self` as a whole, mutably, which a signal must not borrow.
struct Consumer {
    calls: Calls,
    stop: Arc<Notify>,
    shutdown: watch::Receiver<bool>,
}

impl Consumer {
    fn next(&mut self) -> u32 {
        self.calls.next()
    }

    #[retry(
        attempts = unlimited,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(1s),
        cancel = self.stop.clone().notified_owned(),
    )]
    async fn until_told(&mut self) -> Result<(), Error> {
        Err(Error::Numbered(self.next()))
    }

    #[retry(
        attempts = unlimited,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(1s),
        cancel = self.shutdown.clone().wait_for(|shutdown| *shutdown),
    )]
    async fn until_shutdown(&mut self) -> Result<(), Error> {
        Err(Error::Numbered(self.next()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_signal_that_owns_what_it_needs_leaves_mut_self_to_the_body() {
    let (shutdown, receiver) = watch::channel(false);
    let stop = Arc::new(Notify::new());
    let mut consumer =
        Consumer { calls: Calls::new(), stop: Arc::clone(&stop), shutdown: receiver };
    let stopping = async {
        sleep(ms(2500)).await;
        stop.notify_waiters();
    };
    let (result, ()) = tokio::join!(consumer.until_told(), stopping);
    assert_eq!(result, Err(Error::Numbered(3)));

    let stopping = async {
        sleep(ms(1500)).await;
        shutdown.send_replace(true);
    };
    let (result, ()) = tokio::join!(consumer.until_shutdown(), stopping);
    assert_eq!(result, Err(Error::Numbered(5)));
    assert_eq!(consumer.calls.now(), 4000);
}

#[tokio::test(start_paused = true)]
async fn the_call_begins_before_a_signal_that_takes_time_to_make() {
    async fn subscribe() -> std::future::Pending<()> {
        sleep(ms(60_000)).await;
        pending()
    }
    #[retry(
        attempts = unlimited,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(1s),
        within = 10s,
        cancel = subscribe().await,
    )]
    async fn call(calls: &Calls) -> Result<(), Error> {
        Err(Error::Numbered(calls.next()))
    }
    let calls = Calls::new();
    assert_eq!(call(&calls).await, Err(Error::Numbered(1)));
    assert_eq!(calls.now(), 60_000, "no attempt starts after the time limit");
}

#[tokio::test]
async fn a_signal_may_be_any_expression() {
    struct Never {
        signal: std::future::Pending<()>,
    }
    impl IntoFuture for Never {
        type Output = ();
        type IntoFuture = std::future::Pending<()>;

        fn into_future(self) -> Self::IntoFuture {
            self.signal
        }
    }
    #[retry(
        attempts = 2,
        budget = none,
        classify = classify,
        schedule = Box::new(|_| std::time::Duration::ZERO) as Box<dyn Fn(u32) -> _ + Send + Sync>,
        cancel = Never { signal: pending() },
    )]
    async fn call(calls: &Calls) -> Result<(), Error> {
        Err(Error::Numbered(calls.next()))
    }
    assert_eq!(call(&Calls::new()).await, Err(Error::Numbered(2)));
}

/// Uses up what tokio's cooperative scheduling lets a task do in one poll: then no future of
/// tokio's completes before the next.
async fn use_up_the_turn() {
    std::future::poll_fn(|context| {
        loop {
            let one = std::pin::pin!(tokio::task::consume_budget());
            if one.poll(context).is_pending() {
                return std::task::Poll::Ready(());
            }
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_signal_behind_a_used_up_turn_is_seen_before_a_token_is_paid() {
    static BUDGET: Budget = Budget::new(10, 0.1);
    #[retry(
        attempts = 9,
        budget = BUDGET,
        classify = classify,
        schedule = Backoff::constant(1s),
        cancel = stopped,
        observe = |event| seen.push(event),
    )]
    async fn call(
        calls: &Calls,
        stop: &mut Option<oneshot::Sender<()>>,
        stopped: oneshot::Receiver<()>,
        seen: &Seen,
    ) -> Result<(), Error> {
        calls.next();
        if let Some(stop) = stop.take() {
            stop.send(()).unwrap();
        }
        use_up_the_turn().await;
        Err(Error::Again)
    }
    let (calls, seen) = (Calls::new(), Seen::default());
    let (stop, stopped) = oneshot::channel();
    call(&calls, &mut Some(stop), stopped, &seen).await.unwrap_err();
    assert_eq!(seen.all(), [(1, Decision::Cancelled)]);
    assert_eq!(calls.now(), 0, "no wait was begun");
    assert_eq!(BUDGET.tokens(), 10.0);
}
