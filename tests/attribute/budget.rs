//! The budget: the only thing that calls share, and what ends their retries.

use std::sync::{Arc, LazyLock};

use retry_runtime::{Backoff, Budget, Decision, Outcome, retry};
use tokio::time::{sleep, timeout};

use crate::support::{Calls, Error, Seen, classify, ms};

#[tokio::test(start_paused = true)]
async fn only_the_budget_stops_a_call_with_fifty_attempts() {
    static BUDGET: Budget = Budget::new(10, 0.1);
    #[retry(
        attempts = 50,
        budget = BUDGET,
        classify = classify,
        schedule = Backoff::none(),
        observe = |event| seen.push(event),
    )]
    async fn failing(calls: &Calls, seen: &Seen) -> Result<(), Error> {
        Err(Error::Numbered(calls.next()))
    }
    #[retry(attempts = 4, budget = BUDGET, classify = classify)]
    async fn other() -> Result<(), Error> {
        Ok(())
    }
    let (calls, seen) = (Calls::new(), Seen::default());
    assert_eq!(failing(&calls, &seen).await, Err(Error::Numbered(5)));
    assert_eq!(seen.last(), Some(Decision::Throttled));
    assert_eq!(BUDGET.tokens(), 5.0);

    // The dependency is down: a call is one attempt.
    let calls = Calls::new();
    failing(&calls, &seen).await.unwrap_err();
    assert_eq!((calls.count(), BUDGET.tokens()), (1, 4.0));

    // Successes of another function refill the budget that both share.
    for _ in 0..31 {
        other().await.unwrap();
    }
    assert_eq!(BUDGET.tokens(), 7.1);
    let calls = Calls::new();
    failing(&calls, &seen).await.unwrap_err();
    assert_eq!((calls.count(), BUDGET.tokens()), (3, 4.1));
}

#[tokio::test(start_paused = true)]
async fn a_call_dropped_while_it_waits_holds_nothing() {
    static BUDGET: Budget = Budget::new(10, 0.1);
    #[retry(attempts = 9, budget = BUDGET, classify = classify, schedule = Backoff::constant(1s))]
    async fn call(calls: &Calls) -> Result<(), Error> {
        calls.next();
        sleep(ms(100)).await;
        Err(Error::Again)
    }
    let calls = Calls::new();
    timeout(ms(50), call(&calls)).await.unwrap_err();
    assert_eq!((calls.count(), BUDGET.tokens()), (1, 10.0), "dropped in an attempt");
    let calls = Calls::new();
    timeout(ms(600), call(&calls)).await.unwrap_err();
    assert_eq!((calls.count(), BUDGET.tokens()), (1, 9.0), "dropped in a wait");
    let calls = Calls::new();
    timeout(ms(1150), call(&calls)).await.unwrap_err();
    assert_eq!((calls.count(), BUDGET.tokens()), (2, 8.0), "dropped in the second attempt");
}

#[tokio::test(start_paused = true)]
async fn concurrent_calls_share_the_budget_and_nothing_else() {
    static BUDGET: Budget = Budget::new(10, 0.1);
    #[retry(
        attempts = 50,
        budget = BUDGET,
        classify = classify,
        schedule = Backoff::constant(10ms),
        attempt = attempt,
    )]
    async fn call(calls: &Calls) -> Result<(), Error> {
        assert_eq!(calls.next(), attempt.number());
        sleep(ms(5)).await;
        Err(Error::Numbered(attempt.number()))
    }
    let (one, two) = (Calls::new(), Calls::new());
    let (first, second) = tokio::join!(call(&one), call(&two));
    assert_eq!(first, Err(Error::Numbered(3)));
    assert_eq!(second, Err(Error::Numbered(3)));
    assert_eq!((one.at(), two.at()), (vec![0, 15, 30], vec![0, 15, 30]));
    assert_eq!(BUDGET.tokens(), 4.0);
}

#[tokio::test(start_paused = true)]
async fn without_a_budget_the_attempts_are_the_limit() {
    #[retry(attempts = 50, budget = none, classify = classify, schedule = Backoff::none())]
    async fn none(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    #[retry(attempts = 50, budget = None, classify = classify, schedule = Backoff::none())]
    async fn capital_none(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    let calls = Calls::new();
    none(&calls).await.unwrap_err();
    capital_none(&calls).await.unwrap_err();
    assert_eq!(calls.count(), 100);
}

#[tokio::test(start_paused = true)]
async fn a_budget_can_be_a_field_a_lazy_static_a_parameter_or_what_a_function_finds() {
    struct Client {
        owned: Budget,
        shared: Arc<Budget>,
        hosts: Vec<(&'static str, Arc<Budget>)>,
    }
    impl Client {
        fn budget_of(&self, host: &str) -> Arc<Budget> {
            let found = self.hosts.iter().find(|(name, _)| *name == host);
            Arc::clone(&found.expect("a known host").1)
        }
        #[retry(attempts = 2, budget = self.owned, classify = classify, schedule = Backoff::none())]
        async fn by_field(&self) -> Result<(), Error> {
            Err(Error::Again)
        }
        #[retry(attempts = 2, budget = self.shared, classify = classify, schedule = Backoff::none())]
        async fn by_shared_field(&self) -> Result<(), Error> {
            Err(Error::Again)
        }
        #[retry(attempts = 2, budget = self.budget_of(host), classify = classify, schedule = Backoff::none())]
        async fn by_function(&self, host: &str) -> Result<(), Error> {
            Err(Error::Again)
        }
    }
    static LAZY: LazyLock<Budget> = LazyLock::new(|| Budget::new(10, 0.1));
    static PLAIN: Budget = Budget::new(10, 0.1);
    fn found() -> &'static Budget {
        &PLAIN
    }
    #[retry(attempts = 2, budget = LAZY, classify = classify, schedule = Backoff::none())]
    async fn by_lazy_static() -> Result<(), Error> {
        Err(Error::Again)
    }
    #[retry(attempts = 2, budget = found(), classify = classify, schedule = Backoff::none())]
    async fn by_reference() -> Result<(), Error> {
        Err(Error::Again)
    }
    #[retry(attempts = 2, budget = budget, classify = classify, schedule = Backoff::none())]
    async fn by_parameter(budget: &Budget) -> Result<(), Error> {
        Err(Error::Again)
    }

    let new = || Arc::new(Budget::new(10, 0.1));
    let client = Client {
        owned: Budget::new(10, 0.1),
        shared: new(),
        hosts: vec![("one", new()), ("two", new())],
    };
    client.by_field().await.unwrap_err();
    assert_eq!(client.owned.tokens(), 8.0);
    client.by_shared_field().await.unwrap_err();
    assert_eq!(client.shared.tokens(), 8.0);
    client.by_function("two").await.unwrap_err();
    assert_eq!((client.hosts[0].1.tokens(), client.hosts[1].1.tokens()), (10.0, 8.0));
    by_lazy_static().await.unwrap_err();
    assert_eq!(LAZY.tokens(), 8.0);
    by_reference().await.unwrap_err();
    assert_eq!(PLAIN.tokens(), 8.0);
    by_parameter(&client.owned).await.unwrap_err();
    assert_eq!(client.owned.tokens(), 6.0);
}

#[tokio::test(start_paused = true)]
async fn the_last_attempt_pays_too() {
    static BUDGET: Budget = Budget::new(10, 0.1);
    #[retry(
        attempts = 3,
        budget = BUDGET,
        classify = classify,
        schedule = Backoff::none(),
        observe = |event| seen.push(event),
    )]
    async fn call(calls: &Calls, seen: &Seen) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    // The worked numbers of the library's documents: (attempts, tokens left).
    for (attempts, tokens) in [(3, 7.0), (2, 5.0), (1, 4.0), (1, 3.0), (1, 2.0), (1, 1.0), (1, 0.0)]
    {
        let (calls, seen) = (Calls::new(), Seen::default());
        call(&calls, &seen).await.unwrap_err();
        assert_eq!((calls.count(), BUDGET.tokens()), (attempts, tokens));
        let expected = if attempts == 3 { Decision::Exhausted } else { Decision::Throttled };
        assert_eq!(seen.last(), Some(expected));
    }
}

#[tokio::test(start_paused = true)]
async fn layers_that_share_a_budget_charge_a_failure_once_each() {
    #[retry(attempts = 1, budget = budget, classify = classify)]
    async fn inner(budget: &Budget) -> Result<(), Error> {
        Err(Error::Again)
    }
    #[retry(attempts = 2, budget = budget, classify = classify, schedule = Backoff::none())]
    async fn outer(budget: &Budget) -> Result<(), Error> {
        inner(budget).await
    }
    let budget = Budget::new(100, 0.1);
    outer(&budget).await.unwrap_err();
    assert_eq!(budget.tokens(), 96.0, "two tokens for each of the two attempts");
}

#[tokio::test(start_paused = true)]
async fn a_repeat_leaves_the_budget_and_is_never_throttled() {
    #[retry(
        attempts = 40,
        budget = budget,
        classify = |result| if result.is_ok() { Outcome::Success } else { Outcome::Repeat },
        schedule = Backoff::none(),
    )]
    async fn poll(calls: &Calls, budget: &Budget) -> Result<(), Error> {
        if calls.next() < 40 { Err(Error::Again) } else { Ok(()) }
    }
    let budget = Budget::new(3, 0.001);
    for _ in 0..3 {
        let _ = retry_runtime::Policy::new(1).call(&budget).decide(Outcome::Fail);
    }
    let calls = Calls::new();
    poll(&calls, &budget).await.unwrap();
    assert_eq!((calls.count(), budget.tokens()), (40, 0.001), "credited by the success alone");
}
