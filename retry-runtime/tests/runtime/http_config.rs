//! An HTTP policy from a configuration.

use std::time::Duration;

use retry_runtime::http::{HttpPolicy, HttpPolicyPatch, Methods, OverMax, ServerDelay, Switch};
use retry_runtime::{Backoff, Jitter, PolicyPatch, Sections};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn every_option_is_read_under_its_name() {
    let patch: HttpPolicyPatch = toml::from_str(
        r#"
        attempts = 8
        backoff = "linear"
        initial = "1s"
        max = "9s"
        jitter = { add = 0.5 }
        statuses = [429, "502-504"]
        retry_statuses = "auto"
        respect_retry_after = false
        retry_after_min = "1s"
        retry_after_max = "2s"
        retry_after_over_max = "give_up"
        retry_after_as = "at_least"
        retry_connection_errors = "yes"
        retry_timeout_errors = false
        retry_other_errors = "auto"
        retry_unsent = true
        methods = "idempotent"
        within = "none"
        "#,
    )
    .unwrap();
    let policy = PolicyPatch::new()
        .attempts(8)
        .backoff("linear")
        .initial(SECOND)
        .max(9 * SECOND)
        .jitter(Jitter::Add(0.5))
        .without_time_limit();
    let expected = HttpPolicyPatch::new()
        .policy(policy)
        .statuses([429, 502, 503, 504])
        .retry_statuses(Switch::Auto)
        .respect_retry_after(false)
        .retry_after_min(SECOND)
        .retry_after_max(2 * SECOND)
        .retry_after_over_max(OverMax::GiveUp)
        .retry_after_as(ServerDelay::AtLeast)
        .retry_connection_errors(Switch::Yes)
        .retry_timeout_errors(Switch::No)
        .retry_other_errors(Switch::Auto)
        .retry_unsent(true)
        .methods(Methods::Idempotent);
    assert_eq!(patch, expected);
}

#[test]
fn names_of_other_libraries_are_read_too() {
    let read = |text: &str| toml::from_str::<HttpPolicy>(text).unwrap();
    let policy = read(
        r#"
        max_retries = 7
        backoff_initial = "1s"
        backoff_max = "9s"
        backoff_jitter = 0.5
        "#,
    );
    let mut expected = HttpPolicy::DEFAULT;
    expected.attempts = Some(8);
    expected.backoff = Backoff::exponential(SECOND, 9 * SECOND).jitter(Jitter::Subtract(0.5));
    assert_eq!(policy, expected);

    assert_eq!(read("max_retries = 0").attempts, Some(1));
    for no_wait in ["backoff_initial = \"0s\"", "backoff_max = \"0ms\""] {
        assert_eq!(read(no_wait).backoff.curve(3), Duration::ZERO, "{no_wait}");
    }
}

#[test]
fn a_setting_under_two_names_is_a_mistake() {
    let error = toml::from_str::<HttpPolicyPatch>("attempts = 3\nmax_retries = 2").unwrap_err();
    assert!(error.to_string().contains("`max_retries` is there beside `attempts`"), "{error}");
}

#[test]
fn an_empty_section_is_the_default_and_no_change() {
    assert_eq!(toml::from_str::<HttpPolicy>("").unwrap(), HttpPolicy::DEFAULT);
    assert_eq!(toml::from_str::<HttpPolicyPatch>("").unwrap(), HttpPolicyPatch::new());
}

#[test]
fn text_alone_is_enough_for_environment_variables() {
    let json = r#"{ "max_retries": "1", "backoff_jitter": "0", "respect_retry_after": "false",
        "statuses": "429, 500-501", "retry_after_min": "0s" }"#;
    let policy: HttpPolicy = serde_json::from_str(json).unwrap();
    assert_eq!(policy.attempts, Some(2));
    assert_eq!(policy.statuses.iter().collect::<Vec<_>>(), [429, 500, 501]);
    assert_eq!(policy.backoff, HttpPolicy::DEFAULT.backoff.jitter(Jitter::Subtract(0.0)));
    assert_eq!((policy.respect_retry_after, policy.retry_after_min), (false, Duration::ZERO));
}

#[test]
fn one_error_names_every_mistake_and_every_unknown_name() {
    let error = toml::from_str::<HttpPolicy>(
        r#"
        max_retries = -1
        initial = 500
        backoff_jitter = 1.5
        statuses = [429, "599-500", 20]
        retry_timeout_errors = "maybe"
        retry_after_max = "1ms"
        methods = "GET"
        within = "0s"
        budget = "30s"
        "#,
    )
    .unwrap_err()
    .to_string();
    for name in [
        "9 invalid settings",
        "`max_retries` is -1, allowed: 0 to 4294967293",
        "`initial` is 500, allowed: a duration of more than zero with its unit",
        "`backoff_jitter` is 1.5, allowed: a fraction of 0 to 1",
        "`statuses` is [429, \"599-500\", 20], allowed: each 100 to 999",
        "`retry_timeout_errors` is \"maybe\", allowed: auto, yes, no",
        "`methods` is \"GET\", allowed: safe, idempotent",
        "`retry_after_max` is 1ms, allowed: at least `retry_after_min`, 100ms",
        "`within` is \"0s\", allowed: a duration of more than zero",
        "`budget` is no known name, allowed: attempts, backoff,",
    ] {
        assert!(error.contains(name), "{name} is not in: {error}");
    }
}

#[test]
fn a_patch_alone_may_go_over_the_default_of_its_other_half() {
    let patch: HttpPolicyPatch = toml::from_str("initial = \"6s\"").unwrap();
    assert!(HttpPolicy::DEFAULT.merge(&patch).is_err());
    assert!(toml::from_str::<HttpPolicy>("initial = \"6s\"").is_err());
}

#[test]
fn every_preset_is_read_back_as_it_was_written() {
    let mut quiet = HttpPolicy::DEFAULT;
    quiet.backoff = Backoff::none();
    quiet.attempts = None;
    let presets = [HttpPolicy::DEFAULT, HttpPolicy::TRANSPORT, HttpPolicy::ANY_5XX_EXACT, quiet];
    for policy in presets {
        let text = toml::to_string(&policy).unwrap();
        let read = toml::from_str::<HttpPolicy>(&text).unwrap();
        assert_eq!(read, policy, "{text}");
        let json = serde_json::to_string(&policy).unwrap();
        assert_eq!(serde_json::from_str::<HttpPolicy>(&json).unwrap(), policy, "{json}");
    }
}

#[test]
fn policies_of_http_have_sections_by_name_and_are_written_back() {
    let text = "search = { attempts = 2 }\nusers = { methods = \"safe\" }";
    let sections: Sections<HttpPolicy> = toml::from_str(text).unwrap();
    assert_eq!(sections.get("search").unwrap().attempts, Some(2));
    let written = toml::to_string(&sections).unwrap();
    assert_eq!(toml::from_str::<Sections<HttpPolicy>>(&written).unwrap(), sections, "{written}");

    let patches: Sections<HttpPolicyPatch> = toml::from_str(text).unwrap();
    let written = toml::to_string(&patches).unwrap();
    assert_eq!(toml::from_str::<Sections<HttpPolicyPatch>>(&written).unwrap(), patches);
}
