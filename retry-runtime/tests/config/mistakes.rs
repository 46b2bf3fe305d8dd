//! Mistakes: all of a file in one error, each with its place and what is allowed.

use std::time::Duration;

use retry_runtime::{
    Backoff, BudgetConfig, Outcome, Policy, PolicyPatch, Retrier, RetrierConfig, Sections, on_err,
};

use crate::{S, error_of, patch, policy};

#[test]
fn one_error_names_all_ten_mistakes_of_a_file() {
    let error = error_of::<RetrierConfig>(
        r#"
        retries = 3

        [policy]
        attempts = 2.5
        backoff = "fibonacci"
        initial = 100
        max = "10 parsecs"
        jitter = { subtract = 1.5 }
        within = "0s"
        max_attempts = 4

        [budget]
        max_tokens = 2
        token_ratio = "lots"
        "#,
    );
    let expected = [
        "`policy.attempts` is 2.5, allowed: 1 to 4294967294 (it counts every call, the first included), or \"unlimited\"",
        "`policy.backoff` is \"fibonacci\", allowed: exponential (or exp), linear, constant, none",
        "`policy.initial` is 100, allowed: a duration of more than zero with its unit",
        "`policy.max` is \"10 parsecs\", allowed: a duration of more than zero with its unit",
        "`policy.jitter` is { subtract = 1.5 }, allowed: \"none\", \"full\", { subtract = f } or { add = f }",
        "`policy.within` is \"0s\", allowed: a duration of more than zero with its unit",
        "`policy.max_attempts` is no known name, allowed: attempts, backoff, initial, max, factor, jitter, seed, within",
        "`budget.max_tokens` is 2, allowed: 3 to 65536",
        "`budget.token_ratio` is \"lots\", allowed: 0.001 to 65536",
        "`retries` is no known name, allowed: policy, budget",
    ];
    assert!(error.contains("10 invalid settings"), "{error}");
    for mistake in expected {
        assert!(error.contains(mistake), "{mistake}\nis not in\n{error}");
    }
}

#[test]
fn what_is_missing_is_named_even_if_its_section_is_missing() {
    let error = error_of::<RetrierConfig>("");
    for field in ["policy.attempts", "budget.max_tokens", "budget.token_ratio"] {
        assert!(error.contains(&format!("`{field}` is missing")), "{error}");
    }
    assert!(error_of::<Policy>("max = \"1s\"").contains("`attempts` is missing"));
}

#[test]
fn a_value_of_a_wrong_type_is_a_mistake_whatever_its_type() {
    for value in ["true", "[1]", "{ a = 1 }", "2024-01-01", "-1", "1e3", "\"\"", "\"four\""] {
        let text = format!("attempts = {value}\ninitial = {value}\nwithin = {value}");
        let error = error_of::<PolicyPatch>(&text);
        assert!(error.contains("3 invalid settings"), "{value}: {error}");
    }
    let error = error_of::<RetrierConfig>("policy = 4\nbudget = [1]");
    for mistake in [
        "`policy` is 4, allowed: a section with the names attempts",
        "`budget` is [1], allowed: a section with the names max_tokens",
    ] {
        assert!(error.contains(mistake), "{error}");
    }
}

#[test]
fn the_number_that_means_unlimited_in_code_has_to_be_the_word() {
    assert!(error_of::<PolicyPatch>("attempts = 4294967295").contains("unlimited"));
    assert!(error_of::<PolicyPatch>("attempts = 99999999999").contains("unlimited"));
    assert_eq!(patch("attempts = 4294967294"), PolicyPatch::new().attempts(4_294_967_294));
}

#[test]
fn numbers_that_are_no_number_are_out_of_range() {
    for ratio in ["nan", "inf", "-inf", "0", "-0.1", "65537", "\"NaN\""] {
        let error = error_of::<BudgetConfig>(&format!("max_tokens = 10\ntoken_ratio = {ratio}"));
        assert!(error.contains("1 invalid setting: `token_ratio`"), "{error}");
    }
    assert!(error_of::<PolicyPatch>("jitter = { add = nan }").contains("`jitter`"));
}

#[test]
fn a_json_null_is_a_mistake_and_says_how_to_inherit() {
    let error = serde_json::from_str::<PolicyPatch>(r#"{"within": null}"#).unwrap_err().to_string();
    assert!(error.contains("`within` is null"), "{error}");
    assert!(error.contains("leave the name out"), "{error}");
}

#[test]
fn a_name_that_is_given_twice_is_a_mistake() {
    let error =
        serde_json::from_str::<PolicyPatch>(r#"{"attempts": 3, "attempts": 4}"#).unwrap_err();
    assert!(error.to_string().contains("`attempts` is 3 and also 4"), "{error}");
}

#[test]
fn a_cap_below_the_first_delay_is_a_mistake_in_one_layer_and_across_layers() {
    let both = error_of::<PolicyPatch>("initial = \"5s\"\nmax = \"1s\"");
    assert!(both.contains("`max` is 1s, allowed: at least `initial`, 5s"), "{both}");
    // The cap of the default schedule is 10 s.
    let alone = error_of::<Policy>("attempts = 2\ninitial = \"20s\"");
    assert!(alone.contains("`initial` is 20s, allowed: at most `max`, 10s"), "{alone}");
    let layered = policy("attempts = 2\ninitial = \"5s\"").merge(&patch("max = \"1s\""));
    assert_eq!(layered.unwrap_err().fields().collect::<Vec<_>>(), ["max"]);
}

#[test]
fn a_field_that_is_wrong_does_not_hide_one_that_is_wrong_in_the_sum() {
    let over = PolicyPatch::new().attempts(0).initial(S(20));
    let error = Policy::new(3).merge(&over).unwrap_err();
    assert_eq!(error.fields().collect::<Vec<_>>(), ["attempts", "initial"]);
    // What cannot be told is not claimed: the cap may be right for the delay that
    // was meant.
    let error = error_of::<Policy>("attempts = 1\ninitial = \"soon\"\nmax = \"50ms\"");
    assert!(error.contains("1 invalid setting: `initial`"), "{error}");
}

#[test]
fn one_error_names_the_mistakes_of_all_dependencies() {
    let error = error_of::<Sections<RetrierConfig>>(
        r#"
        search = 5

        [payments]
        policy = { attempts = 0, wait = "1s" }
        budget = { max_tokens = 10, token_ratio = 0.1 }

        [users]
        policy = { attempts = 3, max = 9 }
        "#,
    );
    for field in [
        "search",
        "payments.policy.attempts",
        "payments.policy.wait",
        "users.policy.max",
        "users.budget.max_tokens",
        "users.budget.token_ratio",
    ] {
        assert!(error.contains(&format!("`{field}` is ")), "{field} is not in {error}");
    }
    assert!(error.contains("6 invalid settings"), "{error}");
}

#[test]
fn a_mistake_does_not_hide_what_the_base_lacks() {
    let base = Policy::new(4).backoff(Backoff::none());
    let over = PolicyPatch::new().backoff("linear").initial(Duration::ZERO);
    let error = base.merge(&over).unwrap_err();
    assert_eq!(error.fields().collect::<Vec<_>>(), ["initial", "max"]);
}

#[test]
fn a_retrier_needs_something_that_ends_its_calls() {
    let retrier = |policy| {
        let config = RetrierConfig { policy, budget: BudgetConfig::new(10, 0.1) };
        Retrier::from_config(&config, on_err(|_: &u8| Outcome::Retry))
    };
    let error = retrier(PolicyPatch::new().unlimited()).err().unwrap();
    assert!(error.to_string().contains("might never end"), "{error}");
    assert!(retrier(PolicyPatch::new().unlimited().without_time_limit()).is_err());
    assert!(retrier(PolicyPatch::new().unlimited().within(S(30))).is_ok());
}

#[test]
fn long_values_are_cut_and_the_values_of_unknown_names_are_not_shown() {
    let long = "x".repeat(1 << 20);
    let error = error_of::<PolicyPatch>(&format!("backoff = \"{long}\"\npassword = \"hunter2\""));
    assert!(error.len() < 1000, "{}", error.len());
    assert!(error.contains("`backoff` is \"xxx"), "{error}");
    assert!(error.contains("`password` is no known name") && !error.contains("hunter2"), "{error}");
    let error = error_of::<PolicyPatch>(&format!("{long} = 1"));
    assert!(error.len() < 1000, "{}", error.len());
}

#[test]
fn a_table_whose_only_name_begins_with_a_dollar_sign_is_no_number() {
    let error = serde_json::from_str::<PolicyPatch>(r#"{"attempts": {"$n": "3"}}"#).unwrap_err();
    assert!(error.to_string().contains("`attempts` is { $n = \"3\" }"), "{error}");
}

#[test]
fn units_above_the_hour_are_a_mistake() {
    for text in ["5M", "1d", "2 weeks", "1y"] {
        let error = error_of::<PolicyPatch>(&format!("within = \"{text}\""));
        assert!(error.contains("1 invalid setting: `within`"), "{error}");
    }
    assert_eq!(patch("within = \"90h\""), PolicyPatch::new().within(S(324_000)));
}
