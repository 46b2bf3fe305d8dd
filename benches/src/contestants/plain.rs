//! The two bodies, as functions of their own.

use crate::work::{Answer, Work, YieldOnce};

pub async fn ready(work: &Work) -> Answer {
    work.answer()
}

pub async fn yields(work: &Work) -> Answer {
    YieldOnce::default().await;
    work.answer()
}
