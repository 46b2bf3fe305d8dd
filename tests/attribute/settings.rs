//! Sources of settings: `retrier`, `policy`, constants, and keys over them.
//! One subject, so in one file, however long.

use std::sync::Arc;
use std::time::Duration;

use retry_runtime::{
    Backoff, Budget, Classify, NoBudget, OnErr, Outcome, Policy, Retrier, on_err, retry,
};

use crate::support::{Calls, Error, classify, ms, outcome};

struct Rules;

impl<T> Classify<Result<T, Error>> for Rules {
    fn classify(&self, result: &Result<T, Error>) -> Outcome {
        classify(result)
    }
}

const POLICY: Policy = Policy::new(3).backoff(Backoff::constant(ms(10)));

#[tokio::test(start_paused = true)]
async fn a_retrier_in_a_static_gives_everything() {
    static PAYMENTS: Retrier<Rules> =
        Retrier::new(POLICY.within(ms(25)), Budget::new(10, 0.1), Rules);
    #[retry(retrier = PAYMENTS)]
    async fn call(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    #[retry(retrier = PAYMENTS)]
    async fn of_another_type(calls: &Calls) -> Result<String, Error> {
        calls.next();
        Ok("one classifier for every success type".into())
    }
    let calls = Calls::new();
    call(&calls).await.unwrap_err();
    assert_eq!(calls.at(), [0, 10, 20]);
    assert_eq!(PAYMENTS.budget().unwrap().tokens(), 7.0);
    of_another_type(&calls).await.unwrap();
    assert_eq!(PAYMENTS.budget().unwrap().tokens(), 7.1);
}

#[tokio::test(start_paused = true)]
async fn a_retrier_can_be_a_field_or_an_arc_in_one() {
    struct Client<R> {
        retrier: R,
        calls: Calls,
    }
    impl Client<Retrier<Rules>> {
        #[retry(retrier = self.retrier)]
        async fn owned(&self) -> Result<(), Error> {
            self.calls.next();
            Err(Error::Again)
        }
    }
    impl Client<Arc<Retrier<Rules>>> {
        #[retry(retrier = self.retrier)]
        async fn shared(&self) -> Result<(), Error> {
            self.calls.next();
            Err(Error::Again)
        }
    }
    impl Client<Retrier<Rules, Arc<Budget>>> {
        #[retry(retrier = self.retrier)]
        async fn sharing_its_budget(&self) -> Result<(), Error> {
            self.calls.next();
            Err(Error::Again)
        }
    }
    impl<B: retry_runtime::SharedBudget> Client<&Retrier<Rules, B>> {
        #[retry(retrier = self.retrier)]
        async fn borrowed(&self) -> Result<(), Error> {
            self.calls.next();
            Err(Error::Again)
        }
    }
    let retrier = || Retrier::new(POLICY, Budget::new(10, 0.1), Rules);

    let client = Client { retrier: retrier(), calls: Calls::new() };
    client.owned().await.unwrap_err();
    assert_eq!(client.calls.at(), [0, 10, 20]);
    assert_eq!(client.retrier.budget().unwrap().tokens(), 7.0);

    let client = Client { retrier: Arc::new(retrier()), calls: Calls::new() };
    client.shared().await.unwrap_err();
    assert_eq!(client.calls.at(), [0, 10, 20]);

    let budget = Arc::new(Budget::new(10, 0.1));
    let retrier = Retrier::new(POLICY, Arc::clone(&budget), Rules);
    let client = Client { retrier, calls: Calls::new() };
    client.sharing_its_budget().await.unwrap_err();
    assert_eq!((client.calls.count(), budget.tokens()), (3, 7.0));

    let retrier = Retrier::new(POLICY, NoBudget, Rules);
    let client = Client { retrier: &retrier, calls: Calls::new() };
    client.borrowed().await.unwrap_err();
    assert_eq!(client.calls.count(), 3);
}

#[tokio::test(start_paused = true)]
async fn every_part_of_a_retrier_can_be_overridden() {
    static PAYMENTS: Retrier<Rules> = Retrier::new(POLICY, Budget::new(10, 0.1), Rules);
    static OTHER: Budget = Budget::new(10, 0.1);

    #[retry(retrier = PAYMENTS, attempts = 2)]
    async fn attempts(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    #[retry(retrier = PAYMENTS, schedule = Backoff::constant(1s))]
    async fn schedule(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    #[retry(retrier = PAYMENTS, within = 15ms)]
    async fn within(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    #[retry(retrier = PAYMENTS, classify = |_| Outcome::Stop)]
    async fn classified(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    #[retry(retrier = PAYMENTS, classify_err = |_| Outcome::Fail)]
    async fn classified_error(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    #[retry(retrier = PAYMENTS, budget = OTHER)]
    async fn budget(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    #[retry(retrier = PAYMENTS, budget = none)]
    async fn no_budget(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }

    let tokens = || PAYMENTS.budget().unwrap().tokens();
    macro_rules! check {
        ($call:ident, $at:expr, $tokens:expr) => {{
            let calls = Calls::new();
            $call(&calls).await.unwrap_err();
            assert_eq!((calls.at(), tokens()), ($at.to_vec(), $tokens), stringify!($call));
        }};
    }
    check!(attempts, [0, 10], 8.0);
    check!(classified, [0], 8.0);
    check!(classified_error, [0], 7.0);
    check!(budget, [0, 10, 20], 7.0);
    assert_eq!(OTHER.tokens(), 7.0);
    check!(no_budget, [0, 10, 20], 7.0);
    check!(within, [0, 10], 5.0);
    for _ in 0..50 {
        #[retry(retrier = PAYMENTS)]
        async fn succeed() -> Result<(), Error> {
            Ok(())
        }
        succeed().await.unwrap();
    }
    check!(schedule, [0, 1000, 2000], 7.0);
}

#[tokio::test(start_paused = true)]
async fn a_retrier_of_closures_judges_errors() {
    type OnError = OnErr<fn(&Error) -> Outcome>;
    static RETRIER: Retrier<OnError, NoBudget> = Retrier::new(POLICY, NoBudget, on_err(outcome));
    #[retry(retrier = RETRIER)]
    async fn call(calls: &Calls) -> Result<u32, Error> {
        let number = calls.next();
        if number < 2 { Err(Error::Again) } else { Ok(number) }
    }
    assert_eq!(call(&Calls::new()).await, Ok(2));
}

#[tokio::test(start_paused = true)]
async fn a_policy_can_be_a_constant_a_field_or_an_expression() {
    struct Client {
        policy: Policy,
        calls: Calls,
    }
    impl Client {
        #[retry(policy = self.policy, budget = none, classify = classify)]
        async fn field(&self) -> Result<(), Error> {
            self.calls.next();
            Err(Error::Again)
        }
    }
    #[retry(policy = POLICY, budget = none, classify = classify)]
    async fn constant(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    #[retry(
        policy = if urgent { POLICY } else { Policy::new(2).backoff(Backoff::constant(1s)) },
        budget = none,
        classify = classify
    )]
    async fn expression(calls: &Calls, urgent: bool) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    let calls = Calls::new();
    constant(&calls).await.unwrap_err();
    assert_eq!(calls.at(), [0, 10, 20]);

    let policy = Policy::new(9).backoff(Backoff::constant(ms(40))).within(ms(100));
    let client = Client { policy, calls: Calls::new() };
    client.field().await.unwrap_err();
    assert_eq!(client.calls.at(), [0, 40, 80]);

    let calls = Calls::new();
    expression(&calls, true).await.unwrap_err();
    assert_eq!(calls.at(), [0, 10, 20]);
    let calls = Calls::new();
    expression(&calls, false).await.unwrap_err();
    assert_eq!(calls.at(), [0, 1000]);
}

#[tokio::test(start_paused = true)]
async fn keys_override_the_fields_of_a_policy() {
    #[retry(policy = POLICY, attempts = 4, budget = none, classify = classify)]
    async fn attempts(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    #[retry(policy = POLICY, schedule = |_| ms(1), budget = none, classify = classify)]
    async fn schedule(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    // Longer than the policy's, and it counts all the same.
    #[retry(policy = POLICY.within(ms(5)), within = 15ms, budget = none, classify = classify)]
    async fn within(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    let calls = Calls::new();
    attempts(&calls).await.unwrap_err();
    assert_eq!(calls.at(), [0, 10, 20, 30]);
    let calls = Calls::new();
    schedule(&calls).await.unwrap_err();
    assert_eq!(calls.at(), [0, 1, 2]);
    let calls = Calls::new();
    within(&calls).await.unwrap_err();
    assert_eq!(calls.at(), [0, 10]);
}

#[tokio::test(start_paused = true)]
async fn a_policy_is_copied_when_the_call_begins() {
    use std::sync::Mutex;
    #[retry(policy = *policy.lock().unwrap(), budget = none, classify = classify)]
    async fn call(calls: &Calls, policy: &Mutex<Policy>) -> Result<(), Error> {
        calls.next();
        *policy.lock().unwrap() = Policy::new(1);
        Err(Error::Again)
    }
    let (calls, policy) = (Calls::new(), Mutex::new(POLICY));
    call(&calls, &policy).await.unwrap_err();
    assert_eq!(calls.at(), [0, 10, 20]);
    call(&calls, &policy).await.unwrap_err();
    assert_eq!(calls.count(), 4);
}

mod limits {
    pub const ATTEMPTS: u32 = 2;
}

#[tokio::test(start_paused = true)]
async fn attempts_can_be_any_constant() {
    struct Client<const N: u32>;
    impl<const N: u32> Client<N> {
        const ATTEMPTS: u32 = N + 1;

        #[retry(attempts = Self::ATTEMPTS, budget = none, classify = classify, schedule = Backoff::none())]
        async fn associated(&self, calls: &Calls) -> Result<(), Error> {
            calls.next();
            Err(Error::Again)
        }
        #[retry(attempts = N, budget = none, classify = classify, schedule = Backoff::none())]
        async fn of_the_impl(&self, calls: &Calls) -> Result<(), Error> {
            calls.next();
            Err(Error::Again)
        }
    }
    #[retry(attempts = limits::ATTEMPTS, budget = none, classify = classify, schedule = Backoff::none())]
    async fn path(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    #[retry(attempts = 2 * limits::ATTEMPTS + 1, budget = none, classify = classify, schedule = Backoff::none())]
    async fn sum(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    #[retry(attempts = TIMES, budget = none, classify = classify, schedule = Backoff::none())]
    async fn generic<const TIMES: u32>(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    async fn count(calls: &Calls, call: impl Future<Output = Result<(), Error>>) -> usize {
        let before = calls.count();
        call.await.unwrap_err();
        calls.count() - before
    }
    let calls = Calls::new();
    assert_eq!(count(&calls, Client::<3>.associated(&calls)).await, 4);
    assert_eq!(count(&calls, Client::<3>.of_the_impl(&calls)).await, 3);
    assert_eq!(count(&calls, path(&calls)).await, 2);
    assert_eq!(count(&calls, sum(&calls)).await, 5);
    assert_eq!(count(&calls, generic::<1>(&calls)).await, 1);
    assert_eq!(count(&calls, generic::<6>(&calls)).await, 6);
}

#[tokio::test(start_paused = true)]
async fn keys_come_in_any_order_and_may_end_with_a_comma() {
    #[retry(within = 1m, classify = classify, schedule = Backoff::constant(1ms), budget = none, attempts = 2u32,)]
    async fn call(calls: &Calls) -> Result<(), Error> {
        calls.next();
        Err(Error::Again)
    }
    let calls = Calls::new();
    call(&calls).await.unwrap_err();
    assert_eq!(calls.at(), [0, 1]);
    assert!(calls.now() < Duration::from_secs(60).as_millis());
}
