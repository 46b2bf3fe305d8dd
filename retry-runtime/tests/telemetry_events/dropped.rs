//! Calls whose future is dropped.

use std::future::pending;
use std::panic::AssertUnwindSafe;

use tokio::time::timeout;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

#[retry(policy = SECONDS, budget = none, classify = classify, name = "charge", attempt = this)]
async fn stuck_at(stuck: u32) -> Result<u32, Outcome> {
    if this.number() == stuck { pending().await } else { Err(Outcome::Retry) }
}

fn dropped(attempt: u32) -> String {
    format!(
        "INFO retry_runtime retry.dropped: message=call was dropped \
         retry.name=\"charge\" retry.attempt={attempt} retry.decision=\"dropped\""
    )
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_in_an_attempt_or_a_wait_is_reported() {
    let (_, lines) = lines_of(timeout(SECOND / 2, stuck_at(1))).await;
    assert_eq!(lines, [dropped(1)]);
    // In the wait of a second, and in the second attempt.
    let (_, lines) = lines_of(timeout(SECOND / 2, stuck_at(9))).await;
    assert_eq!(lines[1..], [dropped(2)]);
    let (_, lines) = lines_of(timeout(SECOND * 2, stuck_at(2))).await;
    assert_eq!(lines[1..], [dropped(2)]);
}

#[tokio::test(start_paused = true)]
async fn the_layer_reports_it_and_a_loop_by_hand_does_not() {
    let retrier = Retrier::new(SECONDS, NoBudget, on_err(|outcome: &Outcome| *outcome));
    let service = service_fn(|()| pending::<Result<u32, Outcome>>());
    let layer = RetryLayer::new(retrier).named("charge");
    let (_, lines) = lines_of(timeout(SECOND, layer.layer(service).oneshot(()))).await;
    assert_eq!(lines, [dropped(1)]);
    let by_hand = async {
        let mut call = SECONDS.call_without_budget().named("charge");
        pending::<()>().await;
        call.again(Outcome::Retry).await
    };
    let (_, lines) = lines_of(timeout(SECOND, by_hand)).await;
    assert_eq!(lines, [] as [String; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_run_of_a_closure_is_reported_too() {
    let retrier = Retrier::new(SECONDS, NoBudget, on_err(|outcome: &Outcome| *outcome));
    let stuck = async {
        let mut call = retrier.call().named("charge");
        call.run(async |_| pending::<Result<u32, Outcome>>().await).await
    };
    let (_, lines) = lines_of(timeout(SECOND, stuck)).await;
    assert_eq!(lines, [dropped(1)]);
    let (_, lines) =
        lines_of(timeout(SECOND, retrier.run(async |_| pending::<Result<u32, Outcome>>().await)))
            .await;
    assert_eq!(lines, [dropped(1).replace("retry.name=\"charge\" ", "")]);
    let ended = async {
        let mut call = retrier.call().named("charge");
        call.run(async |_| Err::<u32, _>(Outcome::Stop)).await
    };
    let (_, lines) = lines_of(ended).await;
    assert!(lines.len() == 1 && !lines[0].contains("retry.dropped"), "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn what_was_never_polled_what_has_ended_and_what_panicked_is_not() {
    let (_, lines) = lines_of(async { drop(stuck_at(1)) }).await;
    assert_eq!(lines, [] as [String; 0]);

    #[retry(policy = SECONDS, budget = none, classify = classify, cancel = tokio::time::sleep(SECOND / 2))]
    async fn cancelled() -> Result<u32, Outcome> {
        Err(Outcome::Retry)
    }
    let (_, lines) = lines_of(cancelled()).await;
    assert!(lines.len() == 2 && !lines.concat().contains("retry.dropped"), "{lines:?}");

    #[retry(policy = SECONDS, budget = none, classify = classify)]
    async fn panics() -> Result<u32, Outcome> {
        tokio::task::yield_now().await;
        panic!("at the second poll")
    }
    let (_, lines) = lines_of(async {
        let mut call = Box::pin(panics());
        std::future::poll_fn(|context| {
            let polled = AssertUnwindSafe(|| call.as_mut().poll(context));
            match std::panic::catch_unwind(polled) {
                Ok(std::task::Poll::Pending) => std::task::Poll::Pending,
                Ok(ready) => panic!("{ready:?}"),
                Err(_panic) => std::task::Poll::Ready(()),
            }
        })
        .await;
    })
    .await;
    assert_eq!(lines, [] as [String; 0]);
}
