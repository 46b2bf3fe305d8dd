//! Runs that are cancelled or dropped, or whose call is over.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_cancellation_ends_the_wait_and_keeps_the_result() {
    let retrier = retrier();
    let cuts = Mutex::new(Vec::new());
    let observer = |event: &Event<'_>| cuts.lock().unwrap().push(event.decision);
    let start = Instant::now();
    let mut call = retrier.call().observe(&observer);
    let result = call.run_unless(sleep(SECOND * 2), async |_| Err::<u32, _>(Failure::Busy)).await;
    assert_eq!((result, call.attempt()), (Err(Failure::Busy), 2));
    assert_eq!((call.decision(), start.elapsed()), (Some(Decision::Cancelled), SECOND * 2));
    let cuts = cuts.into_inner().unwrap();
    assert_eq!(cuts.len(), 3);
    assert_eq!(cuts[2], Decision::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_begins_cancelled_makes_one_attempt_free_of_charge() {
    let retrier = retrier();
    let mut call = retrier.call();
    let result = call.run_unless(ready(()), async |_| Err::<u32, _>(Failure::Busy)).await;
    assert_eq!((result, call.attempt()), (Err(Failure::Busy), 1));
    assert_eq!(call.decision(), Some(Decision::Cancelled));
    assert_eq!(retrier.budget().unwrap().tokens(), 10.0);
    // And a success is one.
    let mut call = retrier.call();
    assert_eq!(call.run_unless(ready(()), async |_| Ok(1)).await, Ok(1));
    assert_eq!(call.decision(), Some(Decision::Succeeded));
}

#[tokio::test(start_paused = true)]
async fn a_signal_during_an_attempt_is_not_lost_and_not_polled_again() {
    let retrier = retrier();
    let (sender, receiver) = oneshot::channel::<()>();
    let sender = Cell::new(Some(sender));
    // A oneshot receiver panics if it is polled after it has completed.
    let mut call = retrier.call();
    let result = call
        .run_unless(receiver, async |_| {
            sleep(SECOND).await;
            if let Some(sender) = sender.take() {
                sender.send(()).unwrap();
            }
            Err::<u32, _>(Failure::Busy)
        })
        .await;
    assert_eq!((result, call.attempt()), (Err(Failure::Busy), 1));
    assert_eq!(call.decision(), Some(Decision::Cancelled));
}

#[tokio::test(start_paused = true)]
async fn a_dropped_run_holds_nothing() {
    let retrier = retrier();
    let mut call = retrier.call();
    {
        let run = call.run(async |_| Err::<u32, _>(Failure::Busy));
        assert!(tokio::time::timeout(SECOND / 2, run).await.is_err());
    }
    assert_eq!(retrier.budget().unwrap().tokens(), 9.0);
    // It goes on where it was.
    assert_eq!(call.run(async |attempt| Ok(attempt.number())).await, Ok(2));
}

#[tokio::test]
async fn a_failure_is_paid_where_the_call_is_dropped_before_it_is_decided_on() {
    // A cancellation is asked twice, and the call is dropped between.
    fn dropped_after_a_poll(call: impl Future) {
        let mut call = std::pin::pin!(call);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(call.as_mut().poll(&mut context).is_pending());
    }
    let retrier = retrier();
    let tokens = || retrier.budget().unwrap().tokens();
    let once = || SECONDS.call(retrier.budget().unwrap());
    let mut call = retrier.call();
    dropped_after_a_poll(call.run_unless(pending::<()>(), async |_| Err::<u32, _>(Failure::Busy)));
    assert_eq!((tokens(), call.decision()), (9.0, None));

    dropped_after_a_poll(once().again_unless(Outcome::Retry, pending::<()>()));
    assert_eq!(tokens(), 8.0);
    // What is well costs nothing there either, and what is decided on is paid once.
    dropped_after_a_poll(once().again_unless(Outcome::Repeat, pending::<()>()));
    assert_eq!(tokens(), 8.0);
    assert!(!once().again_unless(Outcome::Fail, pending::<()>()).await);
    assert_eq!(tokens(), 7.0);
    assert!(!once().again_unless(Outcome::Retry, ready(())).await);
    assert_eq!(tokens(), 7.0, "cancelled");
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "asked again after the call had ended (succeeded)")]
async fn a_call_that_is_over_runs_no_more() {
    let retrier = retrier();
    let mut call = retrier.call();
    assert_eq!(call.run(async |_| Ok(1)).await, Ok(1));
    let _: Result<u32, _> = call.run(async |_| unreachable!("the attempt is not made")).await;
}
