//! The figures of the storm: the published predictions, the closed formulas, and the
//! table as it stands.

use std::sync::LazyLock;

use retry_storm::table::{self, Row};
use retry_storm::{Budgets, Record, Scenario, run};

fn play(scenario: &Scenario) -> Record {
    run(scenario, |_| {})
}

/// The rows of the table, played once for all tests.
static PLAYED: LazyLock<Vec<(Row, Record)>> = LazyLock::new(|| {
    let rows = table::published().into_iter();
    rows.map(|row| {
        let record = play(&row.scenario);
        (row, record)
    })
    .collect()
});

/// Load, attempts and budget; then attempts for each call, calls answered, seconds until
/// recovery, and attempts in a second at the end.
#[test]
fn the_table_has_these_figures() {
    let expected = "
   140/s        2         none        1.4265   57.7 %    119 s      140/s
   160/s        2         none        1.9000   10.0 %    never      320/s
   280/s        1            -        1.0000   55.0 %    126 s      280/s
   280/s        2         none        1.9000   10.0 %    never      560/s
   280/s        3         none        2.8000   10.0 %    never      840/s
   280/s        3         none        2.8000   10.0 %    never      839/s  full jitter, 100 ms to 1 s
   280/s        3         none        2.8000   10.0 %    never      844/s  full jitter, 1 s to 30 s
   280/s        2    (10, 0.1)        1.0013   53.1 %    132 s      280/s
   280/s        3    (10, 0.1)        1.0013   53.1 %    132 s      280/s
   280/s        2   (100, 0.1)        1.0100   41.0 %    168 s      280/s
   280/s        3    (10, 0.1)        1.0000   54.9 %    127 s      280/s  one budget for all
   280/s        3         none        1.1467   92.7 %     26 s      280/s  server drops expired work
   280/s        3    (10, 0.1)        1.0013   97.0 %      0 s      280/s  server drops expired work
   280/s        5         none        4.5891   10.3 %    never     1400/s  5 times slower, timeout 3 s
   280/s        5    (10, 0.1)        1.0013   73.4 %     74 s      280/s  5 times slower, timeout 3 s
";
    let rows: Vec<String> = PLAYED.iter().map(|(row, record)| table::row(row, record)).collect();
    let rows: Vec<&str> = rows.iter().map(|row| row.trim_start()).collect();
    let expected: Vec<&str> = expected.trim().lines().map(str::trim_start).collect();
    assert_eq!(rows, expected);
}

/// Bronson et al., HotOS 2021: with one retry, a server that is good for 300 requests
/// a second comes back by itself below a load of 150 and never above it, and at 280 it
/// stays at 560 requests a second with next to no answers.
#[test]
fn the_published_predictions_come_out() {
    let at = |load| play(&Scenario { seconds: 400, ..Scenario::at(load).attempts(2) });
    assert!(at(145).recovery().is_some());
    assert_eq!(at(155).recovery(), None);

    let storm = play(&Scenario::at(280).attempts(2));
    assert_eq!(storm.offered_at_the_end(), 560);
    assert_eq!(storm.goodput()[100..].iter().sum::<u64>(), 0);
}

/// While the server stands still the queue grows by ten seconds of load, less the one
/// second in which it would still have been in time, and by the retries; it then
/// shrinks by what the server has to spare.
#[test]
fn recovery_takes_as_long_as_the_backlog_needs() {
    for (row, record) in PLAYED.iter() {
        let scenario = row.scenario;
        if scenario.drops_expired || scenario.timeout != Scenario::SECOND {
            continue;
        }
        // Without a budget each call is made in full while the queue is too long, so
        // retries arrive at a rate; with one they come as a burst.
        let rate = match scenario.budgets {
            None => scenario.load * u64::from(scenario.attempts),
            Some(_) => scenario.load,
        };
        let Some(spare) = scenario.capacity.checked_sub(rate).filter(|spare| *spare > 0) else {
            assert_eq!(record.recovery(), None, "{row:?}");
            continue;
        };
        let in_fault: u64 = record.offered()[30..40].iter().sum();
        let retries = match scenario.budgets {
            None => in_fault - 10 * scenario.load,
            Some(_) => record.retries(),
        };
        let backlog = 10 * scenario.load + retries - scenario.capacity;
        let predicted = backlog as f64 / spare as f64;
        let recovery = record.recovery().expect("there is capacity to spare") as f64;
        assert!((recovery - predicted).abs() <= 2.0, "{recovery} s, not {predicted} s: {row:?}");
    }
}

#[test]
fn no_budget_lets_more_than_its_bound_through() {
    let mut checked = 0;
    for (row, record) in PLAYED.iter() {
        let Some(budgets) = row.scenario.budgets else { continue };
        let burst = f64::from(budgets.max_tokens) * budgets.clients as f64 / 2.0;
        let bound =
            1.0 + budgets.token_ratio * record.success_share() + burst / record.calls() as f64;
        assert!(record.amplification() < bound, "{row:?}");
        checked += 1;
    }
    assert_eq!(checked, 6);
}

#[test]
fn a_client_sends_at_most_the_retries_of_an_outage_while_the_server_stands_still() {
    // 28 clients, each with ceil(10 / 2) - 1 = 4 retries to give away.
    let budgets = Budgets::new(10, 0.1);
    let record = play(&Scenario { budgets: Some(budgets), ..Scenario::default() });
    assert_eq!(record.retries(), 28 * 4);
    // One budget for all of them gives away 4 in all.
    let shared = Budgets { clients: 1, ..budgets };
    let record = play(&Scenario { budgets: Some(shared), ..Scenario::default() });
    assert_eq!(record.retries(), 4);
}

#[test]
fn before_the_fault_nothing_differs_and_nothing_is_retried() {
    for (row, record) in PLAYED.iter() {
        let load = row.scenario.load;
        for (second, (offered, goodput)) in
            record.offered()[..30].iter().zip(record.goodput()).enumerate()
        {
            assert!(
                offered.abs_diff(load) <= 1 && goodput.abs_diff(load) <= 2,
                "{second}: {row:?}"
            );
        }
    }
}

#[test]
fn progress_is_told_of_each_second_once() {
    let mut told = Vec::new();
    let scenario = Scenario { seconds: 50, ..Scenario::at(140) };
    let _ = run(&scenario, |second| told.push(second));
    assert_eq!(told[..50], (1..=50).collect::<Vec<u64>>());
    assert!(told.is_sorted());
}

#[test]
fn a_reserve_costs_a_dead_dependency_one_retry_in_its_period_and_client() {
    // The figures of the guide (`guide/storm.md`): 28 clients with a reserve of a retry every 10 s. The server
    // stands still for 10 s, and has a backlog for two minutes more.
    let budgets = Budgets::new(10, 0.1);
    let retries = |budgets| {
        let record = play(&Scenario { budgets: Some(budgets), ..Scenario::default() });
        (record.retries(), record.recovery())
    };
    assert_eq!(retries(budgets), (112, Some(132)));
    assert_eq!(retries(budgets.one_retry_every(10)), (588, Some(156)));
    assert_eq!(retries(budgets.one_retry_every(60)), (196, Some(136)));
}

#[test]
fn with_a_reserve_the_bound_grows_with_time_alone() {
    for every in [1, 10, 60] {
        let budgets = Budgets::new(10, 0.1).one_retry_every(every);
        let scenario = Scenario { budgets: Some(budgets), ..Scenario::default() };
        let record = play(&scenario);
        // For each client: R < max / 2 + ratio * S + 1 + T / every.
        let successes = record.success_share() * record.calls() as f64;
        let reserve = 1.0 + (scenario.seconds + 2) as f64 / every as f64;
        let bound = 28.0 * (5.0 + reserve) + 0.1 * successes;
        assert!((record.retries() as f64) < bound, "{} and {bound}", record.retries());
    }
}
