//! The configurations of the table, and how they are printed.

use std::fmt::Write as _;
use std::time::Duration;

use retry_runtime::{Backoff, Jitter};

use crate::{Budgets, Fault, Record, Scenario};

/// A configuration and the words for it.
#[derive(Clone, Debug)]
pub struct Row {
    /// What differs from the other rows, beyond what has a column.
    pub remark: String,
    /// The configuration.
    pub scenario: Scenario,
}

impl Row {
    fn new(remark: &str, scenario: Scenario) -> Row {
        Row { remark: remark.to_owned(), scenario }
    }
}

/// The published storm around its two thresholds, with and without budgets, and the
/// cures that people try instead.
#[must_use]
pub fn published() -> Vec<Row> {
    let small = Budgets::new(10, 0.1);
    let jittered = |initial, max| {
        let backoff = Backoff::exponential(initial, max).jitter(Jitter::Full);
        Scenario { backoff, ..Scenario::at(280).attempts(3) }
    };
    let (ms, s) = (Duration::from_millis, Duration::from_secs);
    let drops = Scenario { drops_expired: true, ..Scenario::at(280).attempts(3) };
    let brown_out = Scenario {
        fault: Fault::Slower(5),
        timeout: 3 * Scenario::SECOND,
        ..Scenario::at(280).attempts(5)
    };
    vec![
        Row::new("", Scenario::at(140).attempts(2)),
        Row::new("", Scenario::at(160).attempts(2)),
        Row::new("", Scenario::at(280)),
        Row::new("", Scenario::at(280).attempts(2)),
        Row::new("", Scenario::at(280).attempts(3)),
        Row::new("full jitter, 100 ms to 1 s", jittered(ms(100), s(1))),
        Row::new("full jitter, 1 s to 30 s", jittered(s(1), s(30))),
        Row::new("", Scenario::at(280).attempts(2).budgets(small)),
        Row::new("", Scenario::at(280).attempts(3).budgets(small)),
        Row::new("", Scenario::at(280).attempts(2).budgets(Budgets::new(100, 0.1))),
        Row::new(
            "one budget for all",
            Scenario::at(280).attempts(3).budgets(Budgets { clients: 1, ..small }),
        ),
        Row::new("server drops expired work", drops),
        Row::new("server drops expired work", drops.budgets(small)),
        Row::new("5 times slower, timeout 3 s", brown_out),
        Row::new("5 times slower, timeout 3 s", brown_out.budgets(small)),
    ]
}

/// What the picture compares: the scenario without a budget, with budgets, and without
/// retries. The remarks are the labels.
#[must_use]
pub fn comparison(scenario: &Scenario, budgets: Budgets) -> [Row; 3] {
    let Budgets { max_tokens, token_ratio, one_retry_every, .. } = budgets;
    let reserve = one_retry_every.map_or(String::new(), |every| format!(" and one in {every} s"));
    [
        Row::new("without a budget", Scenario { budgets: None, ..*scenario }),
        Row::new(
            &format!("with the budget ({max_tokens}, {token_ratio}){reserve}"),
            Scenario { budgets: Some(budgets), ..*scenario },
        ),
        Row::new("without retries", Scenario { attempts: 1, budgets: None, ..*scenario }),
    ]
}

/// What the picture of the reserve compares: these budgets without one, and with two.
#[must_use]
pub fn reserves(scenario: &Scenario, budgets: Budgets) -> [Row; 3] {
    let row = |remark, budgets| Row::new(remark, Scenario { budgets: Some(budgets), ..*scenario });
    [
        row("a reserve of one retry every 10 s", budgets.one_retry_every(10)),
        row("a reserve of one retry every 60 s", budgets.one_retry_every(60)),
        row("no reserve", budgets),
    ]
}

/// What these budgets promise whatever happens, in a sentence.
#[must_use]
pub fn promise(budgets: &Budgets) -> String {
    let Budgets { clients, max_tokens, token_ratio, one_retry_every } = *budgets;
    let share = 100.0 * token_ratio / (1.0 + token_ratio);
    let burst = u64::from(max_tokens.div_ceil(2) - 1) * clients as u64;
    let reserve = one_retry_every.map_or(String::new(), |every| {
        format!(
            "\nThe reserve adds one retry of each client, and one more in every {every} s that the \
             outage lasts."
        )
    });
    format!(
        "The budget ({max_tokens}, {token_ratio}): retries stop when more than {share:.1} % of the \
         attempts fail,\nand a total outage costs {clients} clients at most {burst} retries in all.{reserve}"
    )
}

/// The heading of the columns.
#[must_use]
pub fn heading() -> String {
    line(["load", "attempts", "budget", "attempts/call", "answered", "recovery", "at the end"])
}

/// One line of the table.
#[must_use]
pub fn row(row: &Row, record: &Record) -> String {
    let scenario = &row.scenario;
    let budget = match scenario.budgets {
        None if scenario.attempts == 1 => "-".to_owned(),
        None => "none".to_owned(),
        Some(Budgets { max_tokens, token_ratio, .. }) => format!("({max_tokens}, {token_ratio})"),
    };
    let recovery = record.recovery().map_or("never".to_owned(), |seconds| format!("{seconds} s"));
    let mut text = line([
        &format!("{}/s", scenario.load),
        &scenario.attempts.to_string(),
        &budget,
        &format!("{:.4}", record.amplification()),
        &format!("{:.1} %", 100.0 * record.success_share()),
        &recovery,
        &format!("{}/s", record.offered_at_the_end()),
    ]);
    if !row.remark.is_empty() {
        let _ = write!(text, "  {}", row.remark);
    }
    text
}

fn line([load, attempts, budget, per_call, answered, recovery, end]: [&str; 7]) -> String {
    format!(
        "{load:>8} {attempts:>8} {budget:>12} {per_call:>13} {answered:>8} {recovery:>8} {end:>10}"
    )
}
