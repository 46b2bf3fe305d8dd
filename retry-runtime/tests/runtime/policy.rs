//! Policies from code, and layers of settings over them.

use std::time::Duration;

use retry_runtime::{Backoff, ConfigError, Jitter, Policy, PolicyPatch, Schedule};

const SECOND: Duration = Duration::from_secs(1);

fn fields(result: Result<Policy, ConfigError>) -> Vec<String> {
    result.unwrap_err().fields().map(str::to_owned).collect()
}

fn patch() -> PolicyPatch {
    PolicyPatch::new()
}

#[test]
fn a_new_policy_has_the_default_schedule_and_no_time_limit() {
    const POLICY: Policy = Policy::new(4);
    assert_eq!(POLICY.attempts(), Some(4));
    assert_eq!(POLICY.schedule(), Backoff::DEFAULT);
    assert_eq!(POLICY.time_limit(), None);
    const LIMITED: Policy = POLICY.backoff(Backoff::none()).within(Duration::from_secs(30));
    assert_eq!(LIMITED.schedule(), Backoff::none());
    assert_eq!(LIMITED.time_limit(), Some(SECOND * 30));
    assert_eq!(Policy::unlimited().attempts(), None);
    assert_eq!(Policy::new(u32::MAX).attempts(), Some(u32::MAX));
}

#[test]
#[should_panic(
    expected = "`attempts` must be at least 1: it counts every call, the first included"
)]
fn a_policy_of_no_attempts_is_refused() {
    let _ = Policy::new(0);
}

/// Policies of every shape that the constructors allow.
fn bases() -> Vec<Policy> {
    let backoffs = [
        Backoff::DEFAULT,
        Backoff::exponential(SECOND, SECOND).jitter(Jitter::Subtract(0.5)).seed(3),
        Backoff::linear(SECOND, SECOND * 5).jitter(Jitter::Add(1.0)),
        Backoff::constant(SECOND).jitter(Jitter::Full),
        Backoff::constant(Duration::ZERO),
        Backoff::none(),
    ];
    let policies = backoffs.map(|backoff| Policy::new(4).backoff(backoff));
    let limited = policies.map(|policy| policy.within(SECOND * 30));
    [policies, limited].concat()
}

#[test]
fn an_empty_patch_changes_nothing() {
    for base in bases() {
        assert_eq!(base.merge(&patch()), Ok(base));
        assert_eq!(base.merge(&PolicyPatch::default()), Ok(base));
    }
}

#[test]
fn a_field_that_is_present_wins_and_the_others_stay() {
    for base in bases() {
        let attempts = base.merge(&patch().attempts(9)).unwrap();
        assert_eq!(attempts.attempts(), Some(9));
        let (schedule, limit) = (attempts.schedule(), attempts.time_limit());
        assert_eq!((schedule, limit), (base.schedule(), base.time_limit()));

        let within = base.merge(&patch().within(SECOND * 7)).unwrap();
        assert_eq!(within, base.within(SECOND * 7));

        let limitless = base.merge(&patch().without_time_limit()).unwrap();
        assert_eq!(limitless, Policy::new(4).backoff(base.schedule()));

        let jitter = base.merge(&patch().jitter(Jitter::Add(0.25))).unwrap();
        assert_eq!(jitter, base.backoff(base.schedule().jitter(Jitter::Add(0.25))));
    }
    let base = Policy::new(2).backoff(Backoff::linear(SECOND, SECOND * 5));
    assert_eq!(
        base.merge(&patch().initial(SECOND * 2)).unwrap().schedule(),
        Backoff::linear(SECOND * 2, SECOND * 5)
    );
    assert_eq!(
        base.merge(&patch().max(SECOND * 9)).unwrap().schedule(),
        Backoff::linear(SECOND, SECOND * 9)
    );
    assert_eq!(base.merge(&patch().unlimited()).unwrap().attempts(), None);
}

#[test]
fn layers_chain_and_the_last_one_that_speaks_wins() {
    let file = patch().attempts(6).within(SECOND * 30).backoff("linear");
    let section = patch().attempts(2).initial(SECOND);
    let merged = Policy::new(4).merge(&file).unwrap().merge(&section).unwrap();
    let linear = Backoff::linear(SECOND, SECOND * 10).jitter(Jitter::Full);
    assert_eq!(merged, Policy::new(2).backoff(linear).within(SECOND * 30));
}

#[test]
fn a_change_of_curve_keeps_the_jitter_the_delays_and_the_seed() {
    let base = Policy::new(4)
        .backoff(Backoff::exponential(SECOND, SECOND * 8).jitter(Jitter::Subtract(0.5)).seed(42));
    for name in ["exponential", "exp"] {
        assert_eq!(base.merge(&patch().backoff(name)), Ok(base));
    }
    let linear = base.merge(&patch().backoff("linear")).unwrap().schedule();
    let expected = Backoff::linear(SECOND, SECOND * 8).jitter(Jitter::Subtract(0.5)).seed(42);
    assert_eq!(linear, expected);

    let constant = base.merge(&patch().backoff("constant")).unwrap();
    assert_eq!(constant.schedule().curve(5), SECOND);
    let none = base.merge(&patch().backoff("none")).unwrap();
    assert_eq!(none.schedule().curve(5), Duration::ZERO);
    // Nor is there a wait, though the first delay is kept for later.
    for jitter in [Jitter::None, Jitter::Full, Jitter::Subtract(0.5), Jitter::Add(0.5)] {
        assert_eq!(none.schedule().jitter(jitter).delay(5), Duration::ZERO, "{jitter:?}");
    }
    // And back again: nothing was lost on the way.
    assert_eq!(constant.merge(&patch().backoff("exp")), Ok(base));
    assert_eq!(none.merge(&patch().backoff("exp")), Ok(base));
}

#[test]
fn the_constant_curve_takes_its_delay_from_initial() {
    let base = Policy::new(4);
    let merged = base.merge(&patch().backoff("constant").initial(SECOND * 60)).unwrap();
    assert_eq!(merged.schedule().curve(1), SECOND * 60);
    assert_eq!(merged.schedule().curve(9), SECOND * 60);
    // A cap means nothing to it.
    let capped = patch().backoff("constant").initial(SECOND).max(SECOND * 2);
    assert_eq!(base.merge(&capped).unwrap().schedule().curve(9), SECOND);
    let again = Policy::new(4).backoff(Backoff::constant(SECOND));
    assert_eq!(again.merge(&patch().initial(SECOND * 3)).unwrap().schedule().curve(2), SECOND * 3);
}

#[test]
fn a_curve_that_needs_what_the_base_lacks_says_so() {
    for base in [Backoff::none(), Backoff::constant(Duration::ZERO)] {
        let base = Policy::new(4).backoff(base);
        for curve in ["exponential", "linear"] {
            assert_eq!(fields(base.merge(&patch().backoff(curve))), ["initial", "max"]);
            assert_eq!(fields(base.merge(&patch().backoff(curve).initial(SECOND))), ["max"]);
            assert_eq!(fields(base.merge(&patch().backoff(curve).max(SECOND))), ["initial"]);
            let full = patch().backoff(curve).initial(SECOND).max(SECOND * 2);
            assert_eq!(base.merge(&full).unwrap().schedule().curve(2), SECOND * 2);
        }
    }
    let none = Policy::new(4).backoff(Backoff::none());
    assert_eq!(fields(none.merge(&patch().backoff("constant"))), ["initial"]);
    let text = none.merge(&patch().backoff("constant")).unwrap_err().to_string();
    assert!(text.contains("`initial` is missing"), "{text}");
}

#[test]
fn initial_above_max_names_the_field_that_the_patch_changed() {
    let base = Policy::new(4).backoff(Backoff::linear(SECOND * 2, SECOND * 5));
    assert_eq!(fields(base.merge(&patch().initial(SECOND * 6))), ["initial"]);
    assert_eq!(fields(base.merge(&patch().max(SECOND))), ["max"]);
    assert_eq!(fields(base.merge(&patch().initial(SECOND * 6).max(SECOND))), ["max"]);
    let text = base.merge(&patch().max(SECOND)).unwrap_err().to_string();
    assert_eq!(text, "1 invalid setting: `max` is 1s, allowed: at least `initial`, 2s");
    let text = base.merge(&patch().initial(SECOND * 6)).unwrap_err().to_string();
    assert_eq!(text, "1 invalid setting: `initial` is 6s, allowed: at most `max`, 5s");
}

#[test]
fn an_explicit_zero_is_an_error_and_not_unset() {
    let base = Policy::new(4);
    for (zero, field) in [
        (patch().attempts(0), "attempts"),
        (patch().initial(Duration::ZERO), "initial"),
        (patch().max(Duration::ZERO), "max"),
        (patch().within(Duration::ZERO), "within"),
    ] {
        assert_eq!(fields(base.merge(&zero)), [field]);
        assert_eq!(zero.validate().unwrap_err().fields().collect::<Vec<_>>(), [field]);
    }
    let text = base.merge(&patch().attempts(0)).unwrap_err().to_string();
    assert!(text.contains("`attempts` is 0") && text.contains("the first included"), "{text}");
}

#[test]
fn every_mistake_is_named_at_once_with_its_value_and_what_is_allowed() {
    let all = patch()
        .attempts(0)
        .backoff("exponental")
        .initial(Duration::ZERO)
        .max(Duration::ZERO)
        .jitter(Jitter::Add(1.5))
        .within(Duration::ZERO);
    let error = Policy::new(4).merge(&all).unwrap_err();
    assert_eq!(
        error.fields().collect::<Vec<_>>(),
        ["attempts", "backoff", "initial", "max", "jitter", "within"]
    );
    let text = error.to_string();
    for part in [
        "6 invalid settings",
        "`backoff` is \"exponental\"",
        "exponential (or exp), linear, constant, none",
        "1.5",
        "a fraction of 0 to 1",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_mistake_of_the_patch_does_not_hide_one_of_the_sum() {
    let base = Policy::new(4).backoff(Backoff::linear(SECOND, SECOND * 5));
    let both = patch().attempts(0).initial(SECOND * 6);
    assert_eq!(fields(base.merge(&both)), ["attempts", "initial"]);
    // Nor is one mistake named twice.
    assert_eq!(fields(base.merge(&patch().max(Duration::ZERO))), ["max"]);
    let none = Policy::new(4).backoff(Backoff::none());
    let zero = patch().backoff("linear").initial(Duration::ZERO).max(SECOND);
    assert_eq!(fields(none.merge(&zero)), ["initial"]);
}

#[test]
fn unknown_names_and_bad_fractions_are_errors() {
    let base = Policy::new(4);
    for name in ["", "Exponential", "expo", "fixed", "exponential "] {
        assert_eq!(fields(base.merge(&patch().backoff(name))), ["backoff"], "{name}");
    }
    for fraction in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        for jitter in [Jitter::Subtract(fraction), Jitter::Add(fraction)] {
            assert_eq!(fields(base.merge(&patch().jitter(jitter))), ["jitter"], "{jitter:?}");
        }
    }
    for fraction in [0.0, 1.0] {
        assert!(base.merge(&patch().jitter(Jitter::Subtract(fraction))).is_ok());
    }
}

#[test]
fn what_validate_accepts_some_base_can_take() {
    let sound = patch().attempts(3).backoff("linear").initial(SECOND).max(SECOND * 2);
    assert_eq!(sound.validate(), Ok(()));
    assert!(bases().iter().all(|base| base.merge(&sound).is_ok()));
    let upside_down = patch().initial(SECOND * 2).max(SECOND);
    assert_eq!(upside_down.validate().unwrap_err().fields().collect::<Vec<_>>(), ["max"]);
}

#[test]
fn a_configuration_error_is_an_error_that_can_be_passed_on() {
    let error: Box<dyn std::error::Error + Send + Sync> =
        Box::new(Policy::new(1).merge(&patch().attempts(0)).unwrap_err());
    assert!(error.to_string().starts_with("1 invalid setting: `attempts` is 0"));
}
