//! `Call`, in a loop by hand.

use retry_runtime::{Backoff, Budget, Outcome, Policy};

use crate::work::{ATTEMPTS, Answer, Work, YieldOnce};

static BUDGET: Budget = Budget::new(1000, 10.0);
static POLICY: Policy = Policy::new(ATTEMPTS).backoff(Backoff::none());

fn classify(answer: &Answer) -> Outcome {
    if answer.is_ok() { Outcome::Success } else { Outcome::Retry }
}

pub async fn ready(work: &Work) -> Answer {
    let mut call = POLICY.call(&BUDGET);
    loop {
        let answer = async { work.answer() }.await;
        if !call.again(classify(&answer)).await {
            return answer;
        }
    }
}

pub async fn yields(work: &Work) -> Answer {
    let mut call = POLICY.call(&BUDGET);
    loop {
        YieldOnce::default().await;
        let answer = async { work.answer() }.await;
        if !call.again(classify(&answer)).await {
            return answer;
        }
    }
}
