//! A load just above what a server accepts, with failures repeated a second later
//! (Google, "Site Reliability Engineering", chapter 22): the retries pile up.

use retry_runtime::{Budget, Call, Decision, Outcome, Policy};

/// A server that accepts so many requests in each second and fails the others at once.
#[derive(Clone, Copy, Debug)]
pub struct Climb {
    /// New calls in each second.
    pub load: u64,
    /// Requests accepted in each second, evenly among those that come.
    pub accepted: u64,
    /// The policy of each call.
    pub policy: Policy,
    /// The budget that all calls share, if there is one: its maximum and ratio.
    pub budget: Option<(u32, f64)>,
}

impl Climb {
    /// Requests that reach the server in each of the first `seconds` seconds.
    #[must_use]
    pub fn requests(&self, seconds: usize) -> Vec<u64> {
        let budget = self.budget.map(|(max, ratio)| Budget::new(max, ratio));
        let policy = self.policy;
        let begin = || match &budget {
            Some(budget) => policy.call(budget),
            None => policy.call_without_budget(),
        };
        let mut waiting: Vec<Call<'_>> = Vec::new();
        let mut requests = Vec::with_capacity(seconds);
        for _ in 0..seconds {
            let mut sent = std::mem::take(&mut waiting);
            sent.extend((0..self.load).map(|_| begin()));
            let count = sent.len() as u64;
            requests.push(count);
            for (index, mut call) in (0..).zip(sent) {
                let outcome =
                    if self.accepts(index, count) { Outcome::Success } else { Outcome::Retry };
                if let Decision::Again { .. } = call.decide(outcome) {
                    waiting.push(call);
                }
            }
        }
        requests
    }

    /// Whether the request with this index, of so many, is among the accepted ones,
    /// which are spread evenly.
    fn accepts(&self, index: u64, count: u64) -> bool {
        let before = |index: u64| index * self.accepted.min(count) / count;
        before(index + 1) > before(index)
    }
}
