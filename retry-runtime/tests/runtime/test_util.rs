//! The log of events that users' tests look at.

use std::time::Duration;

use retry_runtime::test_util::{EventLog, EventRecord};
use retry_runtime::{Backoff, Budget, Decision, EventKind, Outcome, retry};

const MS: Duration = Duration::from_millis(1);

#[retry(
    attempts = 3,
    budget = budget,
    classify_err = |outcome| *outcome,
    schedule = Backoff::constant(20ms),
    name = "payments.charge",
    attempt = this,
    observe = |event| log.push(event),
)]
async fn charge(budget: &Budget, log: &EventLog, succeed_at: u32) -> Result<u32, Outcome> {
    tokio::time::sleep(MS).await;
    if this.number() < succeed_at { Err(Outcome::Retry) } else { Ok(this.number()) }
}

#[tokio::test(start_paused = true)]
async fn a_log_keeps_every_part_of_an_event() {
    let budget = Budget::new(10, 0.1).named("payments");
    let log = EventLog::new();
    charge(&budget, &log, 2).await.unwrap();
    let parts = |record: &EventRecord| {
        let EventRecord { kind, name, attempt, outcome, decision, elapsed, .. } = record.clone();
        let budget = (record.budget, record.tokens);
        (kind, name, attempt, outcome, decision, elapsed, budget)
    };
    let name = String::from("payments.charge");
    let again = Decision::Again { delay: 20 * MS };
    let budget = |tokens| (Some("payments"), Some(tokens));
    assert_eq!(
        log.records().iter().map(parts).collect::<Vec<_>>(),
        [
            (EventKind::Attempt, name.clone(), 1, Outcome::Retry, again, MS, budget(9.0)),
            (
                EventKind::Attempt,
                name,
                2,
                Outcome::Success,
                Decision::Succeeded,
                22 * MS,
                budget(9.1)
            ),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_log_gives_decisions_and_delays_and_starts_anew_when_it_is_taken() {
    let budget = Budget::new(10, 0.1);
    let log = EventLog::new();
    assert_eq!(charge(&budget, &log, 9).await, Err(Outcome::Retry));
    let again = Decision::Again { delay: 20 * MS };
    assert_eq!(log.decisions(), [again, again, Decision::Exhausted]);
    assert_eq!(log.delays(), [20 * MS, 20 * MS]);
    assert_eq!(log.take().len(), 3);
    assert_eq!(log.records(), []);
    charge(&budget, &log, 1).await.unwrap();
    assert_eq!(log.decisions(), [Decision::Succeeded]);
}

#[tokio::test(start_paused = true)]
async fn a_clone_is_the_same_log_on_whichever_task() {
    let log = EventLog::new();
    let theirs = log.clone();
    let task = async move { charge(&Budget::new(10, 0.1), &theirs, 1).await };
    tokio::spawn(task).await.unwrap().unwrap();
    assert_eq!(log.decisions(), [Decision::Succeeded]);
}

#[tokio::test(start_paused = true)]
async fn a_record_of_a_call_without_a_budget_has_no_tokens() {
    let log = EventLog::new();
    #[retry(attempts = 1, budget = none, classify_err = |_| Outcome::Stop, observe = |event| log.push(event))]
    async fn call(log: &EventLog) -> Result<(), u8> {
        Ok(())
    }
    call(&log).await.unwrap();
    assert_eq!((log.records()[0].budget, log.records()[0].tokens), (None, None));
}
