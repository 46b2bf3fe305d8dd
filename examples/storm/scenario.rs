//! The simulated scenario: the clients, their dependency and its fault.

use std::ops::Range;
use std::time::Duration;

use retry_runtime::{Backoff, Budget};

use crate::Nanos;

/// One run. The default is the published storm: a server that is good for 300
/// requests a second, at a load of 280, stands still for ten seconds, and clients make
/// up to 3 attempts of one second each, at once and without a budget (Bronson,
/// Aghayev, Charapko, Zhu: "Metastable Failures in Distributed Systems", HotOS 2021).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scenario {
    /// Calls that begin in a second, evenly spread.
    pub load: u64,
    /// Requests that the server can answer in a second.
    pub capacity: u64,
    /// For how many seconds calls begin.
    pub seconds: u64,
    /// Attempts that a call may make, the first included.
    pub attempts: u32,
    /// The budgets of the clients, if they have any.
    pub budgets: Option<Budgets>,
    /// The wait between attempts.
    pub backoff: Backoff,
    /// How long a client waits for the answer to one attempt.
    pub timeout: Nanos,
    /// What goes wrong.
    pub fault: Fault,
    /// Whether the server drops a request that is older than the client's timeout when
    /// its turn comes. If not, it works on it all the same.
    pub drops_expired: bool,
}

impl Scenario {
    /// One second of the virtual clock.
    pub const SECOND: Nanos = 1_000_000_000;
    /// When the fault is: from second 30, for ten seconds.
    pub const FAULT: Range<Nanos> = 30 * Scenario::SECOND..40 * Scenario::SECOND;

    /// The published storm without retries, for `load` calls in a second.
    #[must_use]
    pub const fn at(load: u64) -> Scenario {
        Scenario {
            load,
            capacity: 300,
            seconds: 300,
            attempts: 1,
            budgets: None,
            backoff: Backoff::none(),
            timeout: Scenario::SECOND,
            fault: Fault::Pause,
            drops_expired: false,
        }
    }

    /// The same with so many attempts.
    #[must_use]
    pub const fn attempts(mut self, attempts: u32) -> Scenario {
        self.attempts = attempts;
        self
    }

    /// The same with these budgets.
    #[must_use]
    pub const fn budgets(mut self, budgets: Budgets) -> Scenario {
        self.budgets = Some(budgets);
        self
    }
}

impl Default for Scenario {
    fn default() -> Scenario {
        Scenario::at(280).attempts(3)
    }
}

/// One budget for each client, all alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budgets {
    /// How many clients there are. Calls go round them in turn.
    pub clients: usize,
    /// Tokens of a full bucket.
    pub max_tokens: u32,
    /// Tokens that a success adds.
    pub token_ratio: f64,
    /// The reserve: one retry in this many seconds although the tokens refuse.
    pub one_retry_every: Option<u64>,
}

impl Budgets {
    /// The budgets of 28 clients.
    #[must_use]
    pub const fn new(max_tokens: u32, token_ratio: f64) -> Budgets {
        Budgets { clients: 28, max_tokens, token_ratio, one_retry_every: None }
    }

    /// The same with a reserve.
    #[must_use]
    pub const fn one_retry_every(mut self, seconds: u64) -> Budgets {
        self.one_retry_every = Some(seconds);
        self
    }

    /// Makes them, full.
    #[must_use]
    pub fn fill(&self) -> Vec<Budget> {
        (0..self.clients).map(|_| self.budget()).collect()
    }

    /// Makes one.
    #[must_use]
    pub fn budget(&self) -> Budget {
        let budget = Budget::new(self.max_tokens, self.token_ratio);
        match self.one_retry_every {
            Some(seconds) => budget.one_retry_every(Duration::from_secs(seconds)),
            None => budget,
        }
    }
}

/// What the server does from second 30 to second 40.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// It starts no request. The queue is kept.
    Pause,
    /// Each request takes this many times as long.
    Slower(u64),
}
