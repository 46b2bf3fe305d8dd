//! tokio-retry2, with an array for its schedule.

use std::time::Duration;

use tokio_retry2::{MapErr, RetryIf};

use super::plain;
use crate::work::{Answer, Busy, Work};

const SCHEDULE: [Duration; 3] = [Duration::ZERO; 3];

pub async fn ready(work: &Work) -> Answer {
    let attempt = || async { plain::ready(work).await.map_transient_err() };
    RetryIf::spawn(SCHEDULE, attempt, |_: &Busy| true, |_: &Busy, _| ()).await
}

pub async fn yields(work: &Work) -> Answer {
    let attempt = || async { plain::yields(work).await.map_transient_err() };
    RetryIf::spawn(SCHEDULE, attempt, |_: &Busy| true, |_: &Busy, _| ()).await
}
