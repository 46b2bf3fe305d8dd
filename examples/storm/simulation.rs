//! The run itself: a virtual clock, and the library's own calls and budgets.

use std::time::{Duration, Instant};

use retry_runtime::{Budget, Call, Decision, Outcome, Policy};

use crate::agenda::Agenda;
use crate::server::Server;
use crate::{Nanos, Record, Scenario};

/// How many sequences of jitter there are. Calls go round them in turn.
const SEEDS: u64 = 1000;

enum Event<'a> {
    /// The call with this number begins.
    Begin(u64),
    /// An attempt is sent.
    Send(Box<Call<'a>>),
    /// An attempt has its answer, or its time is over.
    End(Box<Call<'a>>, Outcome),
}

/// Runs a scenario, and tells `progress` of each second of the virtual clock.
///
/// Every decision is one of [`Call::decide_at`]; nothing of the library is modelled.
///
/// # Panics
///
/// If the load or the capacity is 0, or the budgets are out of range.
#[must_use]
pub fn run(scenario: &Scenario, mut progress: impl FnMut(u64)) -> Record {
    let budgets = scenario.budgets.map(|budgets| budgets.fill());
    let budget_of = |number: u64| -> Option<&Budget> {
        let budgets = budgets.as_ref()?;
        Some(&budgets[number as usize % budgets.len()])
    };
    let policies: Vec<Policy> = (0..SEEDS)
        .map(|seed| Policy::new(scenario.attempts).backoff(scenario.backoff.seed(seed)))
        .collect();
    let interval = Scenario::SECOND / scenario.load;
    let end = scenario.seconds * Scenario::SECOND;
    // A call wants an `Instant`; only differences from this one mean anything.
    let origin = Instant::now();
    let instant = |now: Nanos| origin + Duration::from_nanos(now);

    let mut server = Server::new(scenario);
    let mut record = Record::new(scenario);
    let mut agenda = Agenda::new();
    let mut told = 0;
    agenda.add(0, Event::Begin(0));
    while let Some((now, event)) = agenda.next() {
        if now / Scenario::SECOND > told {
            told = now / Scenario::SECOND;
            progress(told);
        }
        match event {
            Event::Begin(number) => {
                let policy = &policies[(number % SEEDS) as usize];
                let call = match budget_of(number) {
                    Some(budget) => policy.call(budget),
                    None => policy.call_without_budget(),
                };
                let call = call.starting_at(instant(now));
                record.call();
                agenda.add(now, Event::Send(Box::new(call)));
                let next = (number + 1) * interval;
                if next < end {
                    agenda.add(next, Event::Begin(number + 1));
                }
            }
            Event::Send(call) => {
                record.attempt(now);
                let patience = now + scenario.timeout;
                let (at, outcome) = match server.accept(now) {
                    Some(answer) if answer <= patience => (answer, Outcome::Success),
                    _ => (patience, Outcome::Retry),
                };
                agenda.add(at, Event::End(call, outcome));
            }
            Event::End(mut call, outcome) => match call.decide_at(outcome, instant(now)) {
                Decision::Again { delay } => {
                    agenda.add(now + delay.as_nanos() as Nanos, Event::Send(call));
                }
                Decision::Succeeded => record.success(now),
                _ => {}
            },
        }
    }
    record
}
