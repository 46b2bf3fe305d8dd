//! Events of a call for a subscriber of `tracing`, whichever way it is made.
//! One file, however long: each way to make a call is held to the same lines.

mod dropped;
mod errors;
mod lines;
mod spans;

use std::collections::VecDeque;
use std::future::{Future, ready};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use retry_runtime::tower::RetryLayer;
use retry_runtime::{Backoff, Budget, NoBudget, Outcome, Policy, Retrier, on_err, retry};
use tower::{Layer as _, ServiceExt, service_fn};
use tracing::Level;
use tracing_subscriber::layer::{Layer as _, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

use lines::{Lines, lines_of};

const SECONDS: Policy =
    Policy::new(3).backoff(Backoff::linear(Duration::from_secs(1), Duration::from_secs(9)));

fn payments() -> Budget {
    Budget::new(10, 0.1).named("payments")
}

fn classify(result: &Result<u32, Outcome>) -> Outcome {
    result.err().unwrap_or(Outcome::Success)
}

#[retry(policy = SECONDS, budget = budget, classify = classify, name = "payments.charge", attempt = this)]
async fn charge(budget: &Budget, results: &[Result<u32, Outcome>]) -> Result<u32, Outcome> {
    results[this.number() as usize - 1]
}

async fn charge_by_hand(budget: &Budget, results: &[Result<u32, Outcome>]) -> Result<u32, Outcome> {
    let mut call = SECONDS.call(budget).named("payments.charge");
    loop {
        let result = results[call.attempt() as usize - 1];
        if !call.again(classify(&result)).await {
            return result;
        }
    }
}

async fn charge_by_a_layer(
    budget: &Budget,
    results: &[Result<u32, Outcome>],
) -> Result<u32, Outcome> {
    let retrier = Retrier::new(SECONDS, Arc::new(payments()), on_err(|outcome: &Outcome| *outcome));
    // A service lives as long as the program, so it has a budget like this one.
    assert_eq!((budget.name(), budget.tokens()), (Some("payments"), 10.0));
    let results: VecDeque<_> = results.iter().copied().collect();
    let results = Arc::new(Mutex::new(results));
    let service = service_fn(move |()| ready(results.lock().unwrap().pop_front().unwrap()));
    RetryLayer::new(retrier).named("payments.charge").layer(service).oneshot(()).await
}

/// The same in each of the three ways to make a call.
async fn is_reported(results: &[Result<u32, Outcome>], expected: &[&str]) {
    let last = *results.last().unwrap();
    assert_eq!(lines_of(charge(&payments(), results)).await, (last, owned(expected)));
    assert_eq!(lines_of(charge_by_hand(&payments(), results)).await, (last, owned(expected)));
    assert_eq!(lines_of(charge_by_a_layer(&payments(), results)).await, (last, owned(expected)));
}

fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| line.replace('\n', "")).collect()
}

#[tokio::test(start_paused = true)]
async fn a_success_at_the_first_attempt_says_nothing() {
    is_reported(&[Ok(1)], &[]).await;
}

#[tokio::test(start_paused = true)]
async fn each_retry_is_a_warning_and_a_success_after_one_is_news() {
    is_reported(
        &[Err(Outcome::Retry), Err(Outcome::RetryIn(Duration::from_millis(2500))), Ok(3)],
        &[
            "WARN retry_runtime retry.again: message=attempt failed, another follows \
             retry.name=\"payments.charge\" retry.attempt=1 \
             retry.max_attempts=3 retry.outcome=\"retry\" \
             retry.decision=\"again\" retry.delay=1.0 \
             retry.budget.name=\"payments\" retry.budget.tokens=9.0",
            "WARN retry_runtime retry.again: message=attempt failed, another follows \
             retry.name=\"payments.charge\" retry.attempt=2 \
             retry.max_attempts=3 retry.outcome=\"retry_in\" \
             retry.decision=\"again\" retry.delay=2.5 \
             retry.budget.name=\"payments\" retry.budget.tokens=8.0",
            "INFO retry_runtime retry.recovered: message=call succeeded after a retry \
             retry.name=\"payments.charge\" retry.attempt=3 \
             retry.max_attempts=3 retry.decision=\"succeeded\" \
             retry.budget.name=\"payments\" retry.budget.tokens=8.1",
        ],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_fails_is_a_warning_with_the_decision_as_the_type_of_error() {
    is_reported(
        &[Err(Outcome::Stop)],
        &["WARN retry_runtime retry.failed: message=call failed error.type=\"stopped\" \
           retry.name=\"payments.charge\" retry.attempt=1 \
             retry.max_attempts=3 retry.outcome=\"stop\" \
           retry.decision=\"stopped\" retry.budget.name=\"payments\" retry.budget.tokens=10.0"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn every_way_to_fail_is_reported() {
    let low = Budget::new(3, 0.1);
    let _ = SECONDS.call(&low).decide(Outcome::Fail);
    let _ = SECONDS.call(&low).decide(Outcome::Fail);
    #[rustfmt::skip]
    let fail = async |policy: Policy, outcome: Outcome, budget: Option<&Budget>| {
        let mut call = match budget {
            Some(budget) => policy.call(budget),
            None => policy.call_without_budget(),
        };
        assert!(!call.again(outcome).await);
    };
    let one = Policy::new(1);
    let soon = SECONDS.within(Duration::from_millis(1));
    let ((), lines) = lines_of(async {
        fail(one, Outcome::Retry, None).await;
        fail(SECONDS, Outcome::Retry, Some(&low)).await;
        fail(soon, Outcome::RetryAfter(Duration::ZERO), None).await;
        fail(SECONDS, Outcome::Fail, None).await;
        let mut call = SECONDS.call_without_budget();
        assert!(!call.again_unless(Outcome::Retry, ready(())).await);
    })
    .await;
    let line = |outcome: &str, decision: &str, budget: &str| {
        let max = if decision == "exhausted" { 1 } else { 3 };
        format!(
            "WARN retry_runtime retry.failed: message=call failed error.type=\"{decision}\" \
             retry.attempt=1 retry.max_attempts={max} retry.outcome=\"{outcome}\" \
             retry.decision=\"{decision}\"{budget}"
        )
    };
    assert_eq!(
        lines,
        [
            line("retry", "exhausted", ""),
            line("retry", "throttled", " retry.budget.tokens=0.0"),
            line("retry_after", "expired", ""),
            line("fail", "failed", ""),
            line("retry", "cancelled", ""),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_retry_is_reported_before_its_wait() {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::registry().with(lines.clone());
    let _guard = subscriber.set_default();
    let budget = payments();
    let results = [Err(Outcome::Retry), Ok(1)];
    let call = charge(&budget, &results);
    assert!(tokio::time::timeout(Duration::from_millis(500), call).await.is_err());
    let lines = lines.all();
    // And then that the call is dropped in it.
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("WARN retry_runtime retry.again: "), "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_is_cut_short_is_reported_observed_or_not() {
    #[retry(
        attempts = 3,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(10s),
        cancel = tokio::time::sleep(Duration::from_secs(1)),
    )]
    async fn unobserved() -> Result<u32, Outcome> {
        Err(Outcome::Retry)
    }
    #[retry(
        attempts = 3,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(10s),
        cancel = tokio::time::sleep(Duration::from_secs(1)),
        observe = |_| {},
    )]
    async fn observed() -> Result<u32, Outcome> {
        Err(Outcome::Retry)
    }
    async fn by_hand() -> Result<u32, Outcome> {
        let mut call = SECONDS.call_without_budget();
        let cancel = tokio::time::sleep(Duration::from_millis(1));
        assert!(!call.again_unless(Outcome::Retry, cancel).await);
        Err(Outcome::Retry)
    }
    let (_, lines) = lines_of(async {
        let _ = (unobserved().await, observed().await, by_hand().await);
    })
    .await;
    let parts: Vec<_> = lines
        .iter()
        .map(|line| {
            let has = |part: &str| line.contains(part);
            assert!(has(" retry.attempt=1"), "{line}");
            (has("retry.again: "), has("error.type=\"cancelled\""), has("retry.outcome=\"retry\""))
        })
        .collect();
    let retry = (true, false, true);
    assert_eq!(
        parts,
        [retry, (false, true, false), retry, (false, true, true), retry, (false, true, true)]
    );
}

#[tokio::test(start_paused = true)]
async fn nothing_of_an_argument_or_an_error_is_reported() {
    #[retry(attempts = 2, budget = none, classify_err = |_| Outcome::Retry, schedule = Backoff::none())]
    async fn login(password: &str) -> Result<u32, String> {
        Err(format!("wrong password: {password}"))
    }
    let (result, lines) = lines_of(login("s3cret")).await;
    assert!(result.is_err());
    assert_eq!(lines.len(), 2);
    assert!(lines.iter().all(|line| !line.contains("s3cret") && !line.contains("wrong")));
}

#[tokio::test(start_paused = true)]
async fn a_subscriber_sees_what_happened_although_the_observer_panics() {
    #[retry(attempts = 2, budget = none, classify = classify, observe = |_| panic!("no such sink"))]
    async fn call() -> Result<u32, Outcome> {
        Err(Outcome::Retry)
    }
    async fn by_hand() {
        let mut call = SECONDS.call_without_budget().observe(&|_| panic!("no such sink"));
        call.again(Outcome::Retry).await;
    }
    let (result, lines) = lines_of(tokio::spawn(call())).await;
    assert!(result.unwrap_err().is_panic());
    assert_eq!(lines.len(), 1);
    let (result, lines) = lines_of(tokio::spawn(by_hand())).await;
    assert!(result.unwrap_err().is_panic());
    assert_eq!(lines.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_filter_by_the_target_and_a_level_works() {
    let lines = Lines::default();
    let filter =
        tracing_subscriber::filter::Targets::new().with_target("retry_runtime", Level::WARN);
    let subscriber = tracing_subscriber::registry().with(lines.clone().with_filter(filter));
    let _guard = subscriber.set_default();
    charge(&payments(), &[Err(Outcome::Retry), Ok(2)]).await.unwrap();
    let lines = lines.all();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("WARN"));
}

#[tokio::test(start_paused = true)]
async fn a_future_that_can_be_sent_still_can() {
    fn sendable<F: Future + Send>(future: F) -> F {
        future
    }
    let retrier = Retrier::new(SECONDS, NoBudget, on_err(|_: &()| Outcome::Stop));
    let layer = RetryLayer::new(retrier);
    let service = layer.layer(service_fn(|()| async { Err::<(), ()>(()) }));
    let (_, lines) = lines_of(async {
        let _ = sendable(charge(&payments(), &[Ok(1)])).await;
        let _ = sendable(charge_by_hand(&payments(), &[Ok(1)])).await;
        let _ = sendable(service.oneshot(())).await;
    })
    .await;
    assert_eq!(lines.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_repeat_is_no_warning() {
    is_reported(
        &[Err(Outcome::Repeat), Ok(2)],
        &[
            "INFO retry_runtime retry.again: message=attempt was well, another follows \
             retry.name=\"payments.charge\" retry.attempt=1 \
             retry.max_attempts=3 retry.outcome=\"repeat\" \
             retry.decision=\"again\" retry.delay=1.0 \
             retry.budget.name=\"payments\" retry.budget.tokens=10.0",
            "INFO retry_runtime retry.recovered: message=call succeeded after a retry \
             retry.name=\"payments.charge\" retry.attempt=2 \
             retry.max_attempts=3 retry.decision=\"succeeded\" \
             retry.budget.name=\"payments\" retry.budget.tokens=10.0",
        ],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn the_layer_tells_the_status_of_an_answer_of_http() {
    use http::{Request, Response, StatusCode};
    use retry_runtime::http::{ErrorKind, HttpPolicy};

    let statuses = Arc::new(Mutex::new(VecDeque::from([503, 200])));
    let service = service_fn(move |_: Request<String>| {
        let status = StatusCode::from_u16(statuses.lock().unwrap().pop_front().unwrap()).unwrap();
        ready(Ok::<_, std::io::Error>(
            Response::builder().status(status).body(String::new()).unwrap(),
        ))
    });
    let texts = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&texts);
    let layer =
        RetryLayer::http(HttpPolicy::DEFAULT, NoBudget, |_: &std::io::Error| ErrorKind::Other)
            .observe(move |event| {
                seen.lock().unwrap().push(event.error.map(|error| error.to_string()))
            });
    let call = layer.layer(service).oneshot(Request::get("/").body(String::new()).unwrap());
    let (answer, lines) = lines_of(call).await;
    assert_eq!(answer.unwrap().status(), 200);
    let status = |line: &String| {
        let (_, status) = line.split_once("http.response.status_code=").unwrap();
        status.split(' ').next().unwrap().to_owned()
    };
    assert_eq!(lines.iter().map(status).collect::<Vec<_>>(), ["503", "200"]);
    assert_eq!(*texts.lock().unwrap(), [Some("status 503 Service Unavailable".to_owned()), None]);
}

#[tokio::test(start_paused = true)]
async fn the_run_of_a_retrier_is_reported_as_that_of_its_call() {
    let results = [Err(Outcome::Retry), Err(Outcome::RetryIn(Duration::from_secs(2))), Ok(3)];
    let attempt = async |attempt: retry_runtime::Attempt| results[attempt.number() as usize - 1];
    let retrier = || Retrier::new(SECONDS, payments(), classify);
    let (by_retrier, by_call) = (retrier(), retrier());
    let reported = lines_of(by_retrier.run(attempt)).await;
    assert_eq!(reported.1.len(), 3);
    assert_eq!(reported, lines_of(by_call.call().run(attempt)).await);
}
