//! Transactions under contention, on SQLite: `cargo run -p retry-contention --example contention`.
//!
//! Twenty clients move money between ten accounts of one database for ten seconds. A
//! transaction reads, works for two milliseconds and writes. If another has written
//! meanwhile, SQLite refuses it (`SQLITE_BUSY`) and nothing of it is done: that is a
//! conflict, and the whole transaction is made anew.
//!
//! A conflict says nothing about the health of the database. Where it is paid like a failure
//! (`Outcome::Retry`), a healthy database under load empties the budget, and calls fail that
//! one more attempt would have saved. Where it is free (`Outcome::Repeat`), not one call more
//! fails than without any budget, and a budget still ends the storm when the database fails.
//!
//! A conflict is an attempt all the same: with few of them, calls fail in a healthy database. A
//! limit of time (`within`) in their place, and waits as short as a transaction, lose none.
//!
//! The clock is tokio's, paused, and the draws are seeded: the figures are the same each time.

use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

use futures_util::future::join_all;
use retry_runtime::{Backoff, Budget, Outcome, Policy, retry};
use rusqlite::{Connection, ErrorCode, params};
use tokio::time::{Instant, sleep};

const CLIENTS: u32 = 20;
const ACCOUNTS: u32 = 10;
const TIME: Duration = Duration::from_secs(10);
const MILLISECOND: Duration = Duration::from_millis(1);

/// What a conflict means.
#[derive(Clone, Copy)]
enum Conflict {
    Paid,
    Free,
}

struct Variant {
    label: &'static str,
    conflict: Conflict,
    budget: Option<Budget>,
    policy: Policy,
}

/// Short waits: a conflict is over as soon as the other transaction is.
const SHORT: Backoff = Backoff::exponential(Duration::from_millis(5), Duration::from_millis(200));

fn variants() -> [Variant; 7] {
    let variant = |label, conflict, budget, policy| Variant { label, conflict, budget, policy };
    let small = || Some(Budget::new(10, 0.1));
    let of = |attempts| Policy::new(attempts).backoff(SHORT);
    let timed = Policy::unlimited().within(Duration::from_secs(10)).backoff(SHORT);
    [
        variant("conflicts paid, budget (10, 0.1)", Conflict::Paid, small(), of(4)),
        variant(
            "conflicts paid, budget (100, 1)",
            Conflict::Paid,
            Some(Budget::new(100, 1.0)),
            of(4),
        ),
        variant("no budget", Conflict::Paid, None, of(4)),
        variant("conflicts free, budget (10, 0.1)", Conflict::Free, small(), of(4)),
        variant("conflicts free, budget (10, 0.1)", Conflict::Free, small(), of(10)),
        variant("the same, the default's waits", Conflict::Free, small(), Policy::new(10)),
        variant("the same, within 10 s", Conflict::Free, small(), timed),
    ]
}

/// Calls that did their work, and calls that failed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Counts {
    ok: u64,
    failed: u64,
}

struct Client<'v> {
    variant: &'v Variant,
    connection: Connection,
    number: u32,
}

impl Client<'_> {
    /// The whole transaction is the attempt: what a conflict undid is begun anew. A step of
    /// it by itself could not be repeated, because nothing of its transaction is left.
    #[retry(
        policy = self.variant.policy,
        schedule = self.variant.policy.schedule().seed(self.seed(call)),
        budget = none,
        classify_err = |error| self.judge(error),
    )]
    async fn transfer_without_budget(&self, call: u32) -> rusqlite::Result<()> {
        self.transaction(call).await
    }

    #[retry(
        policy = self.variant.policy,
        schedule = self.variant.policy.schedule().seed(self.seed(call)),
        budget = budget,
        classify_err = |error| self.judge(error),
    )]
    async fn transfer(&self, call: u32, budget: &Budget) -> rusqlite::Result<()> {
        self.transaction(call).await
    }

    /// Each call draws waits of its own, the same in each run.
    fn seed(&self, call: u32) -> u64 {
        u64::from(self.number) << 32 | u64::from(call)
    }

    fn judge(&self, error: &rusqlite::Error) -> Outcome {
        match (error.sqlite_error_code(), self.variant.conflict) {
            (Some(ErrorCode::DatabaseBusy), Conflict::Free) => Outcome::Repeat,
            (Some(ErrorCode::DatabaseBusy), Conflict::Paid) => Outcome::Retry,
            _ => Outcome::Fail,
        }
    }

    async fn transaction(&self, call: u32) -> rusqlite::Result<()> {
        // Rolled back when it is dropped.
        let transaction = self.connection.unchecked_transaction()?;
        let from = (self.number + call) % ACCOUNTS;
        let to = (self.number * 7 + call * 3 + 1) % ACCOUNTS;
        let balance: i64 =
            transaction
                .query_row("SELECT balance FROM account WHERE id = ?1", [from], |row| row.get(0))?;
        sleep(MILLISECOND * 2).await;
        let amount = balance.min(1);
        let sql = "UPDATE account SET balance = balance + ?2 WHERE id = ?1";
        transaction.execute(sql, params![from, -amount])?;
        transaction.execute(sql, params![to, amount])?;
        transaction.commit()
    }
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    // The waiting is ours, and the file is gone when the program ends.
    connection.busy_timeout(Duration::ZERO)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    Ok(connection)
}

async fn play(variant: &Variant) -> Result<Counts, Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("bank.sqlite");
    let bank = open(&path)?;
    bank.execute_batch("CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL)")?;
    for id in 0..ACCOUNTS {
        bank.execute("INSERT INTO account VALUES (?1, 1000)", [id])?;
    }
    let (ok, failed) = (Cell::new(0), Cell::new(0));
    let count = |counter: &Cell<u64>| counter.set(counter.get() + 1);
    let end = Instant::now() + TIME;
    let clients = (0..CLIENTS).map(async |number| {
        let client = Client { variant, connection: open(&path)?, number };
        // They begin one after the other, and each thinks before the next transfer.
        sleep(MILLISECOND * number).await;
        for call in 0.. {
            if Instant::now() >= end {
                break;
            }
            let result = match &variant.budget {
                Some(budget) => client.transfer(call, budget).await,
                None => client.transfer_without_budget(call).await,
            };
            match result {
                Ok(()) => count(&ok),
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                    count(&failed);
                }
                Err(error) => return Err(error),
            }
            sleep(MILLISECOND * (40 + (number * 13 + call * 7) % 40)).await;
        }
        Ok(())
    });
    join_all(clients).await.into_iter().collect::<rusqlite::Result<Vec<()>>>()?;
    let sum: i64 = bank.query_row("SELECT sum(balance) FROM account", [], |row| row.get(0))?;
    assert_eq!(sum, i64::from(ACCOUNTS) * 1000, "a transaction is done as a whole or not at all");
    Ok(Counts { ok: ok.get(), failed: failed.get() })
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{:34} {:>8} {:>6} {:>7}", "", "attempts", "ok", "failed");
    for variant in variants() {
        let Counts { ok, failed } = play(&variant).await?;
        let attempts = variant.policy.attempts().map_or("any".to_owned(), |n| n.to_string());
        println!("{:34} {attempts:>8} {ok:>6} {failed:>7}", variant.label);
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn conflicts_that_are_free_fail_no_call_that_no_budget_would_not_fail() {
    let mut counts = Vec::new();
    for variant in variants() {
        counts.push(play(&variant).await.unwrap());
    }
    let [paid, paid_from_more, unlimited, free, more_attempts, long_waits, timed] = counts[..]
    else {
        unreachable!()
    };
    assert!(paid.failed > 4 * unlimited.failed, "{counts:?}");
    assert!(paid_from_more.failed > unlimited.failed, "{counts:?}");
    assert_eq!(free, unlimited, "a budget takes no part in conflicts");
    assert!(more_attempts.failed * 10 < free.failed.max(10), "{counts:?}");
    assert_eq!(timed.failed, 0, "{counts:?}");
    assert!(timed.ok * 10 > more_attempts.ok * 9 && long_waits.ok < timed.ok, "{counts:?}");
}
