//! The policy for retrying processes: its defaults, its waits and its layers.
#![cfg(unix)]

use retry_runtime::process::{CommandEnd, ExitPolicy, ExitPolicyPatch, HINT_CAP};
use retry_runtime::{Backoff, Jitter, Outcome, Policy, PolicyPatch, Schedule, seed_from};
use std::time::Duration;

const S: fn(u64) -> Duration = Duration::from_secs;
static STEPS: ExitPolicy = ExitPolicy::DEFAULT;

fn merged(patch: PolicyPatch) -> ExitPolicy {
    STEPS.merge(&ExitPolicyPatch::new().policy(patch)).unwrap()
}

fn waits(policy: &ExitPolicy) -> Vec<u64> {
    (1..=9).map(|attempt| policy.backoff_for(attempt).as_secs()).collect()
}

// The constants and the default.

#[test]
fn a_hint_is_honoured_up_to_five_minutes() {
    assert_eq!(HINT_CAP, S(5 * 60));
    let a_day = Some(S(86_400));
    let wait = STEPS.effective_backoff(2, a_day, 7);
    assert!(wait >= S(300) && wait < S(360), "{wait:?}");
    assert_eq!(STEPS.outcome(&CommandEnd::Exited(1), a_day), Outcome::RetryAfter(S(300)));
}

#[test]
fn the_default_has_eight_attempts_from_one_second_to_sixty_and_78_is_final() {
    assert_eq!(STEPS.policy().attempts(), Some(8));
    assert_eq!(STEPS.policy().time_limit(), None);
    assert_eq!(STEPS.non_retryable_exit_codes(), [78]);
    let curve = Backoff::exponential(S(1), S(60)).jitter(Jitter::Add(0.2));
    assert_eq!(STEPS.policy().schedule(), curve);
    assert_eq!(ExitPolicy::default(), STEPS);
}

#[test]
fn the_default_waits_about_two_minutes_in_seven_waits() {
    let total: Duration = (1..=8).map(|attempt| STEPS.backoff_for(attempt)).sum();
    assert_eq!(total, S(1 + 2 + 4 + 8 + 16 + 32 + 60));
}

#[test]
fn changing_a_copy_leaves_the_default_as_it_was() {
    let changed = STEPS.merge(&ExitPolicyPatch::new().non_retryable_exit_codes([999])).unwrap();
    assert_eq!(changed.non_retryable_exit_codes(), [999]);
    assert_eq!(ExitPolicy::DEFAULT.non_retryable_exit_codes(), [78]);
}

// The curves: the wait before attempt n.

#[test]
fn the_exponential_curve_doubles_from_initial_before_the_second_attempt() {
    assert_eq!(waits(&STEPS), [0, 1, 2, 4, 8, 16, 32, 60, 60]);
}

#[test]
fn the_linear_curve_adds_initial_before_each_attempt() {
    let linear = merged(PolicyPatch::new().backoff("linear").max(S(5)));
    assert_eq!(waits(&linear), [0, 1, 2, 3, 4, 5, 5, 5, 5]);
}

#[test]
fn the_curve_none_never_waits() {
    assert_eq!(waits(&merged(PolicyPatch::new().backoff("none"))), [0; 9]);
}

#[test]
fn the_first_attempt_never_waits() {
    for name in ["exp", "exponential", "linear", "constant", "none"] {
        let policy = merged(PolicyPatch::new().backoff(name));
        for attempt in [0, 1] {
            assert_eq!(policy.backoff_for(attempt), Duration::ZERO, "{name}");
            assert_eq!(policy.effective_backoff(attempt, None, 1), Duration::ZERO, "{name}");
        }
    }
}

#[test]
fn the_wait_stays_at_the_cap_for_any_attempt() {
    for attempt in [33, 65, 129, 1_000_000, u32::MAX] {
        assert_eq!(STEPS.backoff_for(attempt), S(60));
        assert!(STEPS.effective_backoff(attempt, None, 3) < S(72));
    }
}

// The effective wait: the curve, the hint, the jitter.

#[test]
fn the_wait_is_the_longer_of_curve_and_hint_and_never_undershoots_either() {
    for seed in 0..500 {
        for attempt in 1..=10 {
            for hint in [None, Some(0), Some(3), Some(45), Some(299), Some(5000)] {
                let hint = hint.map(S);
                let floor = STEPS.backoff_for(attempt).max(hint.unwrap_or_default().min(S(300)));
                let wait = STEPS.effective_backoff(attempt, hint, seed);
                assert!(wait >= floor, "{attempt} {hint:?} {seed}: {wait:?}");
                assert!(wait <= floor + floor / 5, "{attempt} {hint:?} {seed}: {wait:?}");
            }
        }
    }
}

#[test]
fn a_hint_shorter_than_the_curve_changes_nothing() {
    let hint = Some(S(3));
    assert_eq!(STEPS.effective_backoff(5, hint, 9), STEPS.effective_backoff(5, None, 9));
}

#[test]
fn the_jitter_is_a_pure_function_of_seed_and_attempt() {
    // The attempt-th output x of SplitMix64 started at the seed, scaled to a
    // range as (x * range) >> 64: the reference outputs of seed 1234567.
    let outputs: [u64; 5] = [
        6_457_827_717_110_365_317,
        3_203_168_211_198_807_973,
        9_817_491_932_198_370_423,
        4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
    ];
    for (attempt, output) in (2..).zip(outputs) {
        let base = STEPS.backoff_for(attempt);
        let range = base.as_nanos() / 5;
        let jitter = (u128::from(output) * range) >> 64;
        let expected = base + Duration::from_nanos(u64::try_from(jitter).unwrap());
        assert_eq!(STEPS.effective_backoff(attempt, None, 1_234_567), expected);
    }
}

#[test]
fn steps_with_different_paths_do_not_wait_alike() {
    let wait = |path: &str| STEPS.effective_backoff(4, Some(S(30)), seed_from(path));
    let mut all: Vec<Duration> =
        (0..1000).map(|step| wait(&format!("pipeline/step-{step}"))).collect();
    assert_eq!(wait("pipeline/step-7"), all[7]);
    all.sort();
    all.dedup();
    assert!(all.len() > 990, "{} different waits of 1000", all.len());
}

#[test]
fn a_seeded_policy_waits_what_the_effective_wait_says() {
    let seed = seed_from("pipeline/build");
    let schedule = ExitPolicy::DEFAULT.seed(seed).policy().schedule();
    for attempt in 2..=8 {
        assert_eq!(schedule.delay(attempt - 1), STEPS.effective_backoff(attempt, None, seed));
        let hinted = schedule.delay_at_least(attempt - 1, S(30));
        assert_eq!(hinted, STEPS.effective_backoff(attempt, Some(S(30)), seed));
    }
}

// Layers.

#[test]
fn a_layer_wins_field_by_field() {
    let patch = PolicyPatch::new().attempts(3).initial(S(2));
    let policy = merged(patch);
    let curve = Backoff::exponential(S(2), S(60)).jitter(Jitter::Add(0.2));
    assert_eq!(*policy.policy(), Policy::new(3).backoff(curve));
    assert_eq!(policy.non_retryable_exit_codes(), [78]);
}

#[test]
fn a_list_replaces_the_whole_list() {
    let patch = ExitPolicyPatch::new().non_retryable_exit_codes([2, 3]);
    let policy = STEPS.merge(&patch).unwrap();
    assert_eq!([78, 2, 3].map(|code| policy.is_retryable_exit(code)), [true, false, false]);
}

#[test]
fn an_empty_list_is_a_value_and_an_absent_one_inherits() {
    let empty = ExitPolicyPatch::new().non_retryable_exit_codes([]);
    assert!(STEPS.merge(&empty).unwrap().is_retryable_exit(78));
    assert_eq!(STEPS.merge(&ExitPolicyPatch::new()).unwrap(), STEPS);
}

#[test]
fn an_explicit_zero_is_a_value_and_not_inherited() {
    let patch = ExitPolicyPatch::new()
        .policy(PolicyPatch::new().attempts(0).initial(Duration::ZERO))
        .non_retryable_exit_codes([0, 78])
        .stop_signals([0]);
    let error = STEPS.merge(&patch).unwrap_err();
    let fields = ["attempts", "initial", "non_retryable_exit_codes", "stop_signals"];
    assert_eq!(error.fields().collect::<Vec<_>>(), fields);
    assert_eq!(patch.validate().unwrap_err(), error);

    let ignores_hints = STEPS.merge(&ExitPolicyPatch::new().hint_cap(Duration::ZERO)).unwrap();
    assert_eq!(ignores_hints.outcome(&CommandEnd::Exited(1), Some(S(9))), Outcome::Retry);
}

#[test]
fn an_unknown_backoff_is_an_error_that_lists_the_names() {
    let patch = ExitPolicyPatch::new().policy(PolicyPatch::new().backoff("Exp"));
    let error = STEPS.merge(&patch).unwrap_err().to_string();
    assert!(error.contains("`backoff` is \"Exp\""), "{error}");
    assert!(error.contains("exponential (or exp), linear, constant, none"), "{error}");
}

#[test]
fn one_section_has_every_setting_of_a_step() {
    let patch: ExitPolicyPatch = toml::from_str(
        r#"
        attempts = 3
        backoff = "exp"
        initial = "10ms"
        non_retryable_exit_codes = [64, 78]
        stop_signals = ["TERM", "SIGINT", 9]
        hint_cap = "1m"
        "#,
    )
    .unwrap();
    let expected = ExitPolicyPatch::new()
        .policy(PolicyPatch::new().attempts(3).backoff("exp").initial(Duration::from_millis(10)))
        .non_retryable_exit_codes([64, 78])
        .stop_signals([15, 2, 9])
        .hint_cap(S(60));
    assert_eq!(patch, expected);
    let whole: ExitPolicy = toml::from_str("attempts = 3").unwrap();
    assert_eq!(whole, merged(PolicyPatch::new().attempts(3)));
}

#[test]
fn lists_can_be_the_text_of_an_environment_variable() {
    let codes = |text: &str| {
        let json = serde_json::json!({ "non_retryable_exit_codes": text, "stop_signals": text });
        serde_json::from_value::<ExitPolicyPatch>(json).ok()
    };
    let expected = |list: &[i32]| {
        Some(ExitPolicyPatch::new().non_retryable_exit_codes(list).stop_signals(list))
    };
    assert_eq!(codes("64, 78"), expected(&[64, 78]));
    assert_eq!(codes("7"), expected(&[7]));
    assert_eq!(codes(""), None);
    assert_eq!(codes("7,"), None);
}

#[test]
fn every_mistake_of_a_step_is_in_one_error() {
    let text = r#"
        attempts = 0
        initial = "2m"
        non_retryable_exit_codes = [78, 0]
        stop_signals = ["STOPPED"]
        hint_cap = 300
        exit_codes = [1]
    "#;
    let error = toml::from_str::<ExitPolicy>(text).unwrap_err();
    let error = error.message();
    assert!(error.contains("6 invalid settings"), "{error}");
    for mistake in [
        "`attempts` is 0,",
        "`initial` is 120s, allowed: at most `max`, 60s",
        "`non_retryable_exit_codes` is [78, 0], allowed: a list of exit codes other than 0",
        "`stop_signals` is [\"STOPPED\"], allowed: a list of signals",
        "`hint_cap` is 300, allowed: a duration with its unit",
        "`exit_codes` is no known name, allowed: attempts, backoff",
    ] {
        assert!(error.contains(mistake), "{mistake}\nis not in\n{error}");
    }
}

// Exit codes.
