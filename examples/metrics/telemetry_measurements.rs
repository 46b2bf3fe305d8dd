//! Measurements of a call for a recorder of `metrics`, whichever way it is made.
//! One subject, so in one file, however long.

use std::collections::{BTreeMap, VecDeque};
use std::future::{Future, ready};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use metrics_util::debugging::{DebugValue, DebuggingRecorder};
use retry_runtime::telemetry::describe_metrics;
use retry_runtime::tower::{Ending, Exchange, RetryLayer};
use retry_runtime::{Backoff, Budget, NoBudget, Outcome, Policy, Retrier, on_err, retry};
use tower::{Layer, ServiceExt, service_fn};

const SECONDS: Policy = Policy::new(3).backoff(Backoff::constant(Duration::from_secs(1)));

/// What the recorder holds after `call`: `name{labels}` and the values, as text.
async fn measured<T>(call: impl Future<Output = T>) -> (T, BTreeMap<String, String>) {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    // The runtime of these tests has this one thread.
    let guard = metrics::set_default_local_recorder(&recorder);
    let output = call.await;
    drop(guard);
    let line = |(key, _, _, value): (metrics_util::CompositeKey, _, _, DebugValue)| {
        let labels: Vec<_> =
            key.key().labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
        let value = match value {
            DebugValue::Counter(count) => count.to_string(),
            DebugValue::Gauge(value) => format!("{value}"),
            DebugValue::Histogram(values) => {
                values.iter().map(|value| format!("{value}")).collect::<Vec<_>>().join(" ")
            }
        };
        (format!("{}{{{}}}", key.key().name(), labels.join(",")), value)
    };
    (output, snapshotter.snapshot().into_vec().into_iter().map(line).collect())
}

fn lines(lines: &[(&str, &str)]) -> BTreeMap<String, String> {
    lines.iter().map(|(name, value)| (String::from(*name), String::from(*value))).collect()
}

fn classify(result: &Result<u32, Outcome>) -> Outcome {
    result.err().unwrap_or(Outcome::Success)
}

fn payments() -> Budget {
    Budget::new(10, 0.1).named("payments")
}

type Results<'a> = &'a [Result<u32, Outcome>];

#[retry(policy = SECONDS, budget = budget, classify = classify, name = "charge", attempt = this)]
async fn charge(budget: &Budget, results: Results<'_>) -> Result<u32, Outcome> {
    results[this.number() as usize - 1]
}

async fn charge_by_hand(budget: &Budget, results: Results<'_>) -> Result<u32, Outcome> {
    // A name that does not live as long as the program.
    let name = String::from("charge");
    let mut call = SECONDS.call(budget).named(&name);
    loop {
        let result = results[call.attempt() as usize - 1];
        if !call.again(classify(&result)).await {
            return result;
        }
    }
}

async fn charge_by_a_layer(budget: Budget, results: Results<'_>) -> Result<u32, Outcome> {
    let retrier = Retrier::new(SECONDS, budget, on_err(|outcome: &Outcome| *outcome));
    let results: VecDeque<_> = results.iter().copied().collect();
    let results = Arc::new(Mutex::new(results));
    let service = service_fn(move |()| ready(results.lock().unwrap().pop_front().unwrap()));
    RetryLayer::new(retrier).named("charge").layer(service).oneshot(()).await
}

#[tokio::test(start_paused = true)]
async fn attempts_calls_and_tokens_are_counted_for_each_way_to_make_a_call() {
    let results = [Err(Outcome::Retry), Err(Outcome::RetryIn(Duration::ZERO)), Ok(3)];
    let expected = lines(&[
        ("retry.attempts{name=charge,decision=again}", "2"),
        ("retry.attempts{name=charge,decision=succeeded}", "1"),
        ("retry.attempts_per_call{name=charge}", "3"),
        ("retry.budget.tokens{budget=payments}", "8.1"),
        ("retry.calls{name=charge,decision=succeeded}", "1"),
    ]);
    assert_eq!(measured(charge(&payments(), &results)).await, (Ok(3), expected.clone()));
    assert_eq!(measured(charge_by_hand(&payments(), &results)).await, (Ok(3), expected.clone()));
    assert_eq!(measured(charge_by_a_layer(payments(), &results)).await, (Ok(3), expected));
}

#[tokio::test(start_paused = true)]
async fn a_success_at_the_first_attempt_counts() {
    let budget = payments();
    let calls = async {
        charge(&budget, &[Ok(1)]).await.unwrap();
        charge(&budget, &[Ok(1)]).await.unwrap();
    };
    let expected = lines(&[
        ("retry.attempts{name=charge,decision=succeeded}", "2"),
        ("retry.attempts_per_call{name=charge}", "1 1"),
        ("retry.budget.tokens{budget=payments}", "10"),
        ("retry.calls{name=charge,decision=succeeded}", "2"),
    ]);
    assert_eq!(measured(calls).await, ((), expected));
}

#[tokio::test(start_paused = true)]
async fn each_end_of_a_call_is_a_label_of_its_own() {
    let budget = payments();
    let calls = async {
        for results in [
            &[Err(Outcome::Retry); 3][..], // 9, 8, 7
            &[Err(Outcome::Stop)],
            &[Err(Outcome::Fail)],     // 6
            &[Err(Outcome::Retry); 3], // 5: refused
        ] {
            assert!(charge(&budget, results).await.is_err());
        }
    };
    let expected = lines(&[
        ("retry.attempts{name=charge,decision=again}", "2"),
        ("retry.attempts{name=charge,decision=exhausted}", "1"),
        ("retry.attempts{name=charge,decision=failed}", "1"),
        ("retry.attempts{name=charge,decision=stopped}", "1"),
        ("retry.attempts{name=charge,decision=throttled}", "1"),
        ("retry.attempts_per_call{name=charge}", "3 1 1 1"),
        ("retry.budget.tokens{budget=payments}", "5"),
        ("retry.calls{name=charge,decision=exhausted}", "1"),
        ("retry.calls{name=charge,decision=failed}", "1"),
        ("retry.calls{name=charge,decision=stopped}", "1"),
        ("retry.calls{name=charge,decision=throttled}", "1"),
    ]);
    assert_eq!(measured(calls).await, ((), expected));
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_is_cut_short_adds_no_attempt() {
    #[retry(
        attempts = 3,
        budget = BUDGET,
        classify = classify,
        schedule = Backoff::constant(10s),
        cancel = tokio::time::sleep(Duration::from_secs(1)),
        name = "poll",
    )]
    async fn unobserved() -> Result<u32, Outcome> {
        Err(Outcome::Retry)
    }
    #[retry(
        attempts = 3,
        budget = BUDGET,
        classify = classify,
        schedule = Backoff::constant(10s),
        cancel = tokio::time::sleep(Duration::from_secs(1)),
        name = "poll",
        observe = |_| {},
    )]
    async fn observed() -> Result<u32, Outcome> {
        Err(Outcome::Retry)
    }
    static BUDGET: Budget = Budget::new(10, 0.1);
    let expected = lines(&[
        ("retry.attempts{name=poll,decision=again}", "1"),
        ("retry.attempts_per_call{name=poll}", "1"),
        ("retry.calls{name=poll,decision=cancelled}", "1"),
    ]);
    assert_eq!(measured(unobserved()).await, (Err(Outcome::Retry), expected.clone()));
    assert_eq!(measured(observed()).await, (Err(Outcome::Retry), expected));
}

#[tokio::test(start_paused = true)]
async fn labels_are_names_of_the_program_alone() {
    #[retry(attempts = 2, budget = BUDGET, classify_err = |_| Outcome::Retry, schedule = Backoff::none())]
    async fn login(password: &str) -> Result<u32, String> {
        Err(format!("wrong password: {password}"))
    }
    // It has no name, so it has no gauge.
    static BUDGET: Budget = Budget::new(10, 0.1);
    let (_, measured) = measured(login("s3cret")).await;
    let name = concat!(module_path!(), "::login");
    let expected = [
        format!("retry.attempts_per_call{{name={name}}}"),
        format!("retry.attempts{{name={name},decision=again}}"),
        format!("retry.attempts{{name={name},decision=exhausted}}"),
        format!("retry.calls{{name={name},decision=exhausted}}"),
    ];
    assert_eq!(measured.into_keys().collect::<Vec<_>>(), expected);
}

/// Requests that a server refuses before it processes them.
struct Refusing;

impl Exchange<u32, u32, &'static str> for Refusing {
    const REPEATS_AT_ONCE: bool = true;

    type Seen = ();
    type Answer = u32;

    fn see(&self, _: &u32) {}

    fn copy(&self, request: &mut u32) -> Option<u32> {
        Some(*request)
    }

    fn classify(&self, (): &(), result: &Result<u32, &'static str>) -> Outcome {
        if result.is_ok() { Outcome::Success } else { Outcome::Retry }
    }

    fn repeats_at_once(&self, (): &(), result: &Result<u32, &'static str>) -> bool {
        *result == Err("refused")
    }

    fn finish(&self, (): (), response: u32, _: Ending) -> u32 {
        response
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_layer_repeats_at_once_has_a_count_of_its_own() {
    let budget = Arc::new(payments());
    let layer = RetryLayer::with(SECONDS, budget, Refusing).named("charge");
    let answers = Arc::new(Mutex::new(VecDeque::from([Err("refused"), Ok(1)])));
    let service = layer.layer(service_fn(move |_: u32| {
        ready(answers.lock().unwrap().pop_front().expect("an answer"))
    }));
    let expected = lines(&[
        ("retry.attempts{name=charge,decision=succeeded}", "1"),
        ("retry.attempts_per_call{name=charge}", "1"),
        ("retry.budget.tokens{budget=payments}", "10"),
        ("retry.calls{name=charge,decision=succeeded}", "1"),
        ("retry.repeated_at_once{name=charge}", "1"),
    ]);
    assert_eq!(measured(service.oneshot(7)).await, (Ok(1), expected));
}

/// Answers that are judged when they have been read.
struct Streaming;

impl Exchange<u32, u32, &'static str> for Streaming {
    type Seen = ();
    type Answer = Ending;

    fn see(&self, _: &u32) {}

    fn copy(&self, request: &mut u32) -> Option<u32> {
        Some(*request)
    }

    fn classify(&self, (): &(), _: &Result<u32, &'static str>) -> Outcome {
        Outcome::Success
    }

    fn is_open(&self, (): &(), _: &u32) -> bool {
        true
    }

    fn finish(&self, (): (), _: u32, ending: Ending) -> Ending {
        ending
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_nobody_reads_to_its_end_is_a_call_that_was_dropped() {
    let layer = RetryLayer::with(SECONDS, NoBudget, Streaming).named("charge");
    let service = layer.layer(service_fn(|_: u32| ready(Ok::<_, &'static str>(1))));
    let (_, dropped) = measured(async { drop(service.clone().oneshot(7).await) }).await;
    assert_eq!(dropped, lines(&[("retry.calls{name=charge,decision=dropped}", "1")]));

    let settled = async {
        let Ok(Ending::Open(call)) = service.oneshot(7).await else { panic!("it is open") };
        call.settle(Outcome::Success);
    };
    let expected = lines(&[
        ("retry.attempts{name=charge,decision=succeeded}", "1"),
        ("retry.attempts_per_call{name=charge}", "1"),
        ("retry.calls{name=charge,decision=succeeded}", "1"),
    ]);
    assert_eq!(measured(settled).await.1, expected);
}

#[test]
fn every_measurement_has_a_description_and_no_other_name() {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    metrics::with_local_recorder(&recorder, || {
        describe_metrics();
        let budget = payments();
        let mut call = SECONDS.call(&budget);
        let _ = (call.decide(Outcome::Retry), call.decide(Outcome::Stop));
        let first = Arc::new(AtomicBool::new(true));
        let service = service_fn(move |_: u32| {
            ready(if first.swap(false, Ordering::SeqCst) { Err("refused") } else { Ok(1) })
        });
        let layered = RetryLayer::with(SECONDS, NoBudget, Refusing).layer(service);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(layered.oneshot(7)).unwrap();
    });
    let described = snapshotter.snapshot().into_vec();
    assert_eq!(described.len(), 8);
    for (key, unit, description, _) in described {
        assert_eq!(unit, Some(metrics::Unit::Count), "{key:?}");
        assert!(description.is_some(), "{key:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_recorder_a_call_goes_on_as_ever() {
    assert_eq!(charge(&payments(), &[Err(Outcome::Retry), Ok(2)]).await, Ok(2));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_is_counted() {
    let (stuck, second) = ([Err(Outcome::Retry)], Duration::from_secs(1));
    #[retry(policy = SECONDS, budget = none, classify = classify, name = "charge")]
    async fn stuck_in_an_attempt() -> Result<u32, Outcome> {
        std::future::pending().await
    }
    let calls = async {
        let budget = payments();
        tokio::time::timeout(second / 2, charge(&budget, &stuck)).await.unwrap_err();
        tokio::time::timeout(second, stuck_in_an_attempt()).await.unwrap_err();
        drop(charge(&budget, &stuck));
    };
    let expected = lines(&[
        ("retry.attempts{name=charge,decision=again}", "1"),
        ("retry.budget.tokens{budget=payments}", "9"),
        ("retry.calls{name=charge,decision=dropped}", "2"),
    ]);
    assert_eq!(measured(calls).await, ((), expected));
}
