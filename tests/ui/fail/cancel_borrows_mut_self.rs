//! The future of `cancel` lives as long as the call, so it cannot borrow a `self` that
//! the body uses as a whole. Let it own what it waits for, as in
//! `cancel = self.shutdown.clone().notified_owned()`, or take it as a parameter.

use retry_runtime::{Budget, Outcome, retry};

static JOBS: Budget = Budget::new(10, 0.1);

struct Signal;

impl Signal {
    async fn given(&self) {}
}

struct Consumer {
    shutdown: Signal,
    done: u32,
}

impl Consumer {
    fn bump(&mut self) -> u32 {
        self.done += 1;
        self.done
    }

    #[retry(attempts = 4, budget = JOBS, classify_err = |_| Outcome::Retry, cancel = self.shutdown.given())]
    async fn consume(&mut self) -> Result<u32, String> {
        Ok(self.bump())
    }
}

fn main() {}

// Section: Schedules, policies, deadlines and cancellation
