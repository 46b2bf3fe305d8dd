//! The arguments of the attribute.
//!
//! The tokens are split by hand and the values kept as they came: a value that
//! does not parse is rustc's to report, at the user's own tokens, and half-typed
//! arguments must not cost the errors of the rest.

use proc_macro2::{Delimiter, Ident, Spacing, Span, TokenStream, TokenTree};

use crate::diagnostics::Errors;
use crate::keys::{Key, Meant, Takes, meant_by};
use crate::messages;
use crate::spelling;
use crate::tokens::{flat, is_punct, is_word, ungrouped};

/// The arguments, each key at most once.
#[derive(Default)]
pub struct Arguments {
    given: Vec<(Key, Argument)>,
    /// Keys that were meant by misspelt ones: not to be reported as missing.
    meant: Vec<Key>,
    /// The values of keys that are none, or were given before.
    unused: Vec<TokenStream>,
    /// Whether there was nothing at all.
    pub is_empty: bool,
    /// Whether the last word has no value yet: what is missing is still to come.
    pub is_half_typed: bool,
    /// Whether there were values alone, which is reported.
    pub is_without_keys: bool,
}

/// One `key = value`, or `clone(..)`.
#[derive(Clone)]
pub struct Argument {
    /// The key, as the user's token.
    pub key: Ident,
    /// The value, without the groups that a `macro_rules!` fragment puts around it.
    pub value: TokenStream,
    /// Whether it is a list in parentheses, without `=`.
    pub is_list: bool,
}

impl Argument {
    /// Where to report a mistake in the value.
    pub fn span(&self) -> Span {
        self.value.clone().into_iter().next().map_or(self.key.span(), |token| token.span())
    }
}

impl Arguments {
    /// Input: `attempts = 4, budget = PAYMENTS, clone(a, b)`
    /// Output: the values by key.
    pub fn parse(tokens: TokenStream, errors: &mut Errors) -> Arguments {
        let tokens = spelling::corrected(tokens, errors);
        let parts = split(&tokens);
        if parts.first().is_some_and(|part| begins_without_a_key(part))
            && !tokens.iter().any(|token| is_punct(Some(token), '='))
        {
            let all = tokens.iter().cloned().collect();
            errors.over(&all, Span::call_site(), messages::not_a_key());
            return Arguments { is_without_keys: true, ..Arguments::default() };
        }
        let mut arguments = Arguments {
            is_empty: tokens.is_empty(),
            is_half_typed: matches!(parts.last(), Some([TokenTree::Ident(word)]) if !stands_alone(word)),
            ..Arguments::default()
        };
        for mut part in parts {
            while let Some(index) = missing_comma(part) {
                let (argument, rest) = part.split_at(index);
                errors.at(rest[0].span(), messages::missing_comma(&rest[0].to_string()));
                arguments.add(argument, errors);
                part = rest;
            }
            arguments.add(part, errors);
        }
        arguments
    }

    pub fn get(&self, key: Key) -> Option<&Argument> {
        self.given.iter().find(|(given, _)| *given == key).map(|(_, argument)| argument)
    }

    pub fn has(&self, key: Key) -> bool {
        self.get(key).is_some()
    }

    /// Whether the key was given, if only misspelt.
    pub fn means(&self, key: Key) -> bool {
        self.has(key) || self.meant.contains(&key)
    }

    /// Every value, with its key.
    pub fn iter(&self) -> impl Iterator<Item = &(Key, Argument)> {
        self.given.iter()
    }

    /// The values that no key has.
    pub fn unused(&self) -> &[TokenStream] {
        &self.unused
    }

    fn add(&mut self, part: &[TokenTree], errors: &mut Errors) {
        let [TokenTree::Ident(key), rest @ ..] = part else {
            let tokens: TokenStream = part.iter().cloned().collect();
            // A number alone is one of attempts.
            self.meant.extend(literal_number(&tokens).map(|_| Key::Attempts));
            return errors.over(&tokens, Span::call_site(), messages::not_a_key());
        };
        let (has_equals, value) = match rest {
            [TokenTree::Punct(equals), value @ ..] if equals.as_char() == '=' => (true, value),
            [TokenTree::Group(list)] if list.delimiter() == Delimiter::Parenthesis => (false, rest),
            _ => (false, rest),
        };
        let value = ungrouped(value.iter().cloned().collect());
        let name = key.to_string();
        let Some(known) = Key::named(name.trim_start_matches("r#")) else {
            let meant = meant_by(&name);
            self.unused.extend(has_equals.then(|| value.clone()));
            self.meant.extend(meant.into_iter().flat_map(Meant::keys));
            let number = literal_number(&value);
            return errors.at(key.span(), messages::unknown_key(&name, meant, number));
        };
        if self.has(known) {
            self.unused.extend(has_equals.then_some(value));
            return errors.at(key.span(), messages::repeated_key(known));
        }
        self.meant.push(known);
        let is_list = matches!(rest, [TokenTree::Group(_)]);
        match (known.takes(), has_equals, is_list) {
            (Takes::List, false, true) => {}
            (Takes::List, ..) => return errors.at(key.span(), messages::clone_is_a_list()),
            (Takes::Nothing, false, false) if value.is_empty() => {}
            (Takes::Nothing, ..) => {
                return errors.at(key.span(), messages::blocking_has_no_value());
            }
            (Takes::Reason, false, _) if rest.is_empty() || is_list => {}
            (_, true, _) if !value.is_empty() => {}
            _ => return errors.at(key.span(), messages::no_value(known)),
        }
        self.given
            .push((known, Argument { key: key.clone(), value, is_list: is_list && !has_equals }));
    }
}

/// Whether an argument begins with something else than a word.
fn begins_without_a_key(part: &[TokenTree]) -> bool {
    !matches!(part.first(), Some(TokenTree::Ident(_)))
}

/// Whether a key is complete without a value.
fn stands_alone(word: &Ident) -> bool {
    Key::named(&word.to_string())
        .is_some_and(|key| matches!(key.takes(), Takes::Nothing | Takes::Reason))
}

/// A value that is one number, such as `3` or `3u32`.
fn literal_number(value: &TokenStream) -> Option<u64> {
    syn::parse2::<syn::LitInt>(value.clone()).ok()?.base10_parse().ok()
}

/// Splits at the commas between arguments, which are not those between the
/// parameters of a closure or between generic arguments: an argument starts with
/// a word and `=`, a word and a list, or a lone word.
pub fn split(tokens: &[TokenTree]) -> Vec<&[TokenTree]> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut index = 0;
    while index < tokens.len() {
        if is_punct(tokens.get(index), '|') && begins_closure(tokens, start, index) {
            // To the end of the parameters.
            index += 1;
            while index < tokens.len() && !is_punct(tokens.get(index), '|') {
                index += 1;
            }
        } else if is_punct(tokens.get(index), '<') && opens_generics(tokens, index) {
            index = end_of_generics(tokens, index);
        } else if is_punct(tokens.get(index), ',') && starts_argument(&tokens[index + 1..]) {
            parts.push(&tokens[start..index]);
            start = index + 1;
        }
        index += 1;
    }
    parts.push(&tokens[start..]);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Whether a `|` at `index` opens the parameters of a closure: it stands at the
/// start of the value, but for `move` and the like.
fn begins_closure(tokens: &[TokenTree], start: usize, index: usize) -> bool {
    let value = tokens.get(start + 2..index).unwrap_or_default();
    value.iter().all(|token| matches!(token, TokenTree::Ident(word) if word == "move" || word == "async" || word == "static"))
}

/// Whether the `<` at `index` is no comparison, which has a value before it: it
/// stands after `::`, or begins a path such as `<T as Trait>::new`.
fn opens_generics(tokens: &[TokenTree], index: usize) -> bool {
    matches!(tokens.get(index.wrapping_sub(1)), Some(TokenTree::Punct(before))
        if !matches!(before.as_char(), '<' | '>' | '?'))
}

/// Where a key begins in the middle of a value, because the comma before it is
/// missing: `within = 1s attempts = 4`.
fn missing_comma(part: &[TokenTree]) -> Option<usize> {
    (3..part.len()).find(|&index| {
        let TokenTree::Ident(key) = &part[index] else { return false };
        let binds = |word: &Ident| word == "let" || word == "mut" || word == "ref";
        let ends_value = match &part[index - 1] {
            TokenTree::Punct(punct) => matches!(punct.as_char(), '?' | '>'),
            TokenTree::Ident(word) => !binds(word),
            _ => true,
        };
        ends_value
            && Key::named(&key.to_string()).is_some()
            && is_punct(part.get(index + 1), '=')
            && starts_argument(&part[index..])
    })
}

/// The index of the `>` that closes the `<` at `open`.
fn end_of_generics(tokens: &[TokenTree], open: usize) -> usize {
    let mut depth = 0_usize;
    let mut index = open;
    while index < tokens.len() {
        if is_punct(tokens.get(index), '<') {
            depth += 1;
        } else if is_punct(tokens.get(index), '>') && !ends_arrow(tokens, index) {
            depth -= 1;
            if depth == 0 {
                return index;
            }
        }
        index += 1;
    }
    open
}

fn ends_arrow(tokens: &[TokenTree], index: usize) -> bool {
    matches!(tokens.get(index.wrapping_sub(1)), Some(TokenTree::Punct(before))
        if before.spacing() == Spacing::Joint && matches!(before.as_char(), '-' | '='))
}

fn starts_argument(rest: &[TokenTree]) -> bool {
    match rest {
        [] | [TokenTree::Ident(_)] => true,
        [TokenTree::Ident(_), TokenTree::Punct(equals), ..] if equals.as_char() == '=' => {
            equals.spacing() == Spacing::Alone
                || !matches!(rest.get(2), Some(TokenTree::Punct(next)) if matches!(next.as_char(), '=' | '>'))
        }
        [TokenTree::Ident(_), TokenTree::Group(list), ..] => {
            list.delimiter() == Delimiter::Parenthesis && ends_argument(&rest[2..])
        }
        [TokenTree::Ident(_), rest @ ..] => ends_argument(rest),
        _ => false,
    }
}

fn ends_argument(rest: &[TokenTree]) -> bool {
    rest.is_empty() || is_punct(rest.first(), ',')
}

/// The words of a list such as `clone(a, b)`; `None` for `clone(..)`, and the
/// first token that is neither a word nor a comma as an error. A `mut` before a word
/// is a rule's to report.
pub fn words(list: &TokenStream) -> Result<Option<Vec<Ident>>, Span> {
    let Some(TokenTree::Group(group)) = list.clone().into_iter().next() else {
        return Ok(Some(Vec::new()));
    };
    let mut tokens = flat(group.stream());
    tokens.retain(|token| !is_word(Some(token), "mut"));
    if tokens.len() == 2 && tokens.iter().all(|token| is_punct(Some(token), '.')) {
        return Ok(None);
    }
    let mut words = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(word) if index % 2 == 0 => words.push(word.clone()),
            TokenTree::Punct(comma) if index % 2 == 1 && comma.as_char() == ',' => {}
            other => return Err(other.span()),
        }
    }
    Ok(Some(words))
}

/// The first `mut` in a list such as `clone(mut a)`, and the word after it.
pub fn mutable_word(list: &TokenStream) -> Option<(Ident, Ident)> {
    let Some(TokenTree::Group(group)) = list.clone().into_iter().next() else { return None };
    flat(group.stream()).windows(2).find_map(|pair| match pair {
        [TokenTree::Ident(first), TokenTree::Ident(word)] if first == "mut" => {
            Some((first.clone(), word.clone()))
        }
        _ => None,
    })
}
