//! `Call::run`, `Call::run_with` and `Retrier::run`: the loop around a closure. An async
//! closure would keep what it is told of its attempt, as rustc keeps every parameter of one.

use retry_runtime::{Backoff, Budget, Classify, Outcome, Policy, Retrier};

use crate::work::{ATTEMPTS, Answer, Work, YieldOnce};

static BUDGET: Budget = Budget::new(1000, 10.0);
static POLICY: Policy = Policy::new(ATTEMPTS).backoff(Backoff::none());

fn classify(answer: &Answer) -> Outcome {
    if answer.is_ok() { Outcome::Success } else { Outcome::Retry }
}

pub async fn ready(work: &Work) -> Answer {
    POLICY.call(&BUDGET).run_with(classify, |_| async { work.answer() }).await
}

pub async fn yields(work: &Work) -> Answer {
    let body = |_| async {
        YieldOnce::default().await;
        work.answer()
    };
    POLICY.call(&BUDGET).run_with(classify, body).await
}

pub mod retrier {
    use super::{
        ATTEMPTS, Answer, Backoff, Budget, Classify, Outcome, Policy, Retrier, Work, YieldOnce,
    };

    struct Server;

    impl Classify<Answer> for Server {
        fn classify(&self, answer: &Answer) -> Outcome {
            super::classify(answer)
        }
    }

    static RETRIER: Retrier<Server> = Retrier::new(
        Policy::new(ATTEMPTS).backoff(Backoff::none()),
        Budget::new(1000, 10.0),
        Server,
    );

    /// By a call of its own, which says afterwards why it ended.
    pub mod call {
        use super::{Answer, RETRIER, Work, YieldOnce};

        pub async fn ready(work: &Work) -> Answer {
            RETRIER.call().run(|_| async { work.answer() }).await
        }

        pub async fn yields(work: &Work) -> Answer {
            let body = |_| async {
                YieldOnce::default().await;
                work.answer()
            };
            RETRIER.call().run(body).await
        }
    }

    pub async fn ready(work: &Work) -> Answer {
        RETRIER.run(|_| async { work.answer() }).await
    }

    pub async fn yields(work: &Work) -> Answer {
        let body = |_| async {
            YieldOnce::default().await;
            work.answer()
        };
        RETRIER.run(body).await
    }
}
