//! One dependency's settings in one value, and how its budget is shared.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use retry_runtime::{
    Backoff, Budget, BudgetConfig, Classify, Decision, NoBudget, OnErr, Outcome, Policy,
    PolicyPatch, Retrier, RetrierConfig, SharedBudget, on_err,
};

const AT_ONCE: Policy = Policy::new(3).backoff(Backoff::none());

/// Serves the results of many functions.
struct Io;

impl<T> Classify<io::Result<T>> for Io {
    fn classify(&self, result: &io::Result<T>) -> Outcome {
        match result {
            Ok(_) => Outcome::Success,
            Err(error) if error.kind() == io::ErrorKind::TimedOut => Outcome::Retry,
            Err(_) => Outcome::Stop,
        }
    }
}

fn timed_out<T>() -> io::Result<T> {
    Err(io::ErrorKind::TimedOut.into())
}

/// A whole call that fails: how many attempts it makes, and why it ends.
fn fail<C: Classify<io::Result<()>>, B: SharedBudget>(retrier: &Retrier<C, B>) -> (u32, Decision) {
    let mut call = retrier.call();
    loop {
        let decision = call.decide(retrier.classify(&timed_out::<()>()));
        if decision.is_final() {
            return (call.attempt(), decision);
        }
    }
}

#[test]
fn a_static_retrier_owns_its_budget() {
    static PAYMENTS: Retrier<Io> = Retrier::new(AT_ONCE, Budget::new(10, 0.1), Io);
    assert_eq!(fail(&PAYMENTS), (3, Decision::Exhausted));
    assert_eq!(fail(&PAYMENTS), (2, Decision::Throttled));
    assert_eq!(fail(&PAYMENTS), (1, Decision::Throttled));
    assert_eq!(PAYMENTS.budget().map(Budget::tokens), Some(4.0));
    assert_eq!(PAYMENTS.policy(), &AT_ONCE);
    assert_eq!(PAYMENTS.classify(&Ok::<_, io::Error>("receipt")), Outcome::Success);
    assert_eq!(PAYMENTS.classifier().classify(&timed_out::<u8>()), Outcome::Retry);
}

#[test]
fn retriers_of_one_server_share_a_budget_by_arc() {
    let budget = Arc::new(Budget::new(10, 0.1));
    let charge = Retrier::new(AT_ONCE, Arc::clone(&budget), Io);
    let refund = Retrier::new(Policy::new(5), Arc::clone(&budget), Io);
    assert_eq!(fail(&charge), (3, Decision::Exhausted));
    assert_eq!(fail(&refund), (2, Decision::Throttled));
    assert_eq!(budget.tokens(), 5.0);
    assert!(std::ptr::eq(charge.budget().unwrap(), refund.budget().unwrap()));
}

#[test]
fn retriers_of_one_server_share_a_static_budget() {
    static BUDGET: Budget = Budget::new(4, 0.1);
    static CHARGE: Retrier<Io, &Budget> = Retrier::new(AT_ONCE, &BUDGET, Io);
    static REFUND: Retrier<Io, &Budget> = Retrier::new(AT_ONCE, &BUDGET, Io);
    assert_eq!(fail(&CHARGE), (2, Decision::Throttled));
    assert_eq!(fail(&REFUND), (1, Decision::Throttled));
    assert_eq!(BUDGET.tokens(), 1.0);
}

#[test]
fn an_arc_of_a_retrier_serves_every_clone_of_a_client() {
    let retrier = Arc::new(Retrier::new(AT_ONCE, Budget::new(4, 0.1), Io));
    let clone = Arc::clone(&retrier);
    assert_eq!(fail(&retrier), (2, Decision::Throttled));
    assert_eq!(fail(&clone), (1, Decision::Throttled));
}

#[test]
fn no_budget_limits_nothing_and_an_absent_one_neither() {
    let startup = Retrier::new(AT_ONCE, NoBudget, Io);
    let absent = Retrier::new(AT_ONCE, None::<Arc<Budget>>, Io);
    for _ in 0..20 {
        assert_eq!(fail(&startup), (3, Decision::Exhausted));
        assert_eq!(fail(&absent), (3, Decision::Exhausted));
    }
    assert!(startup.budget().is_none() && absent.budget().is_none());
    let present = Retrier::new(AT_ONCE, Some(Arc::new(Budget::new(4, 0.1))), Io);
    assert_eq!(fail(&present), (2, Decision::Throttled));
}

fn config(policy: PolicyPatch, max_tokens: u32, token_ratio: f64) -> RetrierConfig {
    RetrierConfig { policy, budget: BudgetConfig::new(max_tokens, token_ratio) }
}

#[test]
fn a_retrier_from_a_configuration_has_its_settings() {
    let policy = PolicyPatch::new().attempts(2).within(Duration::from_secs(30));
    let retrier = Retrier::from_config(&config(policy, 20, 0.25), Io).unwrap();
    assert_eq!(retrier.policy(), &Policy::new(2).within(Duration::from_secs(30)));
    let budget = retrier.budget().unwrap();
    assert_eq!((budget.max_tokens(), budget.token_ratio()), (20, 0.25));
}

#[test]
fn a_configuration_names_every_mistake_of_every_part() {
    let policy = PolicyPatch::new().attempts(0).backoff("expo").within(Duration::ZERO);
    let error = Retrier::from_config(&config(policy, 2, f64::NAN), Io).unwrap_err();
    assert_eq!(
        error.fields().collect::<Vec<_>>(),
        [
            "policy.attempts",
            "policy.backoff",
            "policy.within",
            "budget.max_tokens",
            "budget.token_ratio"
        ]
    );
    assert!(error.to_string().starts_with("5 invalid settings: `policy.attempts` is 0"));
}

#[test]
fn attempts_that_are_missing_are_a_mistake_beside_the_others() {
    let policy = PolicyPatch::new().max(Duration::ZERO);
    let error = Retrier::from_config(&config(policy, 0, 0.1), Io).unwrap_err();
    assert_eq!(
        error.fields().collect::<Vec<_>>(),
        ["policy.attempts", "policy.max", "budget.max_tokens"]
    );
    assert!(error.to_string().contains("`policy.attempts` is missing"));
    let sound = config(PolicyPatch::new(), 10, 0.1);
    let error = Retrier::from_config(&sound, Io).unwrap_err();
    assert_eq!(error.fields().collect::<Vec<_>>(), ["policy.attempts"]);
}

#[test]
fn a_function_is_a_classifier_of_the_whole_result() {
    let pages = |result: &Result<Vec<u8>, io::Error>| match result {
        Ok(page) if page.is_empty() => Outcome::Retry,
        Ok(_) => Outcome::Success,
        Err(_) => Outcome::Fail,
    };
    let retrier = Retrier::new(AT_ONCE, NoBudget, pages);
    assert_eq!(retrier.classify(&Ok(Vec::new())), Outcome::Retry);
    assert_eq!(retrier.classify(&Ok(vec![1])), Outcome::Success);
    assert_eq!(retrier.classify(&Err(io::ErrorKind::Other.into())), Outcome::Fail);
}

#[test]
fn a_function_of_the_error_makes_a_classifier_in_which_ok_is_success() {
    fn kind(error: &io::Error) -> Outcome {
        match error.kind() {
            io::ErrorKind::TimedOut => Outcome::RetryAfter(Duration::from_secs(1)),
            _ => Outcome::Stop,
        }
    }
    type Kind = fn(&io::Error) -> Outcome;
    static RETRIER: Retrier<OnErr<Kind>, NoBudget> = Retrier::new(AT_ONCE, NoBudget, on_err(kind));
    let floor = Outcome::RetryAfter(Duration::from_secs(1));
    assert_eq!(RETRIER.classify(&Ok::<_, io::Error>(7)), Outcome::Success);
    assert_eq!(RETRIER.classify(&timed_out::<String>()), floor);
    let other: io::Result<()> = Err(io::ErrorKind::NotFound.into());
    assert_eq!(RETRIER.classify(&other), Outcome::Stop);
}

#[test]
fn a_retrier_can_be_printed_whatever_its_classifier_is() {
    let retrier = Retrier::new(AT_ONCE, Budget::new(10, 0.1), on_err(|_: &u8| Outcome::Stop));
    let text = format!("{retrier:?}");
    assert!(text.contains("attempts: Some(3)") && text.contains("tokens: 10.0"), "{text}");
    let text = format!("{:?}", Retrier::new(AT_ONCE, NoBudget, Io));
    assert!(text.contains("budget: None"), "{text}");
}
