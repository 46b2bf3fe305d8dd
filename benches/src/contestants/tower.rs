//! tower's retry with its own budget.

use std::future::{Future, Ready, ready as at_once};
use std::sync::LazyLock;
use std::task::{Context, Poll};
use std::time::Duration;

use tower::Service;
use tower::retry::budget::{Budget, TpsBudget};
use tower::retry::{Policy, Retry};

use super::plain;
use crate::work::{ATTEMPTS, Answer, Busy, Work};

static BUDGET: LazyLock<TpsBudget> =
    LazyLock::new(|| TpsBudget::new(Duration::from_secs(10), 1000, 10.0));

#[derive(Clone, Copy)]
struct AtOnce {
    made: u32,
    budget: &'static TpsBudget,
}

impl<'w> Policy<&'w Work, u64, Busy> for AtOnce {
    type Future = Ready<()>;

    fn retry(&mut self, _: &mut &'w Work, answer: &mut Answer) -> Option<Ready<()>> {
        if answer.is_ok() {
            self.budget.deposit();
            return None;
        }
        self.made += 1;
        (self.budget.withdraw() && self.made < ATTEMPTS).then(|| at_once(()))
    }

    fn clone_request(&mut self, work: &&'w Work) -> Option<&'w Work> {
        Some(work)
    }
}

/// A service of a function. (`service_fn` has no place for the lifetime.)
#[derive(Clone, Copy)]
struct Of<F>(F);

impl<'w, F, A> Service<&'w Work> for Of<F>
where
    F: Fn(&'w Work) -> A,
    A: Future<Output = Answer>,
{
    type Response = u64;
    type Error = Busy;
    type Future = A;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Busy>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, work: &'w Work) -> A {
        (self.0)(work)
    }
}

pub async fn ready(work: &Work) -> Answer {
    Retry::new(AtOnce { made: 0, budget: &BUDGET }, Of(plain::ready)).call(work).await
}

pub async fn yields(work: &Work) -> Answer {
    Retry::new(AtOnce { made: 0, budget: &BUDGET }, Of(plain::yields)).call(work).await
}
