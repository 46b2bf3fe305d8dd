//! `Call::run`: the loop around a closure.

use retry_runtime::{Backoff, Budget, Outcome, Policy};

use crate::work::{ATTEMPTS, Answer, Work, YieldOnce};

static BUDGET: Budget = Budget::new(1000, 10.0);
static POLICY: Policy = Policy::new(ATTEMPTS).backoff(Backoff::none());

fn classify(answer: &Answer) -> Outcome {
    if answer.is_ok() { Outcome::Success } else { Outcome::Retry }
}

pub async fn ready(work: &Work) -> Answer {
    POLICY.call(&BUDGET).run_with(classify, async |_| work.answer()).await
}

pub async fn yields(work: &Work) -> Answer {
    let body = async |_| {
        YieldOnce::default().await;
        work.answer()
    };
    POLICY.call(&BUDGET).run_with(classify, body).await
}
