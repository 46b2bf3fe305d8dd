//! The attribute with a limit in time, and nothing else changed.

use retry_runtime::{Backoff, Budget, Outcome, retry};

use crate::work::{Answer, Busy, Work, YieldOnce};

static BUDGET: Budget = Budget::new(1000, 10.0);

pub mod within {
    use super::*;

    #[retry(
        attempts = 4,
        budget = BUDGET,
        classify_err = |_: &Busy| Outcome::Retry,
        schedule = Backoff::none(),
        within = 1h,
    )]
    pub async fn ready(work: &Work) -> Answer {
        work.answer()
    }

    #[retry(
        attempts = 4,
        budget = BUDGET,
        classify_err = |_: &Busy| Outcome::Retry,
        schedule = Backoff::none(),
        within = 1h,
    )]
    pub async fn yields(work: &Work) -> Answer {
        YieldOnce::default().await;
        work.answer()
    }
}

pub mod deadline {
    use super::*;

    #[retry(
        attempts = 4,
        budget = BUDGET,
        classify_err = |_: &Busy| Outcome::Retry,
        schedule = Backoff::none(),
        deadline = work.deadline,
    )]
    pub async fn ready(work: &Work) -> Answer {
        work.answer()
    }

    #[retry(
        attempts = 4,
        budget = BUDGET,
        classify_err = |_: &Busy| Outcome::Retry,
        schedule = Backoff::none(),
        deadline = work.deadline,
    )]
    pub async fn yields(work: &Work) -> Answer {
        YieldOnce::default().await;
        work.answer()
    }
}
