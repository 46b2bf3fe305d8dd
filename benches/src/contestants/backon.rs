//! backon, with a sleep that is over at once: its own, on tokio's timer, takes a
//! millisecond for a delay of zero.

use std::future;
use std::time::Duration;

use backon::{ConstantBuilder, Retryable};

use super::plain;
use crate::work::{ATTEMPTS, Answer, Busy, Work};

const SCHEDULE: ConstantBuilder =
    ConstantBuilder::new().with_delay(Duration::ZERO).with_max_times(ATTEMPTS as usize - 1);

pub async fn ready(work: &Work) -> Answer {
    (|| plain::ready(work)).retry(SCHEDULE).sleep(|_| future::ready(())).when(|_: &Busy| true).await
}

pub async fn yields(work: &Work) -> Answer {
    (|| plain::yields(work))
        .retry(SCHEDULE)
        .sleep(|_| future::ready(()))
        .when(|_: &Busy| true)
        .await
}
