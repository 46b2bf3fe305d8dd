//! Durations with a unit, such as `250ms`: literals that rustc's lexer accepts
//! and its parser does not, rewritten before it sees them.

use proc_macro2::{Delimiter, Group, Literal, Span, TokenStream, TokenTree};
use quote::quote_spanned;

use crate::diagnostics::Errors;
use crate::messages;
use crate::names::Names;
use crate::tokens::replaced;

/// The suffixes that Rust's own numbers have.
const RUST: &[&str] = &[
    "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f16",
    "f32", "f64", "f128",
];

/// The units that a duration may have.
pub const UNITS: [&str; 6] = ["ns", "us", "ms", "s", "m", "h"];

/// A literal with a suffix that is not Rust's: a number and a unit.
enum Unit {
    /// The constructor of `Duration`, and its argument.
    Known(&'static str, u64),
    Wrong(String),
}

/// Reads a literal as a duration; `None` if it is an ordinary Rust literal.
fn unit(literal: &Literal) -> Option<Unit> {
    let text = literal.to_string();
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let decimal = text.find(|c: char| !(c.is_ascii_digit() || c == '_')).unwrap_or(text.len());
    let (digits, suffix) = text.split_at(decimal);
    if suffix.is_empty() || RUST.contains(&suffix) {
        return None;
    }
    if suffix.starts_with('.') || suffix.starts_with('e') || suffix.starts_with('E') {
        // A float: wrong only if what follows the number is no suffix of Rust's.
        let name = suffix.trim_start_matches(|c: char| {
            c.is_ascii_digit() || matches!(c, '.' | '_' | 'e' | 'E' | '+' | '-')
        });
        let is_rust = name.is_empty() || RUST.contains(&name);
        return (!is_rust).then(|| Unit::Wrong(messages::fraction_of_unit(&text)));
    }
    if digits == "0" && matches!(suffix.as_bytes()[0], b'x' | b'o' | b'b') {
        let name = suffix[1..].trim_start_matches(|c: char| c.is_ascii_hexdigit() || c == '_');
        let is_rust = name.is_empty() || RUST.contains(&name);
        return (!is_rust).then(|| Unit::Wrong(messages::decimal_only(&text)));
    }
    let (constructor, factor) = match suffix.trim_start_matches('_') {
        "ns" => ("from_nanos", 1),
        "us" => ("from_micros", 1),
        "ms" => ("from_millis", 1),
        "s" => ("from_secs", 1),
        "m" => ("from_secs", 60),
        "h" => ("from_secs", 3600),
        other => return Some(Unit::Wrong(messages::unknown_unit(&digits.replace('_', ""), other))),
    };
    let number = digits.replace('_', "").parse::<u64>().ok();
    Some(match number.and_then(|number| number.checked_mul(factor)) {
        Some(number) => Unit::Known(constructor, number),
        None => Unit::Wrong(messages::duration_too_long(&text)),
    })
}

/// Reports every literal in `value` whose unit is wrong.
pub fn check(value: &TokenStream, errors: &mut Errors) {
    for token in value.clone() {
        match token {
            TokenTree::Group(group) => check(&group.stream(), errors),
            TokenTree::Literal(literal) => {
                if let Some(Unit::Wrong(message)) = unit(&literal) {
                    errors.at(literal.span(), message);
                }
            }
            _ => {}
        }
    }
}

/// Whether `value` is one literal, with its duration if it has a unit.
pub enum Whole {
    /// `30s`, or `0s`.
    Unit { is_zero: bool },
    /// `5`, a number without a unit.
    Bare(Literal),
    /// `-30s`.
    Negative,
    /// An expression.
    Other,
}

/// What a string holds, if `value` is one.
pub fn quoted(value: &TokenStream) -> Option<String> {
    syn::parse2::<syn::LitStr>(value.clone()).ok().map(|text| text.value())
}

/// Whether a text is a duration as it is written here, of more than zero.
pub fn is_duration(text: &str) -> bool {
    text.parse().is_ok_and(|value| matches!(whole(&value), Whole::Unit { is_zero: false }))
}

/// Looks at a value that should be a duration.
pub fn whole(value: &TokenStream) -> Whole {
    let tokens: Vec<TokenTree> = value.clone().into_iter().collect();
    match tokens.as_slice() {
        [TokenTree::Literal(literal)] => match unit(literal) {
            Some(Unit::Known(_, number)) => Whole::Unit { is_zero: number == 0 },
            Some(Unit::Wrong(_)) => Whole::Other,
            None if literal.to_string().starts_with(|c: char| c.is_ascii_digit()) => {
                Whole::Bare(literal.clone())
            }
            None => Whole::Other,
        },
        [TokenTree::Punct(minus), TokenTree::Literal(literal)]
            if minus.as_char() == '-'
                && literal.to_string().starts_with(|c: char| c.is_ascii_digit()) =>
        {
            Whole::Negative
        }
        _ => Whole::Other,
    }
}

/// Input: `Backoff::constant(200ms)`
/// Output: `Backoff::constant(::retry_runtime::__private::Duration::from_millis(200))`
pub fn rewritten(value: TokenStream, names: &Names) -> TokenStream {
    replaced(value, &|token| {
        let TokenTree::Literal(literal) = token else { return None };
        let (constructor, number) = match unit(literal)? {
            Unit::Known(constructor, number) => (constructor, number),
            // It was reported: beside the error stands a duration all the same.
            Unit::Wrong(_) => ("from_secs", 0),
        };
        let call = constructed(literal.span(), constructor, number, names);
        // One expression, whatever stands around it.
        let mut group = Group::new(Delimiter::None, call);
        group.set_span(names.at(literal.span()));
        Some(TokenTree::Group(group).into())
    })
}

fn constructed(span: Span, constructor: &str, number: u64, names: &Names) -> TokenStream {
    let span = names.at(span);
    let runtime = names.runtime(span);
    let constructor = proc_macro2::Ident::new(constructor, span);
    let number = Literal::u64_unsuffixed(number);
    quote_spanned!(span=> #runtime::Duration::#constructor(#number))
}
