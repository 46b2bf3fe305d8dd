//! Settings as they are read, layered and written back.

use std::time::Duration;

use retry_runtime::{
    Backoff, Budget, BudgetConfig, Jitter, Policy, PolicyPatch, RetrierConfig, Sections,
};
use serde::Deserialize;

use crate::{MS, S, error_of, patch, policy};

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
