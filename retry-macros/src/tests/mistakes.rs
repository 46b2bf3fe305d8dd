//! Several mistakes at once, and arguments that are still being typed.

use super::{expand_text, messages};

const FUNCTION: &str = "async fn charge(cents: u32) -> Result<u32, String> { Ok(cents) }";

#[test]
fn independent_mistakes_are_all_reported_in_one_run() {
    let arguments = "atempts = 4, budget = B, classify = c, within = 5, clone(dollars), crate = x";
    assert_eq!(messages(&expand_text(arguments, FUNCTION)).len(), 4);
}

#[test]
fn one_unknown_word_is_one_error_and_the_function_is_as_it_was() {
    let arguments = "attempts = 4, budget = B, classify = c, colour";
    let expansion = expand_text(arguments, FUNCTION);
    assert_eq!(messages(&expansion).len(), 1, "{expansion}");
    let function = FUNCTION.parse::<proc_macro2::TokenStream>().unwrap().to_string();
    assert!(expansion.to_string().starts_with(&function), "{expansion}");
}

#[test]
fn mistakes_of_the_arguments_and_of_the_function_are_reported_together() {
    let item = "async fn charge(self, mut cents: u32) -> u32 { cents }";
    let found = messages(&expand_text("attempts = 0, budget = B, classify = c", item));
    assert_eq!(found.len(), 3, "{found:?}");
}

#[test]
fn the_function_is_there_with_its_own_tokens_whatever_is_wrong() {
    for arguments in
        ["", "attempts", "attempts = ", "= 4", ",,,", "a b c", "attempts = 3, bud", "'x"]
    {
        let expansion = expand_text(arguments, FUNCTION).to_string();
        let function = FUNCTION.parse::<proc_macro2::TokenStream>().unwrap().to_string();
        assert!(expansion.starts_with(&function), "{arguments}: {expansion}");
        assert!(expansion.contains("compile_error"), "{arguments}: {expansion}");
    }
}

#[test]
fn a_body_that_does_not_parse_is_carried_as_it_is() {
    let item = "async fn charge(client: &Client) -> Result<u32, String> { client. }";
    let expansion = expand_text("attempts = 2, budget = B, classify = c", item).to_string();
    assert!(expansion.contains("{ client . }"), "{expansion}");
    assert!(!expansion.contains("compile_error"), "{expansion}");
}

#[test]
fn what_an_editor_has_for_a_body_that_does_not_parse_is_no_missing_body() {
    let arguments = "attempts = 2, budget = B, classify = c";
    let expansion = expand_text(arguments, "async fn charge(client: &Client) missing");
    assert_eq!(expansion.to_string(), "async fn charge (client : & Client) missing");
    let found = messages(&expand_text(arguments, "async fn charge(client: &Client);"));
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn a_literal_with_a_suffix_of_rust_is_no_duration() {
    for value in ["5u64", "0x1F", "1e3", "2.5f32", "0b1_u8", "7usize"] {
        let arguments = format!("attempts = 2, budget = B, classify = f({value})");
        assert_eq!(messages(&expand_text(&arguments, FUNCTION)), [] as [&str; 0], "{value}");
    }
}

#[test]
fn units_are_exact_up_to_the_longest_duration() {
    let expansion = |value: &str| {
        let arguments = format!("attempts = 2, budget = B, classify = c, within = {value}");
        expand_text(&arguments, FUNCTION).to_string()
    };
    for (value, expected) in [
        ("1ns", "from_nanos (1)"),
        ("2us", "from_micros (2)"),
        ("250ms", "from_millis (250)"),
        ("1_000ms", "from_millis (1000)"),
        ("18446744073709551615s", "from_secs (18446744073709551615)"),
        ("2m", "from_secs (120)"),
        ("3h", "from_secs (10800)"),
    ] {
        assert!(expansion(value).contains(expected), "{value}: {}", expansion(value));
    }
    for value in ["18446744073709551616s", "307445734561825861m", "99999999999999999999h"] {
        assert!(expansion(value).contains("longer than a `Duration`"), "{value}");
    }
}

#[test]
fn an_alias_that_counts_retries_says_one_more() {
    let found = messages(&expand_text("max_retries = 3, budget = B, classify = c", FUNCTION));
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("`attempts = 4`"), "{found:?}");
}

#[test]
fn a_word_that_looks_like_a_parameter_may_be_a_constant_all_the_same() {
    let item = "async fn charge(&self, config: u32, unlimited: u32) -> Result<u32, ()> { Ok(1) }";
    let found = |attempts: &str| {
        let arguments = format!("attempts = {attempts}, budget = B, classify = c, within = 1s");
        messages(&expand_text(&arguments, item)).len()
    };
    for constant in [
        "config::ATTEMPTS",
        "self::ATTEMPTS",
        "Self::ATTEMPTS",
        "DEFAULTS.config",
        "Limits { config: 3 }.config",
        "config!(3)",
        "{ let config = 3; config }",
        "unlimited",
    ] {
        assert_eq!(found(constant), 0, "{constant}");
    }
    for variable in ["config", "self.attempts", "self.policy().attempts()", "max(1, config)"] {
        assert_eq!(found(variable), 1, "{variable}");
    }
}

#[test]
fn a_limit_of_an_attempt_and_its_result_need_each_other() {
    let with = |more: &str| {
        messages(&expand_text(&format!("attempts = 2, budget = B, classify = c, {more}"), FUNCTION))
    };
    assert_eq!(with("attempt_timeout = 2s").len(), 1);
    assert_eq!(with("on_timeout = Err(e)").len(), 1);
    assert_eq!(with("attempt_timeout = 2s, on_timeout = Err(e)"), [] as [&str; 0]);
    // A slip in one of the two is one mistake, and so is one that is being typed.
    assert_eq!(with("attempt_timout = 2s, on_timeout = Err(e)").len(), 1);
    assert_eq!(with("attempt_timeout = 2s, on_timeou = Err(e)").len(), 1);
    assert_eq!(with("attempt_timeout = 2s, on_t").len(), 1);
    assert_eq!(with("timeout = 2s, on_timeout = Err(e)").len(), 1);
    assert_eq!(with("attempt_timeout = 0s").len(), 2);
}
