//! Measurements of a run.

use crate::{Nanos, Scenario};

/// The counts of one run, in all and for each second.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    load: u64,
    seconds: usize,
    calls: u64,
    attempts: u64,
    successes: u64,
    offered: Vec<u64>,
    goodput: Vec<u64>,
}

impl Record {
    pub(crate) fn new(scenario: &Scenario) -> Record {
        let seconds = scenario.seconds as usize;
        Record {
            load: scenario.load,
            seconds,
            calls: 0,
            attempts: 0,
            successes: 0,
            offered: vec![0; seconds],
            goodput: vec![0; seconds],
        }
    }

    pub(crate) fn call(&mut self) {
        self.calls += 1;
    }

    pub(crate) fn attempt(&mut self, now: Nanos) {
        self.attempts += 1;
        count(&mut self.offered, now);
    }

    pub(crate) fn success(&mut self, now: Nanos) {
        self.successes += 1;
        count(&mut self.goodput, now);
    }

    /// Calls that began.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// Attempts that were sent, the first of each call included.
    #[must_use]
    pub fn attempts(&self) -> u64 {
        self.attempts
    }

    /// Attempts that were not the first of their call.
    #[must_use]
    pub fn retries(&self) -> u64 {
        self.attempts - self.calls
    }

    /// Calls that had an answer in time.
    #[must_use]
    pub fn successes(&self) -> u64 {
        self.successes
    }

    /// Attempts for each call: what the retries multiply the load by.
    #[must_use]
    pub fn amplification(&self) -> f64 {
        self.attempts as f64 / self.calls as f64
    }

    /// The share of the calls that had an answer in time, 0 to 1.
    #[must_use]
    pub fn success_share(&self) -> f64 {
        self.successes as f64 / self.calls as f64
    }

    /// Attempts sent in each second in which calls began.
    #[must_use]
    pub fn offered(&self) -> &[u64] {
        &self.offered
    }

    /// Calls that had their answer in each of those seconds.
    #[must_use]
    pub fn goodput(&self) -> &[u64] {
        &self.goodput
    }

    /// Attempts in a second at the end: the mean of the last ten, rounded.
    #[must_use]
    pub fn offered_at_the_end(&self) -> u64 {
        let last = &self.offered[self.seconds.saturating_sub(10)..];
        let sum: u64 = last.iter().sum();
        (sum as f64 / last.len() as f64).round() as u64
    }

    /// How many seconds after the fault the service was well again: the first second
    /// with which ten begin in which 95 % of the load had answers. `None`: never.
    #[must_use]
    pub fn recovery(&self) -> Option<u64> {
        let over = (Scenario::FAULT.end / Scenario::SECOND) as usize;
        let is_well = |goodput: &u64| goodput * 100 >= self.load * 95;
        let after = self.goodput.get(over..)?;
        let first = after.windows(10).position(|seconds| seconds.iter().all(is_well))?;
        Some(first as u64)
    }
}

/// Counts in the second of `now`. What ends after the last second is in the sums alone.
fn count(seconds: &mut [u64], now: Nanos) {
    if let Some(second) = seconds.get_mut((now / Scenario::SECOND) as usize) {
        *second += 1;
    }
}
