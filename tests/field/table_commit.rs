//! iceberg 0.6, `Transaction::commit`: optimistic concurrency. The transaction, taken by value,
//! re-reads the table and applies its actions anew in each attempt, because another writer was
//! first. Waits, total time and the number of repeats are in the table's properties, as text.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::time::Duration;

use retry_runtime::{Backoff, ConfigError, Jitter, Outcome, Policy, retry_block};
use tokio::time::Instant;

#[derive(Clone, Debug, PartialEq)]
struct Table {
    version: u32,
    rows: Vec<&'static str>,
}

#[derive(Debug, PartialEq)]
enum Error {
    Conflict,
    Invalid(String),
}

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Error {
        Error::Invalid(error.to_string())
    }
}

/// The table as the catalog has it, and how many other writers will be first.
struct Catalog {
    table: RefCell<Table>,
    rivals: Cell<u32>,
}

impl Catalog {
    async fn load(&self) -> Table {
        self.table.borrow().clone()
    }

    async fn update(&self, base: u32, table: Table) -> Result<Table, Error> {
        let mut current = self.table.borrow_mut();
        if self.rivals.get() > 0 {
            self.rivals.set(self.rivals.get() - 1);
            current.version += 1;
            current.rows.push("rival");
        }
        if current.version != base {
            return Err(Error::Conflict);
        }
        *current = Table { version: base + 1, ..table };
        Ok(current.clone())
    }
}

struct Transaction {
    table: Table,
    actions: Vec<&'static str>,
}

impl Transaction {
    async fn commit(
        mut self,
        catalog: &Catalog,
        properties: &HashMap<&str, &str>,
    ) -> Result<Table, Error> {
        let number = |name: &str, default: u64| match properties.get(name) {
            None => Ok(default),
            Some(text) => text.parse().map_err(|_| Error::Invalid(format!("invalid {name}"))),
        };
        let millis = |name, default| number(name, default).map(Duration::from_millis);
        let waits = Backoff::try_exponential(
            millis("commit.retry.min-wait-ms", 100)?,
            millis("commit.retry.max-wait-ms", 60_000)?,
        )?;
        let retries = number("commit.retry.num-retries", 4)? as u32;
        let policy = Policy::with_retries(retries)
            .backoff(waits.jitter(Jitter::None))
            .within(millis("commit.retry.total-timeout-ms", 1_800_000)?);
        retry_block!(
            policy = policy,
            // A stale version says that the catalog is well.
            budget = none,
            classify_err = |error| match error {
                Error::Conflict => Outcome::Repeat,
                Error::Invalid(_) => Outcome::Stop,
            },
            async {
                self.table = catalog.load().await;
                let mut changed = self.table.clone();
                changed.rows.extend(&self.actions);
                catalog.update(self.table.version, changed).await
            }
        )
        .await
    }
}

async fn commit(rivals: u32, properties: &[(&str, &str)]) -> (Result<Table, Error>, Duration) {
    let table = Table { version: 1, rows: Vec::new() };
    let catalog = Catalog { table: RefCell::new(table.clone()), rivals: Cell::new(rivals) };
    let transaction = Transaction { table, actions: vec!["ours"] };
    let start = Instant::now();
    let result = transaction.commit(&catalog, &properties.iter().copied().collect()).await;
    (result, start.elapsed())
}

#[tokio::test(start_paused = true)]
async fn the_actions_are_applied_to_what_the_rivals_left() {
    let (table, time) = commit(2, &[]).await;
    let expected = Table { version: 4, rows: vec!["rival", "rival", "ours"] };
    assert_eq!((table, time), (Ok(expected), Duration::from_millis(100 + 200)));
}

#[tokio::test(start_paused = true)]
async fn the_properties_of_the_table_set_the_number_and_the_waits() {
    let properties = [("commit.retry.num-retries", "2"), ("commit.retry.min-wait-ms", "7")];
    let given_up = (Err(Error::Conflict), Duration::from_millis(7 + 14));
    assert_eq!(commit(9, &properties).await, given_up);
    let (never, time) = commit(9, &[("commit.retry.num-retries", "0")]).await;
    assert_eq!((never, time), (Err(Error::Conflict), Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn a_property_that_is_wrong_is_an_error_before_the_first_attempt() {
    for (name, value) in [("commit.retry.num-retries", "many"), ("commit.retry.min-wait-ms", "0")] {
        assert!(matches!(commit(0, &[(name, value)]).await.0, Err(Error::Invalid(_))));
    }
}
