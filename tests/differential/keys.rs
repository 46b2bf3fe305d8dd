//! Random keys, under which every call ends after its first attempt.

use crate::parameters::{Parameter, Passed};
use crate::random::Random;
use crate::returned::Returned;
use crate::scope::{Scope, Type};

pub struct Keys {
    /// Those that the attribute on an `impl` may hold.
    pub shared: Vec<String>,
    pub own: Vec<String>,
}

/// A key may look at one of `variables`.
pub fn keys(
    random: &mut Random,
    parameters: &[Parameter],
    variables: &[&str],
    body: &Scope,
    returned: Returned,
    is_async: bool,
) -> Keys {
    let seen = if variables.is_empty() || random.one_in(2) {
        "&()".to_owned()
    } else {
        format!("&{}", random.pick(variables))
    };
    let mut shared = Vec::new();
    let mut own = Vec::new();
    let with_retrier = random.one_in(6);
    if with_retrier {
        shared.push(random.pick(&["retrier = RETRIER", "retrier = &RETRIER"]).to_owned());
    } else {
        shared.push(
            random
                .pick(&[
                    "attempts = 3",
                    "attempts = 1 + 1",
                    "policy = POLICY",
                    "attempts = unlimited, within = 1h",
                ])
                .to_owned(),
        );
        own.push(match random.below(4) {
            0 => "budget = none".to_owned(),
            1 => "budget = &BUDGET".to_owned(),
            2 => format!("budget = budget_for({seen})"),
            _ => "budget = BUDGET".to_owned(),
        });
        own.push(match random.below(5) {
            0 if returned.is_result() => "classify_err = stop".to_owned(),
            1 => format!("classify = |result| {{ touch({seen}); judge(result) }}"),
            2 => "classify = Judge".to_owned(),
            3 => "classify = |result| match result { result => judge(result) }".to_owned(),
            _ => "classify = judge".to_owned(),
        });
    }
    let is_unlimited = shared.iter().any(|key| key.contains("within"));
    if random.one_in(5) {
        own.push(format!("observe = |event| {{ touch({seen}); touch(event) }}"));
    }
    if random.one_in(5) {
        shared.push("schedule = Backoff::none()".to_owned());
    }
    if random.one_in(5) && !is_unlimited {
        shared.push(random.pick(&["within = 1h", "within = Some(1h)"]).to_owned());
    }
    if is_async && random.one_in(5) {
        // The clock of a deadline is the timer's.
        own.push("deadline = in_an_hour(), timer = Frozen".to_owned());
        if random.one_in(2) {
            let late = match returned {
                Returned::Number => "7",
                Returned::Unit => "()",
                Returned::MaybeText => "None",
                _ => "Err(String::from(\"late\").into())",
            };
            own.push(format!("attempt_timeout = 1h, on_timeout = {late}"));
        }
    }
    if is_async && random.one_in(5) {
        own.push("cancel = std::future::pending::<()>()".to_owned());
    }
    if random.one_in(5) {
        own.push("attempt = handle".to_owned());
        own.push("name = if handle.is_first() { \"first\" } else { \"later\" }".to_owned());
    }
    if returned.is_result() && random.one_in(5) {
        own.push(random.pick(&["err", "err(Debug)"]).to_owned());
    }
    own.extend(clones(random, parameters, body));
    if random.one_in(3) {
        own.reverse();
    }
    Keys { shared, own }
}

fn clones(random: &mut Random, parameters: &[Parameter], body: &Scope) -> Option<String> {
    let by_value = |passed| parameters.iter().filter(move |parameter| parameter.passed == passed);
    let owned = Passed::ByValue { clone: true };
    let can_be_all = by_value(owned).next().is_some()
        && by_value(Passed::ByValue { clone: false }).next().is_none();
    let can_be: Vec<(&str, bool)> = by_value(owned)
        .flat_map(|parameter| &parameter.variables)
        .filter(|it| matches!(it.of_type, Type::Number | Type::Text | Type::List | Type::Shown))
        .map(|it| (it.name.as_str(), it.is_mut || body.consumed.contains(&it.name)))
        .collect();
    let needed = can_be.iter().any(|(_, needed)| *needed);
    if can_be_all && random.one_in(if needed { 2 } else { 5 }) {
        return Some("clone(..)".to_owned());
    }
    let names: Vec<&str> = can_be
        .iter()
        .filter(|(_, needed)| *needed || random.one_in(6))
        .map(|(name, _)| *name)
        .collect();
    if names.is_empty() { None } else { Some(format!("clone({})", names.join(", "))) }
}
