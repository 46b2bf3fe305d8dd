//! An HTTP policy from a configuration.

use std::time::Duration;

use retry_runtime::http::{HttpPatch, HttpPolicy, Methods, OverMax, ServerDelay, Switch};

#[test]
fn every_option_is_read_under_its_name() {
    let patch: HttpPatch = toml::from_str(
        r#"
        max_retries = 7
        backoff_initial = "1s"
        backoff_max = "9s"
        backoff_jitter = 0.5
        statuses = [429, "502-504"]
        retry_statuses = "auto"
        respect_retry_after = false
        retry_after_min = "1s"
        retry_after_max = "2s"
        retry_after_over_max = "give_up"
        retry_after_as = "at_least"
        retry_connection_errors = "yes"
        retry_timeout_errors = false
        retry_unsent = true
        methods = "idempotent"
        within = "none"
        "#,
    )
    .unwrap();
    let expected = HttpPatch::new()
        .max_retries(7)
        .backoff_initial(Duration::from_secs(1))
        .backoff_max(Duration::from_secs(9))
        .backoff_jitter(0.5)
        .statuses([429, 502, 503, 504])
        .retry_statuses(Switch::Auto)
        .respect_retry_after(false)
        .retry_after_min(Duration::from_secs(1))
        .retry_after_max(Duration::from_secs(2))
        .retry_after_over_max(OverMax::GiveUp)
        .retry_after_as(ServerDelay::AtLeast)
        .retry_connection_errors(Switch::Yes)
        .retry_timeout_errors(Switch::No)
        .retry_unsent(true)
        .methods(Methods::Idempotent)
        .without_time_limit();
    assert_eq!(patch, expected);
}

#[test]
fn an_empty_section_is_the_default_and_no_change() {
    assert_eq!(toml::from_str::<HttpPolicy>("").unwrap(), HttpPolicy::DEFAULT);
    assert_eq!(toml::from_str::<HttpPatch>("").unwrap(), HttpPatch::new());
}

#[test]
fn text_alone_is_enough_for_environment_variables() {
    let json = r#"{ "max_retries": "1", "backoff_jitter": "0", "respect_retry_after": "false",
        "statuses": "429, 500-501", "backoff_max": "0s", "within": "0s" }"#;
    let policy: HttpPolicy = serde_json::from_str(json).unwrap();
    assert_eq!(policy.max_retries, 1);
    assert_eq!(policy.statuses.iter().collect::<Vec<_>>(), [429, 500, 501]);
    assert_eq!((policy.respect_retry_after, policy.backoff_jitter), (false, 0.0));
    assert_eq!((policy.backoff_max, policy.within), (Duration::ZERO, Some(Duration::ZERO)));
}

#[test]
fn one_error_names_every_mistake_and_every_unknown_name() {
    let error = toml::from_str::<HttpPolicy>(
        r#"
        max_retries = -1
        backoff_initial = 500
        backoff_jitter = 1.5
        statuses = [429, "599-500", 20]
        retry_timeout_errors = "maybe"
        retry_after_max = "1ms"
        methods = "GET"
        budget = "30s"
        "#,
    )
    .unwrap_err()
    .to_string();
    for name in [
        "8 invalid settings",
        "`max_retries` is -1, allowed: 0 to 4294967293",
        "`backoff_initial` is 500, allowed: a duration with its unit",
        "`backoff_jitter` is 1.5, allowed: a fraction of 0 to 1",
        "`statuses` is [429, \"599-500\", 20], allowed: each 100 to 999",
        "`retry_timeout_errors` is \"maybe\", allowed: auto, yes, no",
        "`methods` is \"GET\", allowed: safe, idempotent",
        "`retry_after_max` is 1ms, allowed: at least `retry_after_min`, 100ms",
        "`budget` is no known name",
    ] {
        assert!(error.contains(name), "{name} is not in: {error}");
    }
}

#[test]
fn a_patch_alone_may_go_over_the_default_of_its_other_half() {
    let patch: HttpPatch = toml::from_str("backoff_initial = \"6s\"").unwrap();
    assert!(HttpPolicy::DEFAULT.merge(&patch).is_err());
    assert!(toml::from_str::<HttpPolicy>("backoff_initial = \"6s\"").is_err());
}
