//! Rules about the arguments.

use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use syn::GenericParam;

use super::attribute;
use crate::arguments::{Argument, Arguments};
use crate::diagnostics::Errors;
use crate::duration::{self, Whole};
use crate::function::Function;
use crate::keys::Key;
use crate::mentions::variable;
use crate::messages;
use crate::plan::{Attempts, Budget, Classify, Schedule};

/// Attempts (or a policy), a budget and a classifier, or a retrier for all three.
pub fn check_presence(arguments: &Arguments, errors: &mut Errors) {
    if arguments.means(Key::Retrier) || arguments.is_half_typed {
        return;
    }
    // `attempt = 4` is reported as a slip for `attempts`.
    let attempt = arguments.get(Key::Attempt);
    let is_slip = attempt.is_some_and(|a| matches!(duration::whole(&a.value), Whole::Bare(_)));
    let needed: [(&str, &[Key]); 3] = [
        ("attempts", &[Key::Attempts, Key::Policy]),
        ("budget", &[Key::Budget]),
        ("classify", &[Key::Classify, Key::ClassifyErr]),
    ];
    let is_missing = |keys: &[Key]| !keys.iter().any(|key| arguments.means(*key));
    let missing: Vec<&str> = needed
        .iter()
        .filter(|(_, keys)| is_missing(keys))
        .map(|(name, _)| *name)
        .filter(|name| !(is_slip && *name == "attempts"))
        .collect();
    if arguments.is_empty {
        errors.at(attribute(), messages::no_arguments());
    } else if !missing.is_empty() {
        let example = needed.iter().zip(messages::EXAMPLE);
        let example: Vec<String> = example
            .map(|((_, keys), example)| as_given(arguments, keys).unwrap_or(example.to_owned()))
            .collect();
        let example: Vec<&str> = example.iter().map(String::as_str).collect();
        errors.at(attribute(), messages::missing_keys(&missing, &example));
    }
}

/// The first of `keys` that is there, as the user wrote it if it is short; but no
/// literal that is a mistake of its own.
fn as_given(arguments: &Arguments, keys: &[Key]) -> Option<String> {
    let (key, argument) = keys.iter().find_map(|key| Some((key, arguments.get(*key)?)))?;
    let mut tokens = argument.value.clone().into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Literal(literal)), None)
            if *key != Key::Attempts || whole_number(&literal).is_err() =>
        {
            None
        }
        (Some(TokenTree::Ident(_) | TokenTree::Literal(_)), None) => {
            Some(format!("{} = {}", key.name(), argument.value))
        }
        _ => Some(format!("{} = ..", key.name())),
    }
}

/// Keys that exclude each other, or say the same twice.
pub fn check_conflicts(arguments: &Arguments, errors: &mut Errors) {
    if let (Some(_), Some(second)) = (arguments.get(Key::Classify), arguments.get(Key::ClassifyErr))
    {
        errors.at(second.key.span(), messages::two_classifiers());
    }
    let overridden = |key| arguments.has(key);
    let policy_is_overridden =
        overridden(Key::Attempts) && overridden(Key::Schedule) && overridden(Key::Within);
    if let Some(retrier) = arguments.get(Key::Retrier) {
        if let Some(policy) = arguments.get(Key::Policy) {
            errors.at(policy.key.span(), messages::retrier_and_policy());
        }
        let classifies = overridden(Key::Classify) || overridden(Key::ClassifyErr);
        if classifies && policy_is_overridden && overridden(Key::Budget) {
            errors.at(retrier.key.span(), messages::retrier_without_use());
        }
    }
    if let Some(policy) = arguments.get(Key::Policy) {
        if !overridden(Key::Retrier) && policy_is_overridden {
            errors.at(policy.key.span(), messages::policy_without_use());
        }
    }
}

/// `crate = ::path`, an absolute path.
pub fn krate(arguments: &Arguments, errors: &mut Errors) -> Option<TokenStream> {
    let argument = arguments.get(Key::Crate)?;
    let tokens: Vec<TokenTree> = argument.value.clone().into_iter().collect();
    let is_absolute = match tokens.as_slice() {
        [TokenTree::Punct(a), TokenTree::Punct(b), ..] => a.as_char() == ':' && b.as_char() == ':',
        [TokenTree::Ident(first), ..] => first == "crate",
        [TokenTree::Punct(dollar), TokenTree::Ident(first), ..] => {
            dollar.as_char() == '$' && first == "crate"
        }
        _ => false,
    };
    if !is_absolute || syn::parse2::<syn::Path>(argument.value.clone()).is_err() {
        errors.over(&argument.value, argument.key.span(), messages::crate_is_a_path());
    }
    Some(argument.value.clone())
}

/// The number of attempts: a constant of at least 1, or no limit.
pub fn attempts(
    arguments: &Arguments,
    function: &Function,
    errors: &mut Errors,
) -> Option<Attempts> {
    let Some(argument) = arguments.get(Key::Attempts) else { return Some(Attempts::Policy) };
    let value = &argument.value;
    let tokens: Vec<TokenTree> = value.clone().into_iter().collect();
    let is_unlimited = matches!(tokens.as_slice(), [TokenTree::Ident(word)] if word == "unlimited");
    if let Some(word) = run_time(value, function).filter(|_| !is_unlimited) {
        errors.at(word.span(), messages::attempts_not_constant(&word.to_string()));
        return None;
    }
    match tokens.as_slice() {
        [TokenTree::Ident(word)] if word == "unlimited" => {
            let ends = [Key::Within, Key::Deadline, Key::Cancel];
            if !ends.iter().any(|key| arguments.means(*key)) {
                errors.at(word.span(), messages::nothing_ends_it());
            }
            Some(Attempts::Unlimited)
        }
        [TokenTree::Literal(literal)] => match whole_number(literal) {
            Ok(number) => Some(Attempts::Literal(number)),
            Err(message) => {
                errors.at(literal.span(), message);
                None
            }
        },
        [TokenTree::Punct(minus), TokenTree::Literal(literal)] if minus.as_char() == '-' => {
            let message = messages::attempts_out_of_range(&format!("-{literal}"));
            errors.over(value, argument.key.span(), message);
            None
        }
        _ if may_be_generic(&tokens, function) => Some(Attempts::Generic(value.clone())),
        _ => Some(Attempts::Constant(value.clone())),
    }
}

/// `self`, or the parameter, that an expression is made of.
fn run_time(value: &TokenStream, function: &Function) -> Option<Ident> {
    let receiver = function.signature.receiver().map(|_| Ident::new("self", Span::call_site()));
    let parameters = function.bindings().into_iter().map(|binding| binding.ident);
    receiver.into_iter().chain(parameters).find_map(|name| variable(value, &name))
}

/// Whether an expression may name a generic parameter, of the function or of the
/// `impl` that is out of sight: `Self`, a parameter, or one capital letter.
fn may_be_generic(tokens: &[TokenTree], function: &Function) -> bool {
    let is_parameter = |word: &Ident| {
        function.signature.generics.params.iter().any(|parameter| match parameter {
            GenericParam::Const(constant) => constant.ident == *word,
            GenericParam::Type(ty) => ty.ident == *word,
            GenericParam::Lifetime(_) => false,
        })
    };
    tokens.iter().any(|token| match token {
        TokenTree::Ident(word) => {
            let name = word.to_string();
            name == "Self" || is_parameter(word) || (name.len() == 1 && name != "_")
        }
        TokenTree::Group(group) => {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            may_be_generic(&inner, function)
        }
        _ => false,
    })
}

fn whole_number(literal: &Literal) -> Result<u32, String> {
    let text = literal.to_string();
    let Ok(number) = syn::parse_str::<syn::LitInt>(&text) else {
        return Err(messages::attempts_not_a_number(&text));
    };
    if !matches!(number.suffix(), "" | "u32") {
        return Err(messages::attempts_not_a_number(&text));
    }
    match number.base10_parse::<u32>() {
        Ok(0) => Err(messages::zero_attempts()),
        Ok(number) => Ok(number),
        Err(_) => Err(messages::attempts_out_of_range(&text)),
    }
}

/// The budget, `none`, or that of the retrier.
pub fn budget(arguments: &Arguments, function: &Function, errors: &mut Errors) -> Option<Budget> {
    let Some(argument) = arguments.get(Key::Budget) else {
        return Some(Budget::Retrier(arguments.get(Key::Retrier)?.value.clone()));
    };
    let budget = &argument.value;
    let text = squeezed(budget);
    if text == "none" || text == "None" {
        return Some(Budget::None);
    }
    if is_made_on_the_spot(budget, "Budget") {
        errors.over(budget, argument.key.span(), messages::budget_made_on_the_spot());
        return None;
    }
    let whole = duration::whole(budget);
    if matches!(whole, Whole::Bare(_) | Whole::Unit { .. }) {
        errors.over(budget, argument.key.span(), messages::budget_is_a_number());
        return None;
    }
    let is_static = names_a_static(budget, function);
    Some(Budget::Shared { budget: budget.clone(), is_static })
}

/// A retrier that is shared, like the budget in it.
pub fn check_retrier(arguments: &Arguments, errors: &mut Errors) {
    let Some(Argument { key, value }) = arguments.get(Key::Retrier) else { return };
    if is_made_on_the_spot(value, "Retrier") {
        errors.over(value, key.span(), messages::retrier_made_on_the_spot());
    }
}

/// Whether a value makes a new `ty` each time it is evaluated.
fn is_made_on_the_spot(value: &TokenStream, ty: &str) -> bool {
    let text = squeezed(value);
    ["new", "from_config"].iter().any(|function| text.contains(&format!("{ty}::{function}(")))
}

/// The text of a value without its spaces, and without the line breaks that rustc
/// puts into long ones.
fn squeezed(value: &TokenStream) -> String {
    value.to_string().split_whitespace().collect()
}

/// Whether an expression is a path whose last name is in capitals, as that of a
/// static is, and no parameter of the function.
pub fn names_a_static(value: &TokenStream, function: &Function) -> bool {
    // A reference to a constant is as new as the constant.
    let is_and = |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == '&');
    let path = value.clone().into_iter().skip_while(is_and).collect();
    let Ok(path) = syn::parse2::<syn::ExprPath>(path) else { return false };
    let Some(last) = path.path.segments.last() else { return false };
    let name = last.ident.to_string();
    let is_capital = name.chars().all(|c| c.is_uppercase() || c.is_ascii_digit() || c == '_')
        && name.chars().any(char::is_uppercase);
    let is_parameter = path.path.segments.len() == 1
        && function.bindings().iter().any(|binding| binding.ident == last.ident);
    is_capital && !is_parameter
}

pub fn classify(arguments: &Arguments) -> Option<Classify> {
    let value = |key| arguments.get(key).map(|argument| argument.value.clone());
    value(Key::Classify)
        .map(Classify::Result)
        .or_else(|| value(Key::ClassifyErr).map(Classify::Error))
        .or_else(|| value(Key::Retrier).map(Classify::Retrier))
}

pub fn schedule(arguments: &Arguments, errors: &mut Errors) -> Schedule {
    let Some(argument) = arguments.get(Key::Schedule) else {
        let has_policy = arguments.has(Key::Policy) || arguments.has(Key::Retrier);
        return if has_policy { Schedule::Policy } else { Schedule::Default };
    };
    if matches!(duration::whole(&argument.value), Whole::Unit { .. } | Whole::Bare(_)) {
        let text = argument.value.to_string();
        errors.over(&argument.value, argument.key.span(), messages::schedule_is_a_duration(&text));
    }
    match argument.value.clone().into_iter().next() {
        Some(TokenTree::Punct(bar)) if bar.as_char() == '|' => {
            Schedule::Closure(argument.value.clone())
        }
        Some(TokenTree::Ident(word)) if word == "move" => Schedule::Closure(argument.value.clone()),
        _ => Schedule::Value(argument.value.clone()),
    }
}

/// `attempt = name`: a word that the body calls its attempt by.
pub fn attempt_name(arguments: &Arguments, errors: &mut Errors) -> Option<Ident> {
    let argument = arguments.get(Key::Attempt)?;
    if let Ok(name) = syn::parse2::<Ident>(argument.value.clone()) {
        return Some(name);
    }
    let number = duration::whole(&argument.value);
    let message = match number {
        Whole::Bare(number) if !arguments.has(Key::Attempts) => {
            messages::attempt_is_a_number(&number.to_string())
        }
        _ => messages::attempt_is_a_name(),
    };
    errors.over(&argument.value, argument.key.span(), message);
    None
}

/// Literals where no literal can be right.
pub fn check_literals(arguments: &Arguments, errors: &mut Errors) {
    for key in [Key::Deadline, Key::Cancel, Key::Timer, Key::Policy, Key::Retrier] {
        let Some(argument) = arguments.get(key) else { continue };
        if matches!(duration::whole(&argument.value), Whole::Bare(_) | Whole::Unit { .. }) {
            errors.over(&argument.value, argument.span(), messages::literal_for(key));
        }
    }
}
