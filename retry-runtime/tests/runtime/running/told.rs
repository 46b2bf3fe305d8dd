//! Events passed to the observer of a run.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_classifier_explains_to_the_observer_of_a_run() {
    struct Explains;
    impl Classify<Result<u32, u16>> for Explains {
        fn classify(&self, result: &Result<u32, u16>) -> Outcome {
            if result.is_ok() { Outcome::Success } else { Outcome::RetryIn(Duration::ZERO) }
        }
        fn explain(
            &self,
            result: &Result<u32, u16>,
            f: &mut std::fmt::Formatter<'_>,
        ) -> std::fmt::Result {
            write!(f, "it was {result:?}")
        }
    }
    let texts = Mutex::new(Vec::new());
    let observer = |event: &Event<'_>| {
        texts.lock().unwrap().push(event.error.map(ToString::to_string));
    };
    let retrier = Retrier::new(Policy::new(3), NoBudget, Explains);
    let result = async |attempt: Attempt| if attempt.is_first() { Err(503) } else { Ok(2) };
    retrier.call().observe(&observer).run(result).await.unwrap();
    let policy = Policy::new(3);
    policy.call_without_budget().observe(&observer).run_with(Explains, result).await.unwrap();
    let never = std::future::pending::<()>();
    retrier.call().observe(&observer).run_unless(never, result).await.unwrap();
    let of_thread = |attempt: Attempt| if attempt.is_first() { Err(503) } else { Ok(2) };
    retrier.call().observe(&observer).run_blocking(of_thread).unwrap();
    retrier.call().observe(&observer).run_blocking_unless(|_| false, of_thread).unwrap();
    let pair = [Some("it was Err(503)".to_owned()), None];
    assert_eq!(texts.into_inner().unwrap(), [&pair[..], &pair, &pair, &pair, &pair].concat());
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_is_cut_is_explained_as_its_attempt_was() {
    struct Waits;
    impl Classify<u16> for Waits {
        fn classify(&self, _: &u16) -> Outcome {
            Outcome::RetryIn(SECOND)
        }
        fn explain(&self, status: &u16, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "status {status}")
        }
    }
    let events = Mutex::new(Vec::new());
    let observer = |event: &Event<'_>| {
        let text = event.error.map(ToString::to_string).unwrap_or_default();
        events.lock().unwrap().push((event.kind, event.attempt, text));
    };
    let retrier = Retrier::new(Policy::new(3), NoBudget, Waits);
    let soon = tokio::time::sleep(SECOND / 2);
    retrier.call().observe(&observer).run_unless(soon, async |_| 503).await;
    retrier.call().observe(&observer).run_blocking_unless(|delay| !delay.is_zero(), |_| 503);
    let text = || "status 503".to_owned();
    let each = [(EventKind::Attempt, 1, text()), (EventKind::WaitCut, 1, text())];
    assert_eq!(events.into_inner().unwrap(), [&each[..], &each].concat());
}

#[tokio::test(start_paused = true)]
async fn limits_schedule_observer_and_name_are_those_of_the_call() {
    let retrier = retrier();
    let seen = Mutex::new(Vec::new());
    let observer = |event: &Event<'_>| {
        let line = format!("{} {} {}", event.name, event.attempt, event.decision);
        seen.lock().unwrap().push((line, event.elapsed));
    };
    let twos = |_: u32| SECOND * 2;
    let mut call = retrier
        .call()
        .named("payments.charge")
        .schedule(&twos)
        .deadline(Instant::now() + SECOND * 5)
        .observe(&observer);
    let mut left = Vec::new();
    let result = call
        .run(|attempt| {
            left.push((attempt.max(), attempt.remaining()));
            async { Err::<u32, _>(Failure::Busy) }
        })
        .await;
    assert_eq!(result, Err(Failure::Busy));
    assert_eq!((call.decision(), call.elapsed()), (Some(Decision::Expired), Some(SECOND * 4)));
    let max = Some(4);
    assert_eq!(left, [(max, Some(SECOND * 5)), (max, Some(SECOND * 3)), (max, Some(SECOND))]);
    let said = |text: &str, seconds: u32| (format!("payments.charge {text}"), SECOND * seconds);
    assert_eq!(
        seen.into_inner().unwrap(),
        [said("1 again in 2s", 0), said("2 again in 2s", 2), said("3 expired", 4)]
    );
}
