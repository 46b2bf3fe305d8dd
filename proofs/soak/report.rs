//! The result of the run, and its verdict.

use std::fmt;

use crate::books::Calls;
use crate::faults::Fault;
use crate::ledger::{Ledger, Sums};
use crate::{Settings, memory};

/// The sums of a run, and everything that was wrong.
#[derive(Clone, Debug)]
pub struct Report {
    settings: Settings,
    /// How often the budget was looked at.
    pub samples: u64,
    /// Resident memory in KiB, each second.
    pub memory: Vec<u64>,
    /// The most tasks at once.
    pub tasks: usize,
    /// Tasks that were left at the end.
    pub tasks_left: usize,
    /// Connections that the server accepted.
    pub connections: usize,
    /// What the server did, in the order of [`Fault::ALL`].
    pub faults: [u64; 10],
    /// The calls.
    pub calls: Calls,
    /// The attempts.
    pub attempts: Sums,
    /// What was wrong; empty if all is well.
    pub violations: Vec<String>,
}

impl Report {
    pub(crate) fn new(settings: Settings) -> Report {
        Report {
            settings,
            samples: 0,
            memory: Vec::new(),
            tasks: 0,
            tasks_left: 0,
            connections: 0,
            faults: [0; 10],
            calls: Calls::default(),
            attempts: Sums::default(),
            violations: Vec::new(),
        }
    }

    /// Checks the sums.
    pub(crate) fn finish(&mut self, ledger: Ledger) {
        (self.attempts, self.violations) = ledger.into_parts();
        let Sums { attempts, observed, seen, not_sent, unseen, dropped } = self.attempts;
        let Calls { begun, returned, dropped: calls_dropped, .. } = self.calls;
        let finals: u64 = self.calls.decisions.values().sum();
        let served: u64 = self.faults.iter().sum();
        let mut equal = |what: &str, left: u64, right: u64| {
            if left != right {
                self.violations.push(format!("{what}: {left} and {right}"));
            }
        };
        equal("attempts made, and observed or dropped", attempts, observed + dropped);
        equal("attempts made, and seen or accounted for", attempts, seen + not_sent + unseen);
        equal("requests served, and attempts seen", served, seen);
        equal("calls begun, and returned or dropped", begun, returned + calls_dropped);
        equal("calls returned, and final decisions", returned, finals);
        equal("tasks left", self.tasks_left as u64, 0);
        if let Some((early, late, false)) = memory::is_flat(&self.memory) {
            self.violations.push(format!("memory grew from {early} KiB to {late} KiB"));
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sums { attempts, observed, seen, not_sent, unseen, dropped } = self.attempts;
        let calls = &self.calls;
        let seconds = self.settings.time.as_secs();
        writeln!(f, "{} callers for {seconds} s", self.settings.callers)?;
        writeln!(f, "calls      {} begun", calls.begun)?;
        writeln!(
            f,
            "           {} returned, {} dropped by their caller",
            calls.returned, calls.dropped
        )?;
        write!(f, "          ")?;
        for (decision, count) in &calls.decisions {
            write!(f, " {count} {decision}")?;
        }
        writeln!(f)?;
        writeln!(f, "attempts   {attempts} made")?;
        writeln!(f, "           {observed} observed, {dropped} dropped with their call")?;
        writeln!(
            f,
            "           {seen} seen by the server, {not_sent} not sent, {unseen} lost on the way"
        )?;
        writeln!(f, "retries    {} granted for {} successes", calls.retries, calls.successes)?;
        writeln!(f, "budget     looked at {} times", self.samples)?;
        write!(f, "server     {} connections;", self.connections)?;
        for (fault, count) in Fault::ALL.iter().zip(self.faults) {
            write!(f, " {fault:?} {count}")?;
        }
        writeln!(f)?;
        writeln!(f, "tasks      {} at most, {} left", self.tasks, self.tasks_left)?;
        match memory::is_flat(&self.memory) {
            Some((early, late, _)) => {
                writeln!(f, "memory     {early} KiB in the second fifth, {late} KiB in the last")?;
            }
            None => writeln!(f, "memory     not measured: too short, or not Linux")?,
        }
        for violation in self.violations.iter().take(20) {
            writeln!(f, "VIOLATION  {violation}")?;
        }
        write!(f, "violations {}", self.violations.len())
    }
}
