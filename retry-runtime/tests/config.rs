//! Policies, budgets and retriers from configurations: what an operator may write,
//! and what a mistake is answered with.

use retry_runtime::{
    Backoff, Budget, BudgetConfig, Jitter, Outcome, Policy, PolicyPatch, Retrier, RetrierConfig,
    Sections, on_err,
};
use serde::Deserialize;
use std::time::Duration;

const MS: fn(u64) -> Duration = Duration::from_millis;
const S: fn(u64) -> Duration = Duration::from_secs;

fn policy(text: &str) -> Policy {
    toml::from_str(text).unwrap()
}

fn patch(text: &str) -> PolicyPatch {
    toml::from_str(text).unwrap()
}

/// The one error of a text that is not valid.
fn error_of<T: for<'de> Deserialize<'de>>(text: &str) -> String {
    match toml::from_str::<T>(text) {
        Ok(_) => panic!("read without an error: {text}"),
        Err(error) => error.message().to_owned(),
    }
}

#[test]
fn every_setting_of_a_policy_is_read_from_toml() {
    let read = policy(
        r#"
        attempts = 5
        backoff = "exponential"
        initial = "250ms"
        max = "1m 30s"
        factor = 1.5
        jitter = { subtract = 0.25 }
        seed = 7
        within = "2m"
        "#,
    );
    let backoff =
        Backoff::exponential(MS(250), S(90)).factor(1.5).jitter(Jitter::Subtract(0.25)).seed(7);
    assert_eq!(read, Policy::new(5).backoff(backoff).within(S(120)));
}

#[test]
fn a_policy_with_attempts_alone_is_that_of_the_constructor() {
    assert_eq!(policy("attempts = 3"), Policy::new(3));
}

#[test]
fn every_curve_has_its_name() {
    let curve = |name: &str| {
        let text = format!("attempts = 9\ninitial = \"1s\"\nmax = \"5s\"\nbackoff = \"{name}\"");
        let schedule = policy(&text).schedule();
        [1, 2, 3, 4, 9].map(|attempt| schedule.curve(attempt).as_secs())
    };
    assert_eq!(curve("exponential"), [1, 2, 4, 5, 5]);
    assert_eq!(curve("exp"), [1, 2, 4, 5, 5]);
    assert_eq!(curve("linear"), [1, 2, 3, 4, 5]);
    assert_eq!(curve("constant"), [1, 1, 1, 1, 1]);
    assert_eq!(curve("none"), [0, 0, 0, 0, 0]);
}

#[test]
fn every_jitter_has_its_form() {
    let jitter = |text: &str| policy(&format!("attempts = 2\njitter = {text}")).schedule();
    let with = |jitter| Backoff::DEFAULT.jitter(jitter);
    assert_eq!(jitter("\"none\""), with(Jitter::None));
    assert_eq!(jitter("\"full\""), with(Jitter::Full));
    assert_eq!(jitter("{ subtract = 0.25 }"), with(Jitter::Subtract(0.25)));
    assert_eq!(jitter("{ add = 0.2 }"), with(Jitter::Add(0.2)));
    assert_eq!(jitter("{ add = 1 }"), with(Jitter::Add(1.0)));
}

#[test]
fn unlimited_attempts_and_no_time_limit_are_words() {
    let read = policy("attempts = \"unlimited\"\nwithin = \"none\"");
    assert_eq!(read.attempts(), None);
    assert_eq!(read.time_limit(), None);
}

#[test]
fn json_gives_what_toml_gives() {
    let json = r#"{"policy": {"attempts": 4, "initial": "50ms", "jitter": {"add": 0.2}},
                   "budget": {"max_tokens": 10, "token_ratio": 0.1}}"#;
    let text = r#"
        policy = { attempts = 4, initial = "50ms", jitter = { add = 0.2 } }
        budget = { max_tokens = 10, token_ratio = 0.1 }
    "#;
    let from_json: RetrierConfig = serde_json::from_str(json).unwrap();
    let from_value: RetrierConfig =
        serde_json::from_value(serde_json::from_str(json).unwrap()).unwrap();
    assert_eq!(from_json, toml::from_str(text).unwrap());
    assert_eq!(from_json, from_value);
    assert_eq!(from_json.budget, BudgetConfig::new(10, 0.1));
}

#[test]
fn numbers_that_are_text_are_understood() {
    let read = policy("attempts = \"4\"\njitter = { add = \"0.2\" }");
    let backoff = Backoff::DEFAULT.jitter(Jitter::Add(0.2));
    assert_eq!(read, Policy::new(4).backoff(backoff));
    let budget: BudgetConfig =
        serde_json::from_str(r#"{"max_tokens": "10", "token_ratio": "0.1"}"#).unwrap();
    assert_eq!(budget, BudgetConfig::new(10, 0.1));
}

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
fn layers_chain_and_the_last_that_has_a_field_wins() {
    let library = Policy::new(3).within(S(60));
    let service = patch("attempts = 5\njitter = \"none\"");
    let dependency = patch("backoff = \"linear\"\ninitial = \"1s\"\nwithin = \"none\"");
    let call = PolicyPatch::new().attempts(2);
    let policy = library.merge(&service).unwrap().merge(&dependency).unwrap().merge(&call).unwrap();
    assert_eq!(policy, Policy::new(2).backoff(Backoff::linear(S(1), S(10))));
}

#[test]
fn another_curve_keeps_the_jitter() {
    let policy = Policy::new(2).merge(&patch("backoff = \"linear\"")).unwrap();
    assert_eq!(policy.schedule(), Backoff::linear(MS(100), S(10)).jitter(Jitter::Full));
}

#[test]
fn a_layer_of_nothing_changes_nothing() {
    let base = Policy::new(7).backoff(Backoff::constant(S(3))).within(S(9));
    assert_eq!(base.merge(&patch("")).unwrap(), base);
}

#[test]
fn what_is_written_is_read_back() {
    let patches = [
        PolicyPatch::new(),
        PolicyPatch::new().unlimited().without_time_limit().jitter(Jitter::Full),
        PolicyPatch::new()
            .attempts(4)
            .backoff("linear")
            .initial(Duration::from_nanos(1))
            .max(Duration::MAX)
            .jitter(Jitter::Add(0.2))
            .within(MS(1500)),
    ];
    for policy in patches {
        let json = serde_json::to_string(&policy).unwrap();
        assert_eq!(serde_json::from_str::<PolicyPatch>(&json).unwrap(), policy, "{json}");
        let text = toml::to_string(&policy).unwrap();
        assert_eq!(toml::from_str::<PolicyPatch>(&text).unwrap(), policy, "{text}");

        let policy = policy.attempts(2);
        let budget = BudgetConfig::new(9, 0.5);
        let config = RetrierConfig { policy, budget };
        let text = toml::to_string(&config).unwrap();
        assert_eq!(toml::from_str::<RetrierConfig>(&text).unwrap(), config, "{text}");
    }
}

#[test]
fn sections_sit_among_the_settings_of_a_service() {
    #[derive(Deserialize)]
    struct Settings {
        retry: Option<PolicyPatch>,
        payments: Payments,
    }
    #[derive(Deserialize)]
    struct Payments {
        url: String,
        #[serde(flatten)]
        retrier: RetrierConfig,
    }
    let settings: Settings = toml::from_str(
        r#"
        [payments]
        url = "http://payments"
        policy = { attempts = 4 }
        budget = { max_tokens = 10, token_ratio = 0.1 }
        "#,
    )
    .unwrap();
    assert_eq!(settings.retry, None);
    assert_eq!(settings.payments.url, "http://payments");
    assert_eq!(settings.payments.retrier.policy, PolicyPatch::new().attempts(4));
    let budget = Budget::from_config(&settings.payments.retrier.budget).unwrap();
    assert_eq!(budget.max_tokens(), 10);
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
fn dependencies_have_a_section_each() {
    let text = "search = { attempts = 2 }\npayments = { attempts = 4, within = \"5s\" }";
    let sections: Sections<Policy> = toml::from_str(text).unwrap();
    assert_eq!(sections.get("search"), Some(&Policy::new(2)));
    assert_eq!(sections.get("nobody"), None);
    let names: Vec<&String> = sections.iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["payments", "search"]);
    assert_eq!(sections.into_iter().map(|(_, policy)| policy.attempts().unwrap()).sum::<u32>(), 6);

    let twice = r#"{"a": {"attempts": 2}, "a": {"attempts": 3}}"#;
    let error = serde_json::from_str::<Sections<Policy>>(twice).unwrap_err().to_string();
    assert!(error.contains("`a` is there twice"), "{error}");
}

#[test]
fn a_mistake_does_not_hide_what_the_base_lacks() {
    let base = Policy::new(4).backoff(Backoff::none());
    let over = PolicyPatch::new().backoff("linear").initial(Duration::ZERO);
    let error = base.merge(&over).unwrap_err();
    assert_eq!(error.fields().collect::<Vec<_>>(), ["initial", "max"]);
}

#[test]
fn a_whole_policy_is_read_back_as_it_was_written() {
    let schedules = [
        Backoff::DEFAULT,
        Backoff::none(),
        Backoff::constant(S(3)).jitter(Jitter::Add(0.5)),
        Backoff::linear(MS(1), Duration::MAX).jitter(Jitter::Subtract(0.1)),
        Backoff::exponential(S(1), S(60)).factor(1.501).seed(u64::MAX),
    ];
    for backoff in schedules {
        for policy in
            [Policy::new(4).backoff(backoff), Policy::new(1).within(S(7)).backoff(backoff)]
        {
            let text = toml::to_string(&policy).unwrap();
            assert_eq!(toml::from_str::<Policy>(&text).unwrap(), policy, "{text}");
            let json = serde_json::to_string(&policy).unwrap();
            assert_eq!(serde_json::from_str::<Policy>(&json).unwrap(), policy, "{json}");
        }
    }
}

#[test]
fn sections_are_written_back() {
    let text = "search = { attempts = 2 }\npayments = { attempts = 4, within = \"5s\" }";
    let sections: Sections<PolicyPatch> = toml::from_str(text).unwrap();
    let written = toml::to_string(&sections).unwrap();
    assert_eq!(toml::from_str::<Sections<PolicyPatch>>(&written).unwrap(), sections, "{written}");
}

#[test]
fn the_reserve_of_a_budget_is_read_written_and_checked() {
    let read = |every: &str| {
        let text = format!("max_tokens = 10\ntoken_ratio = 0.1\none_retry_every = {every}");
        toml::from_str::<BudgetConfig>(&text)
    };
    let config = read("\"10s\"").unwrap();
    assert_eq!(config.one_retry_every, Some(S(10)));
    let text = toml::to_string(&config).unwrap();
    assert_eq!(toml::from_str::<BudgetConfig>(&text).unwrap(), config, "{text}");
    assert_eq!(BudgetConfig::new(10, 0.1).one_retry_every, None);
    for wrong in ["\"999us\"", "\"0s\"", "10", "\"none\""] {
        let error = read(wrong).unwrap_err();
        assert!(error.message().contains("`one_retry_every` is"), "{wrong}: {error}");
    }
    let mut config = BudgetConfig::new(10, 0.1);
    config.one_retry_every = Some(Duration::from_micros(999));
    let error = Budget::from_config(&config).unwrap_err();
    assert_eq!(error.fields().collect::<Vec<_>>(), ["one_retry_every"]);
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
fn a_factor_belongs_to_the_exponential_curve() {
    assert_eq!(policy("attempts = 2\nfactor = 1.5").schedule(), Backoff::DEFAULT.factor(1.5),);
    for factor in ["0.9", "1001", "nan", "\"two\""] {
        let error = error_of::<PolicyPatch>(&format!("factor = {factor}"));
        assert!(error.contains("`factor` is") && error.contains("1 to 1000"), "{error}");
    }
    let linear = Policy::new(2).backoff(Backoff::linear(S(1), S(9)));
    let error = linear.merge(&PolicyPatch::new().factor(1.5)).unwrap_err();
    assert!(error.to_string().contains("of the exponential curve"), "{error}");
    let error = error_of::<Policy>("attempts = 2\nbackoff = \"none\"\nfactor = 1.5");
    assert!(error.contains("`factor` is 1.5"), "{error}");
    let both = PolicyPatch::new().backoff("exponential").factor(3.0);
    assert_eq!(linear.merge(&both).unwrap().schedule().curve(2), S(3));
}

#[test]
fn units_above_the_hour_are_a_mistake() {
    for text in ["5M", "1d", "2 weeks", "1y"] {
        let error = error_of::<PolicyPatch>(&format!("within = \"{text}\""));
        assert!(error.contains("1 invalid setting: `within`"), "{error}");
    }
    assert_eq!(patch("within = \"90h\""), PolicyPatch::new().within(S(324_000)));
}
