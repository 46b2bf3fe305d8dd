//! Books that check the whole run: the ledger of attempts, the calls, and what was
//! paid and granted.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard};

use retry_runtime::{Budget, Decision, Event};

use crate::ledger::{Id, Ledger};

/// Shared by the client, the server and the watcher.
#[derive(Debug, Default)]
pub struct Books {
    ledger: Mutex<Ledger>,
    calls: AtomicU64,
    returned: AtomicU64,
    dropped: AtomicU64,
    /// Counted by the classifier: before the budget is credited.
    successes: AtomicU64,
    /// Counted by the observer: after the budget has granted it.
    retries: AtomicU64,
    decisions: Mutex<BTreeMap<&'static str, u64>>,
}

impl Books {
    /// The ledger.
    ///
    /// # Panics
    ///
    /// If a thread panicked while it had it.
    pub fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().expect("nothing panics while it holds this lock")
    }

    /// The number of a call that begins.
    pub fn begin_call(&self) -> u64 {
        self.calls.fetch_add(1, SeqCst)
    }

    /// A call has returned, or was dropped.
    pub fn end_call(&self, returned: bool) {
        let count = if returned { &self.returned } else { &self.dropped };
        count.fetch_add(1, SeqCst);
    }

    /// A success, before anything follows from it.
    pub fn success(&self) {
        self.successes.fetch_add(1, SeqCst);
    }

    /// What an observer was told of the attempt with this id.
    pub fn observe(&self, id: Id, event: &Event<'_>) {
        let is_attempt = event.kind == retry_runtime::EventKind::Attempt;
        if is_attempt {
            self.ledger().observe(id);
        }
        if let Decision::Again { .. } = event.decision {
            self.retries.fetch_add(1, SeqCst);
        } else {
            let mut decisions = self.decisions.lock().expect("nothing panics with this lock");
            *decisions.entry(event.decision.as_str()).or_default() += 1;
        }
    }

    /// Checks the budget at this moment: its tokens are in their range, and no more
    /// retries were granted than half the tokens and the successes pay for.
    ///
    /// Exact while calls run: retries are read first, which counts some too few, and
    /// successes last, which counts some too many.
    pub fn check(&self, budget: &Budget) {
        let retries = self.retries.load(SeqCst);
        let tokens = budget.tokens();
        let successes = self.successes.load(SeqCst);
        if !(0.0..=f64::from(budget.max_tokens())).contains(&tokens) {
            self.ledger().violation(format!("{tokens} tokens"));
        }
        let ratio = (budget.token_ratio() * 1000.0).round() as u64;
        if 1000 * retries >= 500 * u64::from(budget.max_tokens()) + ratio * successes {
            self.ledger()
                .violation(format!("{retries} retries granted after {successes} successes"));
        }
    }

    /// The sums at the end.
    #[must_use]
    pub fn calls(&self) -> Calls {
        Calls {
            begun: self.calls.load(SeqCst),
            returned: self.returned.load(SeqCst),
            dropped: self.dropped.load(SeqCst),
            successes: self.successes.load(SeqCst),
            retries: self.retries.load(SeqCst),
            decisions: self.decisions.lock().expect("nothing panics with this lock").clone(),
        }
    }
}

/// Sums of calls.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    /// Calls that began.
    pub begun: u64,
    /// Calls that gave their caller a result.
    pub returned: u64,
    /// Calls that their caller dropped.
    pub dropped: u64,
    /// Attempts that the classifier called a success.
    pub successes: u64,
    /// Retries that were granted.
    pub retries: u64,
    /// Final decisions by name.
    pub decisions: BTreeMap<&'static str, u64>,
}
