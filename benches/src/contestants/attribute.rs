//! The attribute, with a budget.

use retry_runtime::{Backoff, Budget, Outcome, retry};

use crate::work::{Answer, Busy, Work, YieldOnce};

static BUDGET: Budget = Budget::new(1000, 10.0);

#[retry(
    attempts = 4,
    budget = BUDGET,
    classify_err = |_: &Busy| Outcome::Retry,
    schedule = Backoff::none(),
)]
pub async fn ready(work: &Work) -> Answer {
    work.answer()
}

#[retry(
    attempts = 4,
    budget = BUDGET,
    classify_err = |_: &Busy| Outcome::Retry,
    schedule = Backoff::none(),
)]
pub async fn yields(work: &Work) -> Answer {
    YieldOnce::default().await;
    work.answer()
}
