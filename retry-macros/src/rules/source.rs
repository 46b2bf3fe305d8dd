//! Rules about where the settings come from: the number of attempts, the budget and the
//! classifier, each by its key, from a policy or from a retrier.

use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};
use syn::GenericParam;

use crate::arguments::{Argument, Arguments};
use crate::diagnostics::Errors;
use crate::duration::{self, Whole};
use crate::function::Function;
use crate::keys::{Key, means_unlimited};
use crate::mentions::variable;
use crate::messages;
use crate::plan::{Attempts, Budget, Classify, Shared, Source};
use crate::tokens::{flat, is_closure, is_punct, squeezed};

/// The source of the settings. `None` if a key is missing, or has a value that gives none.
pub fn source(arguments: &Arguments, function: &Function, errors: &mut Errors) -> Option<Source> {
    let attempts = attempts(arguments, function, errors);
    let budget = budget(arguments, function, errors);
    let classify = classify(arguments);
    if let Some(Argument { key, value, .. }) = arguments.get(Key::Retrier) {
        check_retrier(key, value, errors);
        let retrier = shared(value, function);
        return Some(Source::Retrier { retrier, attempts, budget, classify });
    }
    let (budget, classify) = (budget?, classify?);
    Some(match arguments.get(Key::Policy) {
        Some(policy) => Source::Policy { policy: policy.value.clone(), attempts, budget, classify },
        None => Source::Keys { attempts: attempts?, budget, classify },
    })
}

/// Reports what is wrong with the keys of an `impl`.
pub fn check_shared(arguments: &Arguments, errors: &mut Errors) {
    let method = Function::of_block(
        Ident::new("async", Span::call_site()),
        Group::new(Delimiter::Brace, TokenStream::new()),
    );
    let is_unlimited = |argument: &Argument| squeezed(&argument.value) == "unlimited";
    // Whether something ends such a call is known only with the keys of each method.
    if !arguments.get(Key::Attempts).is_some_and(is_unlimited) {
        attempts(arguments, &method, errors);
    }
    budget(arguments, &method, errors);
    if let Some(Argument { key, value, .. }) = arguments.get(Key::Retrier) {
        check_retrier(key, value, errors);
    }
}

/// The number of attempts that a key gives: a constant of at least 1, or no limit.
fn attempts(arguments: &Arguments, function: &Function, errors: &mut Errors) -> Option<Attempts> {
    let argument = arguments.get(Key::Attempts)?;
    let value = &argument.value;
    let tokens: Vec<TokenTree> = value.clone().into_iter().collect();
    let is_unlimited = matches!(tokens.as_slice(), [TokenTree::Ident(word)] if word == "unlimited");
    if let Some(word) = run_time(value, function).filter(|_| !is_unlimited) {
        let message = messages::attempts_not_constant(&word.to_string());
        errors.in_value(Key::Attempts, word.span(), message);
        return None;
    }
    match tokens.as_slice() {
        [TokenTree::Ident(word)] if means_unlimited(word) => {
            errors.at(word.span(), messages::attempts_unlimited(&word.to_string()));
            None
        }
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

/// `self`, the parameter or the function of run time that an expression is made of.
fn run_time(value: &TokenStream, function: &Function) -> Option<Ident> {
    let receiver =
        function.header.signature.receiver().map(|_| Ident::new("self", Span::call_site()));
    let parameters = function.bindings().into_iter().map(|binding| binding.ident);
    let names: Vec<Ident> = receiver.into_iter().chain(parameters).collect();
    variable(value, &names).or_else(|| read_at_run_time(value))
}

/// The `env` of `env::var(..)`, or the `parse` of `text.parse()`.
fn read_at_run_time(value: &TokenStream) -> Option<Ident> {
    let tokens: Vec<TokenTree> = value.clone().into_iter().collect();
    tokens.iter().enumerate().find_map(|(index, token)| match token {
        TokenTree::Ident(word) if word == "env" => {
            let function = tokens.get(index + 3).map(ToString::to_string);
            let is_read = matches!(function.as_deref(), Some("var" | "var_os" | "args"));
            (is_read && is_punct(tokens.get(index + 1), ':')).then(|| word.clone())
        }
        TokenTree::Ident(word) if word == "parse" => {
            let is_method = index > 0 && is_punct(tokens.get(index - 1), '.');
            is_method.then(|| word.clone())
        }
        TokenTree::Group(group) => read_at_run_time(&group.stream()),
        _ => None,
    })
}

/// Whether an expression may name a generic parameter, of the function or of the
/// `impl` that is out of sight: `Self`, a parameter, or one capital letter.
///
/// Of a method, which is surely in an `impl`, any name alone may be one of its parameters.
fn may_be_generic(tokens: &[TokenTree], function: &Function) -> bool {
    let is_method = function.header.signature.receiver().is_some();
    if is_method && matches!(tokens, [TokenTree::Ident(_)]) {
        return true;
    }
    let is_parameter = |word: &Ident| {
        function.header.signature.generics.params.iter().any(|parameter| match parameter {
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

pub fn whole_number(literal: &Literal) -> Result<u32, String> {
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

/// The budget that a key gives: an expression, or `none`.
fn budget(arguments: &Arguments, function: &Function, errors: &mut Errors) -> Option<Budget> {
    let Argument { key, value, .. } = arguments.get(Key::Budget)?;
    let text = squeezed(value);
    if text == "none" || text == "None" {
        return Some(Budget::None);
    }
    if is_made_on_the_spot(value, "Budget") {
        errors.over(value, key.span(), messages::budget_made_on_the_spot());
    } else if matches!(duration::whole(value), Whole::Bare(_) | Whole::Unit { .. }) {
        errors.over(value, key.span(), messages::budget_is_a_number());
    }
    Some(Budget::Shared(shared(value, function)))
}

fn check_retrier(key: &Ident, value: &TokenStream, errors: &mut Errors) {
    if is_closure(value) {
        errors.over(value, key.span(), messages::retrier_is_a_closure());
    } else if is_made_on_the_spot(value, "Retrier") {
        errors.over(value, key.span(), messages::retrier_made_on_the_spot());
    }
}

fn classify(arguments: &Arguments) -> Option<Classify> {
    let value = |key| arguments.get(key).map(|argument| argument.value.clone());
    let of_result = |value| match is_closure(&value) {
        true => Classify::Closure(value),
        false => Classify::Value(value),
    };
    value(Key::Classify).map(of_result).or_else(|| value(Key::ClassifyErr).map(Classify::Error))
}

fn shared(value: &TokenStream, function: &Function) -> Shared {
    Shared { value: value.clone(), is_static: names_a_static(value, function) }
}

/// Whether a value is a constructor of `ty` alone, which makes a new one each time that it is
/// evaluated. What stands inside another expression may be kept by that.
fn is_made_on_the_spot(value: &TokenStream, ty: &str) -> bool {
    let tokens: Vec<TokenTree> = flat(value.clone());
    let and = tokens.iter().take_while(|token| is_punct(Some(token), '&')).count();
    let path = tokens[and..].iter().take_while(|token| !matches!(token, TokenTree::Group(_)));
    let path = squeezed(&path.cloned().collect());
    ["new", "from_config"].iter().any(|function| path.ends_with(&format!("{ty}::{function}")))
}

/// Whether an expression is a path whose last name is in capitals, as that of a
/// static is, and no parameter of the function.
fn names_a_static(value: &TokenStream, function: &Function) -> bool {
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
