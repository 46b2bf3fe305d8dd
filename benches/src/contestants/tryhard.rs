//! tryhard, without a backoff.

use tryhard::retry_fn;

use super::plain;
use crate::work::{ATTEMPTS, Answer, Work};

pub async fn ready(work: &Work) -> Answer {
    retry_fn(|| plain::ready(work)).retries(ATTEMPTS - 1).no_backoff().await
}

pub async fn yields(work: &Work) -> Answer {
    retry_fn(|| plain::yields(work)).retries(ATTEMPTS - 1).no_backoff().await
}
