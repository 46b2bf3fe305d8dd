//! Several mistakes at once, and arguments that are still being typed.

use super::{expand_block, expand_text, messages};

const FUNCTION: &str = "async fn charge(cents: u32) -> Result<u32, String> { Ok(cents) }";

#[test]
fn independent_mistakes_are_all_reported_in_one_run() {
    let arguments = "atempts = 4, budget = B, classify = c, within = 5, clone(dollars), crate = x";
    assert_eq!(messages(&expand_text(arguments, FUNCTION)).len(), 4);
}

#[test]
fn one_unknown_word_is_one_error_and_the_function_is_as_it_was() {
    let expansion = expand_text("attempts = 4, budget = none, colour", FUNCTION);
    assert_eq!(messages(&expansion).len(), 1, "{expansion}");
    let function = FUNCTION.parse::<proc_macro2::TokenStream>().unwrap().to_string();
    assert!(expansion.to_string().starts_with(&function), "{expansion}");
}

#[test]
fn another_spelling_is_one_error_and_is_read_as_it_is_meant() {
    let rest = "budget = B, classify = c";
    for (arguments, said) in [
        ("attempts: 3, budget: B, classify: |r: &R, x| f(r)", "after `:`: write `attempts = 3`"),
        ("attempts => 3, budget => B, classify => c", "after `=>`: write `attempts = 3`"),
        ("attempts = 3; budget = B; classify = c;", "`,` instead of `;`"),
        ("attempts = 3, budget = B, classify-err = c", "write `classify_err`"),
        ("attempts(3), budget(B), classify(c)", "write `attempts = 3`"),
        ("attempts 3, budget = B, classify = c", "write `attempts = 3`"),
        (&format!("attempts = 3, within 3s, {rest}"), "write `within = 3s`"),
        (&format!("attempts = 3, within = 30 s, {rest}"), "write `30s`"),
        (&format!("attempts = 3, schedule = Backoff::constant(2 ms), {rest}"), "write `2ms`"),
        (&format!("attempts = 3, clone[cents], {rest}"), "in parentheses"),
        ("3, B, c", "expected `key = value`"),
        ("3", "expected `key = value`"),
        (&format!("3, {rest}"), "expected `key = value`"),
    ] {
        let found = messages(&expand_text(arguments, FUNCTION));
        assert_eq!(found.len(), 1, "{arguments}: {found:?}");
        assert!(found[0].contains(said), "{arguments}: {found:?}");
    }
    // What only looks like one of them.
    for value in ["|r: &R, x: u8| f(r)", "f::<u8, S>", "{ let x: u8 = 3; c }", "m!(3 s; a => b)"] {
        let arguments = format!("attempts = 3, budget = B, classify = {value}");
        assert_eq!(messages(&expand_text(&arguments, FUNCTION)), [] as [&str; 0], "{value}");
    }
}

#[test]
fn another_attribute_of_the_same_name_is_no_second_one() {
    let arguments = "attempts = 3, budget = B, classify = c";
    let found = |attribute: &str| {
        messages(&expand_text(arguments, &format!("{attribute} {FUNCTION}"))).len()
    };
    assert_eq!(found("#[my::retry(3)]"), 0);
    assert_eq!(found("#[retry(attempts = 3)]"), 1);
    assert_eq!(found("#[retry_runtime::retry(attempts = 3)]"), 1);
    assert_eq!(found("#[::retry_runtime::retry(attempts = 3)]"), 1);
    // A second one under another name sees what the first has made.
    let first = expand_text(arguments, &format!("#[again(attempts = 3)] {FUNCTION}")).to_string();
    assert_eq!(
        messages(&expand_text(arguments, &first.replacen("# [again (attempts = 3)]", "", 1))).len(),
        1
    );
}

#[test]
fn a_policy_of_no_attempts_is_a_mistake() {
    let found = |policy: &str| {
        messages(&expand_text(&format!("policy = {policy}, budget = B, classify = c"), FUNCTION))
            .len()
    };
    for policy in ["Policy::new(0)", "retry_runtime::Policy::new(0u32).within(3s)"] {
        assert_eq!(found(policy), 1, "{policy}");
    }
    for policy in ["Policy::new(10)", "Policy::new(zero())", "Policy::of(0)", "POLICY"] {
        assert_eq!(found(policy), 0, "{policy}");
    }
}

#[test]
fn a_parameter_may_be_named_like_a_keyword_of_a_later_edition() {
    let item = "async fn f(gen: &mut Vec<u8>, mut r#gen2: &str) -> R { g(gen) }";
    let expansion = expand_text("attempts = 3, budget = B, classify = c", item).to_string();
    // Ours is of this crate's edition, in which it is a keyword.
    assert!(expansion.contains("f (r#gen : & mut Vec < u8 >"), "{expansion}");
    assert!(expansion.contains("let gen : & mut _ = r#gen"), "{expansion}");
}

#[test]
fn the_values_stand_before_the_body_beside_an_error() {
    let used = |arguments: &str, item: &str| {
        let expansion = expand_text(arguments, item);
        assert_ne!(messages(&expansion), [] as [&str; 0], "{expansion}");
        expansion.to_string()
    };
    let item = "async fn f(&self, id: u32) -> Result<u32, E> { self.g(id).await }";
    for (arguments, value) in [
        ("budget = PAYMENTS", "& PAYMENTS"),
        ("budget = PA, attempts = 3", "& PA"),
        ("attempts = LIMIT", "u32 = LIMIT"),
        ("attempts = 0, budget = B, classify = |r| judge(r)", "| r | judge (r)"),
        ("attempts = 3, budget = B, classify = c, schedule = f(3sec)", "f (:: retry"),
        // Of a key that is none, and one that is given twice.
        ("attempts = 3, backoff = Backoff::none()", "Backoff :: none ()"),
        ("attempts = 3, budget = A, budget = &B", "_ = (& B)"),
        // What leaves its place.
        ("attempts = 3, budget = B, classify = c, policy = load()?", "load () ?"),
        ("attempts = self.attempts", "self . attempts"),
    ] {
        assert!(used(arguments, item).contains(value), "{arguments}: {}", used(arguments, item));
    }
    for arguments in ["attempts = infinite", "attempts = 3, budget = none", "budget = A B"] {
        let expansion = used(arguments, item);
        let expansion = expansion.split("compile_error").next().unwrap_or_default();
        for word in ["infinite", "none", "A B"] {
            assert!(!expansion.contains(&format!("= {word}")), "{arguments}: {expansion}");
        }
    }
    // In a function that is not async, in one that gives a future, and in a block.
    for item in [
        "fn f(id: u32) -> Result<u32, E> { #![allow(x)] g(id) }",
        "fn f(id: u32) -> BoxFuture<'_, R> { log(); Box::pin(async move { g(id).await }) }",
    ] {
        let expansion = used("attempts = 0, budget = PAYMENTS", item);
        let (_, after) = expansion.split_once("& PAYMENTS").expect("the value is there");
        assert!(after.contains("g (id)"), "{expansion}");
    }
    let expansion =
        expand_block("attempts = 0, budget = PAYMENTS, async { g().await }").to_string();
    assert!(expansion.contains("& PAYMENTS"), "{expansion}");
}

#[test]
fn the_methods_of_an_impl_have_its_values_beside_its_errors() {
    let item = "impl A { #[retry(cancel = stop())] async fn f(&self) -> R { x } }";
    let expansion = expand_text("retrier = self.retrier, within = 5", item);
    assert_eq!(messages(&expansion).len(), 1, "{expansion}");
    // What the attribute of the method makes of it.
    let item: syn::ItemImpl = syn::parse_str(&first_item(&expansion)).expect("an impl");
    let syn::ImplItem::Fn(method) = &item.items[0] else { panic!("no method") };
    let mut method = method.clone();
    let syn::Meta::List(mark) = method.attrs.remove(0).meta else { panic!("no mark") };
    let method = quote::quote!(#method).to_string();
    let expansion = expand_text(&mark.tokens.to_string(), &method).to_string();
    assert!(expansion.contains("& self . retrier"), "{expansion}");
    assert!(expansion.contains("stop ()"), "{expansion}");
    assert!(!expansion.contains("compile_error"), "{expansion}");
}

fn first_item(expansion: &proc_macro2::TokenStream) -> String {
    let text = expansion.to_string();
    text.split(":: core :: compile_error").next().unwrap_or_default().to_owned()
}

#[test]
fn the_body_has_its_attempt_beside_an_error() {
    let item = "async fn f(id: u32) -> Result<u32, E> { this.number() }";
    let expansion = |arguments: &str| expand_text(arguments, item).to_string();
    assert!(expansion("attempt = this, attempts = 0").contains("let this : & mut"));
    // But not a parameter of the same name.
    assert!(!expansion("attempt = id, attempts = 0").contains("let id"));
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
    let blocking = expand_text(&format!("{arguments}, blocking"), "fn charge(cents: u32) missing");
    assert_eq!(blocking.to_string(), "fn charge (cents : u32) missing");
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
    // Its value is that of the attempt, and cannot end another way.
    assert_eq!(with("attempt_timeout = 2s, on_timeout = Err(late()?)").len(), 1);
    assert_eq!(with("attempt_timeout = 2s, on_timeout = (|| Err(late()?))()"), [] as [&str; 0]);
}
