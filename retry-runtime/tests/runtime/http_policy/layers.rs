//! Settings, their layers and their mistakes.

use http::Method;
use retry_runtime::http::{
    HttpPolicy, HttpPolicyPatch, Methods, OverMax, ServerDelay, StatusSet, Switch,
};
use retry_runtime::{Backoff, Jitter, Outcome, PolicyPatch, Schedule};

use super::{MS, SECOND, asked, retries};

#[test]
fn every_schedule_and_every_jitter_can_be_said() {
    let jitters = [Jitter::None, Jitter::Full, Jitter::Subtract(0.5), Jitter::Add(0.2)];
    for jitter in jitters {
        let patch = HttpPolicyPatch::new()
            .policy(PolicyPatch::new().backoff("constant").initial(SECOND).jitter(jitter));
        let expected = Backoff::constant(SECOND).jitter(jitter);
        let merged = HttpPolicy::DEFAULT.merge(&patch).unwrap();
        for step in [1, 2, 9] {
            assert_eq!(merged.backoff.curve(step), SECOND);
        }
        assert_eq!(merged.backoff.seed(7).delay(1), expected.seed(7).delay(1));
        assert_eq!(merged.policy().schedule(), merged.backoff);
    }
}

#[test]
fn one_attempt_and_no_limits_can_be_said() {
    let policy = HttpPolicy::DEFAULT.merge(&retries(1)).unwrap();
    assert_eq!(
        policy.policy(),
        HttpPolicy::DEFAULT
            .for_method(&Method::GET)
            .policy()
            .merge(&PolicyPatch::new().attempts(1))
            .unwrap()
    );
    let none = PolicyPatch::new().unlimited().without_time_limit();
    let policy = HttpPolicy::DEFAULT.merge(&HttpPolicyPatch::new().policy(none)).unwrap();
    assert_eq!((policy.attempts, policy.within), (None, None));
    assert_eq!(policy.policy().time_limit(), None);
}

#[test]
fn a_layer_changes_what_it_names_and_nothing_else() {
    let service = HttpPolicyPatch::new()
        .policy(PolicyPatch::new().attempts(6).within(60 * SECOND))
        .statuses([429]);
    let call = retries(2).methods(Methods::Safe);
    let policy = HttpPolicy::DEFAULT.merge(&service).unwrap().merge(&call).unwrap();

    let mut expected = HttpPolicy::DEFAULT;
    expected.attempts = Some(2);
    expected.within = Some(60 * SECOND);
    expected.statuses = StatusSet::EMPTY.with(429);
    expected.methods = Methods::Safe;
    assert_eq!(policy, expected);
    assert_eq!(HttpPolicy::DEFAULT.merge(&service.merge(&call)).unwrap(), expected);
    let nothing = HttpPolicyPatch::new();
    assert_eq!(HttpPolicy::TRANSPORT.merge(&nothing).unwrap(), HttpPolicy::TRANSPORT);
}

#[test]
fn every_option_can_be_set_by_a_layer() {
    let patch = HttpPolicyPatch::new()
        .policy(PolicyPatch::new().attempts(8).backoff("linear").without_time_limit())
        .statuses([503])
        .retry_statuses(Switch::Yes)
        .respect_retry_after(false)
        .retry_after_min(SECOND)
        .retry_after_max(2 * SECOND)
        .retry_after_over_max(OverMax::GiveUp)
        .retry_after_as(ServerDelay::Exact)
        .retry_connection_errors(Switch::No)
        .retry_timeout_errors(Switch::No)
        .retry_other_errors(Switch::Yes)
        .retry_unsent(false)
        .methods(Methods::Safe);
    let merged = HttpPolicy::DEFAULT.merge(&patch).unwrap();

    let mut expected = HttpPolicy::DEFAULT;
    expected.attempts = Some(8);
    expected.backoff = Backoff::linear(500 * MS, 5 * SECOND).jitter(Jitter::Full);
    expected.within = None;
    expected.statuses = StatusSet::EMPTY.with(503);
    expected.retry_statuses = Switch::Yes;
    expected.respect_retry_after = false;
    expected.retry_after_min = SECOND;
    expected.retry_after_max = 2 * SECOND;
    expected.retry_after_over_max = OverMax::GiveUp;
    expected.retry_after_as = ServerDelay::Exact;
    expected.retry_connection_errors = Switch::No;
    expected.retry_timeout_errors = Switch::No;
    expected.retry_other_errors = Switch::Yes;
    expected.retry_unsent = false;
    expected.methods = Methods::Safe;
    assert_eq!(merged, expected);
    assert_eq!(HttpPolicyPatch::new().merge(&patch), patch);
}

#[test]
fn one_error_names_every_mistake() {
    let policy = PolicyPatch::new().attempts(0).initial(6 * SECOND).jitter(Jitter::Add(f64::NAN));
    let patch = HttpPolicyPatch::new().policy(policy).statuses([20, 503, 1000]).retry_after_max(MS);
    let error = HttpPolicy::DEFAULT.merge(&patch).unwrap_err();
    assert_eq!(
        error.fields().collect::<Vec<_>>(),
        ["attempts", "jitter", "statuses", "initial", "retry_after_max"]
    );
    let error = error.to_string();
    for mistake in [
        "`statuses` is [20, 1000], allowed: each 100 to 999",
        "`initial` is 6s, allowed: at most `max`, 5s",
        "`retry_after_max` is 1ms, allowed: at least `retry_after_min`, 100ms",
    ] {
        assert!(error.contains(mistake), "{error}");
    }
}

#[test]
fn a_patch_is_checked_alone_for_what_no_base_can_mend() {
    let initial = PolicyPatch::new().initial(6 * SECOND);
    assert!(HttpPolicyPatch::new().policy(initial.clone()).validate().is_ok());
    let error = HttpPolicyPatch::new()
        .policy(initial.max(SECOND).jitter(Jitter::Subtract(-0.1)))
        .retry_after_min(SECOND)
        .retry_after_max(MS)
        .validate()
        .unwrap_err();
    assert_eq!(error.fields().collect::<Vec<_>>(), ["jitter", "max", "retry_after_max"]);
}

#[test]
fn fields_set_by_hand_are_checked_on_request_and_never_panic() {
    let mut policy = HttpPolicy::ANY_5XX_EXACT;
    policy.attempts = Some(0);
    policy.retry_after_max = MS;
    let error = policy.validate().unwrap_err();
    assert_eq!(error.fields().collect::<Vec<_>>(), ["attempts", "retry_after_max"]);
    let get = policy.for_method(&Method::GET);
    assert!(get.policy().call_without_budget().decide(Outcome::Retry).is_final());
    assert_eq!(asked(&get, "retry-after", "5"), Outcome::RetryIn(MS));
    for preset in [HttpPolicy::DEFAULT, HttpPolicy::TRANSPORT, HttpPolicy::ANY_5XX_EXACT] {
        assert_eq!(preset.validate(), Ok(()));
    }
}

#[test]
#[should_panic(expected = "the first status of a range must not be larger than the last")]
fn a_range_of_statuses_the_wrong_way_round_is_no_empty_set() {
    let _ = StatusSet::EMPTY.with_range(504, 502);
}
