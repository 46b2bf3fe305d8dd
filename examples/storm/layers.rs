//! Services that call services: each layer retries what the next one could not do.

use retry_runtime::{Budget, Decision, Outcome, Policy};

use crate::Budgets;

/// A stack of services above one dependency. Every one retries its calls to the next.
#[derive(Clone, Copy, Debug)]
pub struct Layers {
    /// How many of them retry.
    pub layers: usize,
    /// Attempts of each call in each layer, the first included.
    pub attempts: u32,
    /// The budget of each layer, if it has one: the number of clients is not looked at.
    pub budgets: Option<Budgets>,
    /// Calls that are made at the top, one after the other.
    pub calls: u64,
    /// Every how many attempts at the dependency one fails; 1 is a total outage.
    pub fails_every: u64,
}

impl Layers {
    /// Attempts that reach the dependency.
    #[must_use]
    pub fn attempts_at_the_dependency(&self) -> u64 {
        let policy = Policy::new(self.attempts);
        let make = |budgets: Budgets| budgets.budget();
        let budgets: Vec<Option<Budget>> =
            (0..self.layers).map(|_| self.budgets.map(make)).collect();
        let mut dependency = Dependency { attempts: 0, fails_every: self.fails_every };
        for _ in 0..self.calls {
            let _ = call(&policy, &budgets, &mut dependency);
        }
        dependency.attempts
    }

    /// The same for each call at the top.
    #[must_use]
    pub fn amplification(&self) -> f64 {
        self.attempts_at_the_dependency() as f64 / self.calls as f64
    }
}

struct Dependency {
    attempts: u64,
    fails_every: u64,
}

impl Dependency {
    fn attempt(&mut self) -> Outcome {
        self.attempts += 1;
        if self.attempts % self.fails_every == 0 { Outcome::Retry } else { Outcome::Success }
    }
}

/// One call of the topmost of these layers, and what the layer above sees of it.
fn call(policy: &Policy, layers: &[Option<Budget>], dependency: &mut Dependency) -> Outcome {
    let Some((budget, below)) = layers.split_first() else { return dependency.attempt() };
    let mut this = match budget {
        Some(budget) => policy.call(budget),
        None => policy.call_without_budget(),
    };
    loop {
        match this.decide(call(policy, below, dependency)) {
            Decision::Again { .. } => {}
            Decision::Succeeded => return Outcome::Success,
            _ => return Outcome::Retry,
        }
    }
}
