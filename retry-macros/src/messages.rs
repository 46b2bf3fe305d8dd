//! Every message of the attribute: the fact, then the fix. In one file, however long, so
//! that a message is found by its words and all read alike.

use crate::keys::{Key, Meant};

/// The three keys that must be there, as one might write them.
pub const EXAMPLE: [&str; 3] = ["attempts = 4", "budget = PAYMENTS", "classify = classify_http"];

fn example(keys: &[&str]) -> String {
    format!("#[retry({})]", keys.join(", "))
}

pub fn no_arguments() -> String {
    format!(
        "`#[retry]` has no defaults for what may be repeated and how often: write `{}`, \
         with `static PAYMENTS: Budget = Budget::new(10, 0.1);` and \
         `fn classify_http(result: &Result<Receipt, ClientError>) -> Outcome`",
        example(&EXAMPLE)
    )
}

/// `with` is the example: the keys that are there, and those that are missing.
pub fn missing_keys(missing: &[&str], with: &[&str]) -> String {
    let names: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
    let names = match names.as_slice() {
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
        [] => String::new(),
    };
    let hints: Vec<&str> = missing.iter().map(|name| hint(name)).collect();
    let verb = if missing.len() == 1 { "is" } else { "are" };
    format!("{names} {verb} missing: {}; for example `{}`", hints.join("; "), example(with))
}

fn hint(name: &str) -> &'static str {
    match name {
        "attempts" => "`attempts = 4` is the number of calls in all, the first included",
        "budget" => {
            "`budget = PAYMENTS` names the static that all calls to the dependency share \
             (`budget = none` for a call that nobody else retries)"
        }
        _ => {
            "`classify = f` names a function that is given a reference to the result and says \
             what it means (or `classify_err = f`, of the error alone)"
        }
    }
}

pub fn unknown_key(name: &str, meant: Option<Meant>, number: Option<u64>) -> String {
    let fix = match (meant, number) {
        (Some(Meant::Retries), Some(retries)) => format!(
            "write `attempts = {}`, it counts every call, the first included",
            retries.saturating_add(1)
        ),
        (Some(Meant::Retries | Meant::Key(Key::Attempts)), _) => {
            "write `attempts = ..`, the number of calls in all, the first included".to_owned()
        }
        (Some(Meant::Condition), _) => "write `classify_err = f`, where `f` is given a reference to \
             the error alone, or `classify = f`, of the whole result; `f` returns an `Outcome`"
            .to_owned(),
        (Some(Meant::Verdict), _) => "the classifier decides that, from the result: write \
             `classify = f`, where `f` is given a reference to it and returns an `Outcome`, such as \
             `Retry`, `RetryAfter(duration)` or `Stop`"
            .to_owned(),
        (Some(Meant::Key(Key::Classify)), _) => "write `classify = f`, where `f` is given a \
             reference to the result and returns an `Outcome`"
            .to_owned(),
        (Some(Meant::Key(Key::Schedule)), _) => {
            "write `schedule = Backoff::exponential(100ms, 10s)`, or another `Schedule`".to_owned()
        }
        (Some(Meant::Jitter), _) => "write `schedule = Backoff::exponential(100ms, 10s)`, which has \
             full jitter; `.jitter(..)` of a `Backoff` changes it"
            .to_owned(),
        (Some(Meant::Factor), _) => "write `schedule = Backoff::exponential(100ms, 10s).factor(3.0)`, \
             whose waits grow by that factor (by 2 without it)"
            .to_owned(),
        (Some(Meant::Timeout), _) => "write `within = 30s`, after which no further attempt starts, \
             or `attempt_timeout = 2s, on_timeout = ..`, which bounds each attempt"
            .to_owned(),
        (Some(Meant::Key(Key::Within)), _) => {
            "write `within = 30s`, after which no further attempt starts".to_owned()
        }
        (Some(Meant::Key(Key::AttemptTimeout)), _) => {
            "write `attempt_timeout = 2s, on_timeout = ..`, which bounds each attempt".to_owned()
        }
        (Some(Meant::Key(Key::Clone)), _) => "write `clone(a, b)`".to_owned(),
        (Some(Meant::Key(Key::Err)), _) => "write `err`, and the events carry the error's text".to_owned(),
        (Some(Meant::Key(key)), _) => format!("write `{} = ..`", key.name()),
        (None, _) => {
            let names: Vec<&str> = Key::ALL.iter().map(|key| key.name()).collect();
            format!("the keys are {}", names.join(", "))
        }
    };
    format!("there is no key `{name}`: {fix}")
}

pub fn err_of_what() -> String {
    "`err` tells of an error by its `Display`: write `err`, `err(Debug)` for its `Debug`, or \
     `err = |result| ..` for a text of your own"
        .to_owned()
}

pub fn err_is_a_literal() -> String {
    "`err` takes a function of the result that returns a text, and this is a literal: write `err`, \
     `err(Debug)`, or `err = |result| ..`"
        .to_owned()
}

pub fn not_a_key() -> String {
    format!("expected `key = value`, as in `{}`", example(&EXAMPLE))
}

/// `sign` is what stands where `=` should.
pub fn value_after_a_sign(key: &str, sign: &str, value: &str) -> String {
    format!(
        "a key has its value after `=`, not after `{sign}`: write `{key} = {value}`, as in `{}`",
        example(&EXAMPLE)
    )
}

pub fn value_in_parentheses(key: &str, value: &str) -> String {
    format!(
        "a key has its value after `=`, not in parentheses: write `{key} = {value}`, as in `{}`",
        example(&EXAMPLE)
    )
}

pub fn equals_missing(key: &str, value: &str) -> String {
    format!("a `=` is missing after `{key}`: write `{key} = {value}`")
}

pub fn semicolon() -> String {
    "a comma stands between two keys: write `,` instead of `;`".to_owned()
}

pub fn key_with_a_hyphen(key: &str) -> String {
    format!("the names of the keys have no hyphens: write `{key}`")
}

pub fn unit_apart(duration: &str) -> String {
    format!("a duration is one word: write `{duration}`, without the space")
}

pub fn repeated_key(key: Key) -> String {
    format!("`{}` is given twice: remove one of them", key.name())
}

pub fn missing_comma(key: &str) -> String {
    format!("a comma is missing before `{key}`")
}

pub fn no_value(key: Key) -> String {
    format!("`{}` has no value: write `{}`", key.name(), key.example())
}

pub fn zero_attempts() -> String {
    "`attempts` is 0, so the function would never run: it counts every call, the first included; \
     write 1 or more"
        .to_owned()
}

pub fn attempts_out_of_range(text: &str) -> String {
    format!("`attempts` is {text}: write a whole number from 1 to 4294967295, or `unlimited`")
}

pub fn attempts_not_a_number(text: &str) -> String {
    format!(
        "`attempts` is {text}, which is not a whole number: write `attempts = 4`, a constant of \
         type `u32`, or `unlimited`"
    )
}

/// `name` is `self`, or a parameter.
pub fn attempts_not_constant(name: &str) -> String {
    let fix = match name {
        "self" => "keep the number in a policy and write `policy = self.policy`, a field made by \
                   `Policy::new(4)`"
            .to_owned(),
        "env" | "parse" => {
            "read the number when the program starts, and write `policy = POLICY`, with a \
             `static POLICY: LazyLock<Policy>` or a field made by `Policy::new(number)`"
                .to_owned()
        }
        name => {
            format!("write `policy = Policy::new({name})` instead, for a `u32` that is at least 1")
        }
    };
    format!("`attempts` is a constant, known at compile time, and `{name}` is not: {fix}")
}

pub fn attempts_unlimited(word: &str) -> String {
    format!(
        "`attempts` has no `{word}`: write `attempts = unlimited`, with `within = 30s`, \
         `deadline = ..` or `cancel = ..` to end the call"
    )
}

pub fn nothing_ends_it() -> String {
    "nothing ends a call with `attempts = unlimited` (a budget does not: it refills): add \
     `within = 30s`, `deadline = ..` or `cancel = ..`"
        .to_owned()
}

pub fn budget_made_on_the_spot() -> String {
    "this budget would be new at every call, so it would limit nothing: declare \
     `static PAYMENTS: Budget = Budget::new(10, 0.1);` and write `budget = PAYMENTS`"
        .to_owned()
}

pub fn retrier_made_on_the_spot() -> String {
    "this retrier would be new at every call, and so would its budget: declare \
     `static PAYMENTS: Retrier<Http> = Retrier::new(Policy::new(4), Budget::new(10, 0.1), Http);`, \
     or keep it in a field, and write `retrier = PAYMENTS`"
        .to_owned()
}

pub fn retrier_is_a_closure() -> String {
    "`retrier` needs a `Retrier`, and this is a closure: declare \
     `static PAYMENTS: Retrier<Http> = Retrier::new(Policy::new(4), Budget::new(10, 0.1), Http);`, \
     or keep it in a field, and write `retrier = PAYMENTS`"
        .to_owned()
}

pub fn budget_is_a_number() -> String {
    "a budget is shared by every call to its dependency: declare \
     `static PAYMENTS: Budget = Budget::new(10, 0.1);` and write `budget = PAYMENTS`"
        .to_owned()
}

pub fn two_classifiers() -> String {
    "`classify` and `classify_err` exclude each other: remove one (`classify` is given the whole \
     result, `classify_err` the error alone)"
        .to_owned()
}

pub fn retrier_and_policy() -> String {
    "a retrier has a policy: remove `policy`, or override single settings with `attempts`, \
     `schedule` and `within`"
        .to_owned()
}

pub fn retrier_without_use() -> String {
    "the other keys override every part of this retrier: remove `retrier`, or the keys that it \
     should decide"
        .to_owned()
}

pub fn policy_without_use() -> String {
    "the other keys override every setting of this policy: remove `policy`, or the keys that it \
     should decide"
        .to_owned()
}

pub fn crate_is_a_path() -> String {
    "`crate` takes an absolute path to `retry_runtime`: write `crate = ::my_reexport` or \
     `crate = crate::reexport`"
        .to_owned()
}

pub fn schedule_is_a_duration(text: &str) -> String {
    if text.ends_with(|c: char| c.is_ascii_digit()) {
        return "a schedule gives the wait after each attempt: write \
                `schedule = Backoff::constant(200ms)` or `Backoff::exponential(100ms, 10s)`"
            .to_owned();
    }
    format!(
        "a schedule gives the wait after each attempt: write `schedule = Backoff::constant({text})`"
    )
}

pub fn attempt_timeout_alone() -> String {
    "`attempt_timeout` needs `on_timeout`, the result of an attempt that took too long: add for \
     example `on_timeout = Err(ClientError::Timeout)`"
        .to_owned()
}

pub fn on_timeout_alone() -> String {
    "`on_timeout` needs `attempt_timeout`, the time that each attempt may take: add for example \
     `attempt_timeout = 2s`"
        .to_owned()
}

pub fn zero_duration(key: &str) -> String {
    if key == "attempt_timeout" {
        return "`attempt_timeout` is zero, so no attempt that waits for anything could end: write a longer time"
            .to_owned();
    }
    format!(
        "`{key}` is zero, so no attempt would follow the first: write a longer time, or `attempts = 1`"
    )
}

pub fn negative_duration(key: &str) -> String {
    format!("`{key}` is negative: a duration is not; write `{key} = 30s`")
}

/// A large number is one of milliseconds, more likely than not.
pub fn bare_number(key: &str, number: &str) -> String {
    let digits: String = number.chars().take_while(|c| c.is_ascii_digit() || *c == '_').collect();
    let is_large = digits.replace('_', "").parse::<u64>().is_ok_and(|number| number >= 1000);
    let (value, others) = match number.parse::<f64>() {
        Ok(seconds) if number.contains('.') => {
            (format!("{}ms", (seconds * 1000.0).round()), "s, m, h")
        }
        _ if is_large => (format!("{digits}ms"), "s, m, h"),
        _ => (format!("{digits}s"), "ms, m, h"),
    };
    format!("`{key}` is {number} of what? Say the unit: `{key} = {value}`, or {others}")
}

/// `duration` is what the string holds, if it is one.
pub fn quoted_duration(key: &str, duration: Option<&str>) -> String {
    let duration = duration.unwrap_or("30s");
    format!("`{key}` is a string: a duration has no quotes, write `{key} = {duration}`")
}

pub fn unknown_unit(digits: &str, unit: &str) -> String {
    let lower = unit.to_lowercase();
    let fix = match lower.as_str() {
        "sec" | "secs" | "second" | "seconds" => Some("s"),
        "msec" | "msecs" | "millis" | "milli" | "millisecond" | "milliseconds" => Some("ms"),
        "min" | "mins" | "minute" | "minutes" => Some("m"),
        "hr" | "hrs" | "hour" | "hours" => Some("h"),
        "usec" | "micros" | "microseconds" | "µs" | "μs" => Some("us"),
        "nsec" | "nanos" | "nanoseconds" => Some("ns"),
        "s" | "ms" | "m" | "h" | "us" | "ns" => Some(lower.as_str()),
        _ => None,
    };
    let days = digits.parse::<u64>().ok().and_then(|days| days.checked_mul(24));
    let fix = match (fix, lower.as_str(), days) {
        (Some(fix), ..) => format!("write `{digits}{fix}`"),
        (None, "d" | "day" | "days", Some(hours)) => format!("write `{hours}h`"),
        _ => format!("write for example `{digits}s`"),
    };
    format!("`{unit}` is no unit of time: {fix}; the units are ns, us, ms, s, m and h")
}

pub fn fraction_of_unit(text: &str) -> String {
    format!(
        "`{text}` is not a whole number of its unit: write a smaller unit, as in `1500ms` for 1.5 seconds"
    )
}

pub fn decimal_only(text: &str) -> String {
    format!("`{text}`: a duration is written in decimal digits, as in `250ms`")
}

pub fn duration_too_long(text: &str) -> String {
    format!("`{text}` is longer than a `Duration` can hold: write a shorter time")
}

pub fn attempt_is_a_number(number: &str) -> String {
    format!(
        "`attempt` names the current attempt for the body: for the number of calls write \
         `attempts = {number}`"
    )
}

pub fn attempt_is_a_name() -> String {
    "`attempt` takes the name by which the body asks about its attempt: write `attempt = attempt`, \
     and `attempt.number()` in the body"
        .to_owned()
}

pub fn attempt_is_a_parameter(name: &str) -> String {
    let other = if name == "attempt" { "current" } else { "attempt" };
    format!(
        "`{name}` is a parameter, and the body could no longer see it behind the attempt of the \
         same name: write another name, `attempt = {other}`"
    )
}

pub fn leaves_a_value(key: &str, word: &str) -> String {
    format!(
        "`{word}` in the value of `{key}` would leave the loop around the attempts, not the body: \
         the value is evaluated outside of it; write it without `{word}`, or in a function of its own"
    )
}

pub fn literal_for(key: Key) -> String {
    match key {
        Key::Deadline => {
            "`deadline` is a point in time, an `Instant`: for a limit from the start of the call \
             write `within = 30s`"
        }
        Key::Cancel => "`cancel` takes a future that completes when the call is to be given up: write `cancel = self.shutdown.cancelled()`",
        Key::Timer => "`timer` takes a `Timer`, the clock and sleep of another executor: write `timer = SmolTimer` (to bound each attempt, write `attempt_timeout = 2s, on_timeout = ..`)",
        Key::Policy => "`policy` takes a `Policy`: write `policy = POLICY`, with `const POLICY: Policy = Policy::new(4);`",
        _ => "`retrier` takes a `Retrier`: write `retrier = PAYMENTS`, with `static PAYMENTS: Retrier<Http> = Retrier::new(Policy::new(4), Budget::new(10, 0.1), Http);`",
    }
    .to_owned()
}

pub fn clone_is_a_list() -> String {
    "`clone` takes the names of parameters in parentheses: write `clone(a, b)`, or `clone(..)` for \
     every by-value parameter"
        .to_owned()
}

pub fn clone_of_nothing() -> String {
    "`clone()` names no parameter: write `clone(a)`, or remove it".to_owned()
}

pub fn cloned_twice(name: &str) -> String {
    format!("`{name}` is named twice in `clone`: remove one")
}

pub fn clone_of_mut(name: &str) -> String {
    format!("`clone` takes names alone: leave out `mut`, write `clone({name})`")
}

pub fn clone_of_self_reference() -> String {
    "`self` is a reference here, and a reference is not cloned: remove it from `clone`, and clone in \
     the body what the body needs"
        .to_owned()
}

pub fn clone_of_self() -> String {
    "`self` cannot be cloned for each attempt: take `&self` or `self: &Arc<Self>`, and clone in the body"
        .to_owned()
}

pub fn clone_of_reference(name: &str) -> String {
    format!("`{name}` is a reference, which every attempt can use again: remove it from `clone`")
}

pub fn clone_of_unknown(name: &str, known: &[String]) -> String {
    if known.is_empty() {
        return format!(
            "`{name}` is not a parameter of this function, which has none: remove it from `clone`"
        );
    }
    let known: Vec<String> = known.iter().map(|known| format!("`{known}`")).collect();
    format!("`{name}` is not a parameter of this function: `clone` takes {}", known.join(", "))
}

pub fn mut_by_value(name: &str) -> String {
    let name = name.trim_start_matches("r#");
    format!(
        "what an attempt does to `mut {name}` would leak into the next attempt: add `clone({name})`, \
         so that each attempt starts from the caller's value, or take `{name}` without `mut`; \
         what attempts hand on is a parameter of type `&mut`"
    )
}

pub fn ref_mut(name: &str) -> String {
    format!(
        "what an attempt does through `ref mut {name}` would leak into the next attempt: bind \
         `mut {name}` and add `clone({name})`, so that each attempt starts from the caller's value"
    )
}

pub fn mut_self() -> String {
    "another `self` that an attempt sets would leak into the next attempt: remove this `mut`, and \
     give what the body sets a name of its own"
        .to_owned()
}

pub fn self_by_value() -> String {
    "the first attempt would consume `self`: take `&self`, or `self: &Arc<Self>`".to_owned()
}

pub fn borrows_from_mutable() -> String {
    "the result borrows from a `&mut` parameter, and the next attempt has to borrow it again: \
     return an owned value, or take the parameter by `&`"
        .to_owned()
}

pub fn doc_on_parameter() -> String {
    "doc comments are not allowed on parameters: write it above the function, or as `//`".to_owned()
}

pub fn repeated_attribute() -> String {
    "`#[retry]` is already on this function, and two would multiply their attempts: remove one"
        .to_owned()
}

pub fn no_body() -> String {
    "there is no body to retry here: put `#[retry]` on the methods of the impls, or give this one a \
     default body"
        .to_owned()
}

pub fn const_function() -> String {
    "a `const fn` cannot wait between attempts: write `async fn`".to_owned()
}

pub fn not_async() -> String {
    "`#[retry]` waits between attempts, and this function is not async: write `async fn`, or add the \
     key `blocking`, with which the waits block the thread (if it is written `async fn`, an \
     attribute above has changed it: put `#[retry]` above that one)"
        .to_owned()
}

pub fn blocking_has_no_value() -> String {
    "`blocking` has no value: write the word alone".to_owned()
}

pub fn blocking_async() -> String {
    "this function is async, so its waits need not block the thread: remove `blocking`, or `async`"
        .to_owned()
}

pub fn blocking_future() -> String {
    "this function returns a future, so its waits need not block the thread: remove `blocking`"
        .to_owned()
}

pub fn blocking_block() -> String {
    "the block of `retry_block!` is async, so its waits need not block the thread: remove \
     `blocking`, or write a closure and `Call::run_blocking`"
        .to_owned()
}

pub fn blocking_attempt_timeout() -> String {
    "nothing can end an attempt that blocks its thread, so there is no `attempt_timeout` beside \
     `blocking`: give the client that the body calls a timeout, such as `attempt.remaining()`"
        .to_owned()
}

pub fn blocking_timer() -> String {
    "a thread sleeps by its own clock, so there is no `timer` beside `blocking`: remove it"
        .to_owned()
}

pub fn no_block() -> String {
    "`retry_block!` ends with the block that is retried: write \
     `retry_block!(attempts = 4, budget = PAYMENTS, classify = classify_http, async { .. }).await`"
        .to_owned()
}

pub fn block_is_not_async() -> String {
    "the block of `retry_block!` is async: write `async { .. }` (for code that blocks its thread, \
     write a closure and `Call::run_blocking`)"
        .to_owned()
}

pub fn block_moves() -> String {
    "with `async move` each attempt would work on a copy of its own, and the first would take what \
     cannot be copied: remove `move`, and the block borrows what it uses (`clone(request)` gives \
     each attempt its own)"
        .to_owned()
}

pub fn clone_of_all_in_block() -> String {
    "`clone(..)` means every parameter of a function, and a block has none: name the variables, as \
     in `clone(request)`"
        .to_owned()
}

pub fn impl_without_keys() -> String {
    "`#[retry]` on an `impl` holds keys for the methods that are marked `#[retry]` in it: write for \
     example `#[retry(retrier = self.retrier)]`"
        .to_owned()
}

pub fn impl_without_mark() -> String {
    "no method of this `impl` is marked, so nothing is retried: write `#[retry]` on each method that \
     is to have these keys"
        .to_owned()
}

pub fn key_of_one_function(key: Key) -> String {
    format!(
        "`{}` is about one function: write it at the method, `#[retry({})]`",
        key.name(),
        key.example()
    )
}

pub fn nothing_to_switch_off(key: Key) -> String {
    let name = key.name();
    format!("`{name} = none` switches off a key of the `impl`, which has no `{name}`: remove it")
}

pub fn mark_in_cfg_attr() -> String {
    "a `#[retry]` inside `cfg_attr` does not get the keys of the `impl`: write `#[retry]` itself, and \
     put what depends on the `cfg` on methods of their own"
        .to_owned()
}

pub fn mark_unseen() -> String {
    "the keys of the `impl` reach a method that is marked `#[retry]`, and this mark has another \
     name: write `#[retry]`"
        .to_owned()
}

pub fn future_not_recognised() -> String {
    "`#[retry]` cannot see the attempt in this function: let its body end with `async move { .. }` \
     or `Box::pin(async move { .. })`, write `async fn`, or loop by hand with `Policy::call`"
        .to_owned()
}

pub fn output_unseen() -> String {
    "`#[retry]` cannot see what this future gives: write `impl Future<Output = R>`, \
     `Pin<Box<dyn Future<Output = R> + Send + '_>>` or `BoxFuture<'_, R>`"
        .to_owned()
}

pub fn never_returns() -> String {
    "a function that returns `!` has no result to classify: remove `#[retry]`".to_owned()
}

pub fn not_a_function(keyword: &str) -> String {
    let fix = match keyword {
        "trait" => "put it on the async methods inside",
        "mod" => "put it on the async functions inside",
        _ => "put it on an `async fn`",
    };
    format!("`#[retry]` retries a function, not this `{keyword}`: {fix}")
}

pub fn not_understood(error: &str) -> String {
    format!("`#[retry]` does not understand this function: {error}")
}
