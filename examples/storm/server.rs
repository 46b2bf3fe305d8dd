//! The dependency: one queue, served in order, and a fault.

use crate::{Fault, Nanos, Scenario};

/// Serves one request after the other. What it does with a request is known when the
/// request arrives, because nothing that comes later can overtake it.
pub(crate) struct Server {
    service: Nanos,
    fault: Fault,
    /// How old a request may be when its turn comes, if the server looks at that.
    drops_after: Option<Nanos>,
    free_at: Nanos,
}

impl Server {
    pub(crate) fn new(scenario: &Scenario) -> Server {
        Server {
            service: Scenario::SECOND / scenario.capacity,
            fault: scenario.fault,
            drops_after: scenario.drops_expired.then_some(scenario.timeout),
            free_at: 0,
        }
    }

    /// When the answer to a request that arrives at `now` is ready; `None` if the
    /// server drops it. That the client has stopped listening saves no work.
    pub(crate) fn accept(&mut self, now: Nanos) -> Option<Nanos> {
        let mut start = self.free_at.max(now);
        let mut service = self.service;
        if Scenario::FAULT.contains(&start) {
            match self.fault {
                Fault::Pause => start = Scenario::FAULT.end,
                Fault::Slower(times) => service *= times,
            }
        }
        if self.drops_after.is_some_and(|age| start > now + age) {
            return None;
        }
        self.free_at = start + service;
        Some(self.free_at)
    }
}
