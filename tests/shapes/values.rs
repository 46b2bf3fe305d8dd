//! Values of keys: any expression of its type, or that derefs to it.

use core::time::Duration;
use std::collections::HashMap;
use std::ops::Add;
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Instant;

use retry_runtime::{Backoff, Budget, NoBudget, Outcome, Policy, Retrier, Schedule, on_err, retry};

use super::{BUDGET, judge, must_be_send, run};

static LAZY: LazyLock<Budget> = LazyLock::new(|| Budget::new(10, 0.1));
static OTHER: Policy = Policy::new(1);
static CELL: OnceLock<Budget> = OnceLock::new();

type OnErr = retry_runtime::OnErr<fn(&&'static str) -> Outcome>;

struct Client {
    one: Budget,
    other: Arc<Budget>,
    policy: Arc<Policy>,
    retrier: Arc<Retrier<OnErr, NoBudget>>,
    is_strict: bool,
}

impl Client {
    fn budget<T>(&self, _: T) -> &Budget {
        &self.one
    }

    fn pick<'b, B: ?Sized>(&'b self, of: impl Fn(&'b Client) -> &'b B) -> &'b B {
        of(self)
    }

    #[retry(attempts = 2, budget = if self.is_strict { &self.one } else { &self.other }, classify = judge)]
    async fn budget_by_condition(&self) -> Result<u8, &'static str> {
        Ok(1)
    }

    #[retry(attempts = 2, budget = match self.is_strict { true => &*self.other, false => &self.one }, classify = judge)]
    async fn budget_by_match(&self) -> Result<u8, &'static str> {
        Ok(2)
    }

    #[retry(attempts = 2, budget = { let client = self; &client.one }, classify = judge)]
    async fn budget_by_block(&self) -> Result<u8, &'static str> {
        Ok(3)
    }

    #[retry(attempts = 2, budget = self.budget("generic"), classify = judge)]
    async fn budget_by_generic_call(&self) -> Result<u8, &'static str> {
        Ok(4)
    }

    #[retry(attempts = 2, budget = self.pick(|client| &client.one), classify = judge)]
    async fn budget_by_generic_reference(&self) -> Result<u8, &'static str> {
        Ok(5)
    }

    #[retry(policy = if self.is_strict { &*self.policy } else { &OTHER }, budget = none, classify = judge)]
    async fn policy_by_condition(&self) -> Result<u8, &'static str> {
        Ok(6)
    }

    #[retry(policy = self.pick(|client| &client.policy), budget = none, classify = judge)]
    async fn policy_by_generic_call(&self) -> Result<u8, &'static str> {
        Ok(7)
    }

    #[retry(retrier = match self.is_strict { true => &self.retrier, false => &self.retrier })]
    async fn retrier_by_condition(&self) -> Result<u8, &'static str> {
        Ok(8)
    }

    #[retry(retrier = self.pick(|client| &client.retrier))]
    async fn retrier_by_generic_call(&self) -> Result<u8, &'static str> {
        Ok(9)
    }
}

#[retry(attempts = 2, budget = LAZY, classify = judge)]
async fn budget_in_a_lazy_lock() -> Result<u8, &'static str> {
    Ok(10)
}

#[retry(attempts = 2, budget = CELL.get_or_init(|| Budget::new(10, 0.1)), classify = judge)]
async fn budget_made_once() -> Result<u8, &'static str> {
    Ok(11)
}

#[retry(attempts = 2, budget = hosts.entry("a").or_insert_with(|| Budget::new(10, 0.1)), classify = judge)]
async fn budget_of_a_host(hosts: &mut HashMap<&str, Budget>) -> Result<u8, &'static str> {
    Ok(12)
}

#[derive(Clone, Copy)]
struct Ramp(u32);

impl Add for Ramp {
    type Output = Ramp;

    fn add(self, other: Ramp) -> Ramp {
        Ramp(self.0.wrapping_add(other.0))
    }
}

impl Schedule for Ramp {
    fn delay(&self, step: u32) -> Duration {
        Duration::from_nanos(u64::from(self.0.wrapping_mul(step)))
    }
}

#[retry(attempts = 2, budget = BUDGET, classify = judge, schedule = Ramp(1) + Ramp(2))]
async fn schedule_of_two() -> Result<u8, &'static str> {
    Ok(13)
}

#[retry(attempts = 2, budget = BUDGET, classify = judge, schedule = &*schedule)]
async fn schedule_object(schedule: Box<dyn Schedule + Send + Sync>) -> Result<u8, &'static str> {
    Ok(14)
}

#[retry(attempts = 2, budget = BUDGET, classify = judge, within = limit, deadline = end, attempt_timeout = limit, on_timeout = Err("slow"))]
async fn limits_that_may_be_none(
    limit: Option<Duration>,
    end: Option<Instant>,
) -> Result<u8, &'static str> {
    Ok(15)
}

#[retry(attempts = { 2 }, budget = { &BUDGET }, classify = ({ judge }), schedule = (Backoff::none()), within = { 3s })]
async fn braces_and_parentheses() -> Result<u8, &'static str> {
    Ok(16)
}

struct Waits {
    boxed: Box<dyn Schedule + Send + Sync>,
    shared: Arc<Backoff>,
    function: Box<dyn Fn(u32) -> Duration + Send + Sync>,
}

impl Waits {
    #[retry(attempts = 2, budget = none, classify = judge, schedule = self.boxed)]
    async fn boxed(&self, number: u8) -> Result<u8, &'static str> {
        fail(number)
    }

    #[retry(attempts = 2, budget = none, classify = judge, schedule = self.shared)]
    async fn shared(&self, number: u8) -> Result<u8, &'static str> {
        fail(number)
    }

    #[retry(attempts = 2, budget = none, classify = judge, schedule = self.function)]
    async fn function(&self, number: u8) -> Result<u8, &'static str> {
        fail(number)
    }
}

#[retry(attempts = 2, budget = none, classify = judge, schedule = waits)]
async fn lent(waits: &(dyn Schedule + Sync), number: u8) -> Result<u8, &'static str> {
    fail(number)
}

#[retry(attempts = 2, budget = none, classify = judge, schedule = waits)]
async fn generic<S: Schedule>(waits: &S, number: u8) -> Result<u8, &'static str> {
    fail(number)
}

fn fail(number: u8) -> Result<u8, &'static str> {
    if number == 0 { Err("again") } else { Ok(number) }
}

#[test]
fn a_schedule_may_be_behind_a_pointer() {
    let waits = Waits {
        boxed: Box::new(Backoff::none()),
        shared: Arc::new(Backoff::none()),
        function: Box::new(|_| Duration::ZERO),
    };
    assert_eq!(run(waits.boxed(0)), Err("again"));
    assert_eq!(run(waits.shared(0)), Err("again"));
    assert_eq!(run(waits.function(0)), Err("again"));
    assert_eq!(run(lent(&Backoff::none(), 0)), Err("again"));
    assert_eq!(run(generic(&Backoff::none(), 0)), Err("again"));
}

#[test]
fn they_behave() {
    let transient: fn(&&'static str) -> Outcome = |_| Outcome::Stop;
    let client = Client {
        one: Budget::new(10, 0.1),
        other: Arc::new(Budget::new(10, 0.1)),
        policy: Arc::new(Policy::new(2)),
        retrier: Arc::new(Retrier::new(Policy::new(2), NoBudget, on_err(transient))),
        is_strict: true,
    };
    assert_eq!(run(client.budget_by_condition()), Ok(1));
    assert_eq!(run(client.budget_by_match()), Ok(2));
    assert_eq!(run(must_be_send(client.budget_by_block())), Ok(3));
    assert_eq!(run(client.budget_by_generic_call()), Ok(4));
    assert_eq!(run(client.budget_by_generic_reference()), Ok(5));
    assert_eq!(run(client.policy_by_condition()), Ok(6));
    assert_eq!(run(client.policy_by_generic_call()), Ok(7));
    assert_eq!(run(client.retrier_by_condition()), Ok(8));
    assert_eq!(run(client.retrier_by_generic_call()), Ok(9));
    assert_eq!(run(budget_in_a_lazy_lock()), Ok(10));
    assert_eq!(run(budget_made_once()), Ok(11));
    assert_eq!(run(budget_of_a_host(&mut HashMap::new())), Ok(12));
    assert_eq!(run(schedule_of_two()), Ok(13));
    assert_eq!(run(schedule_object(Box::new(Backoff::none()))), Ok(14));
    assert_eq!(run(limits_that_may_be_none(None, None)), Ok(15));
    assert_eq!(run(braces_and_parentheses()), Ok(16));
}
