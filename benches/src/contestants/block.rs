//! `retry_block!`: the loop around a block.

use retry_runtime::{Backoff, Budget, Outcome, retry_block};

use crate::work::{Answer, Busy, Work, YieldOnce};

static BUDGET: Budget = Budget::new(1000, 10.0);

pub async fn ready(work: &Work) -> Answer {
    retry_block!(
        attempts = 4,
        budget = BUDGET,
        classify_err = |_: &Busy| Outcome::Retry,
        schedule = Backoff::none(),
        async { work.answer() }
    )
    .await
}

pub async fn yields(work: &Work) -> Answer {
    retry_block!(
        attempts = 4,
        budget = BUDGET,
        classify_err = |_: &Busy| Outcome::Retry,
        schedule = Backoff::none(),
        async {
            YieldOnce::default().await;
            work.answer()
        }
    )
    .await
}
