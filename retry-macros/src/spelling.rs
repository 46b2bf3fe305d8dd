//! Misspellings of `key = value, key = value`. Each is reported once, with the
//! correction, and read as what it means, so that nothing else is said to be wrong or missing.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

use crate::diagnostics::Errors;
use crate::duration;
use crate::keys::{Key, Takes};
use crate::mentions::begins_closure;
use crate::messages;
use crate::tokens::{is_punct, is_word, regrouped};

/// Input: `attempts: 3; classify-err = judge, within 30 s, clone[a]`
/// Output: `attempts = 3, classify_err = judge, within = 30s, clone(a)`
pub fn corrected(tokens: TokenStream, errors: &mut Errors) -> Vec<TokenTree> {
    let tokens: Vec<TokenTree> = joined(tokens, errors);
    let mut speller = Speller { errors, corrected: Vec::new(), reported: Vec::new() };
    let mut begins = true;
    let mut in_parameters = false;
    let mut index = 0;
    while index < tokens.len() {
        if std::mem::take(&mut begins) {
            index += speller.key(&tokens[index..]);
            continue;
        }
        let token = &tokens[index];
        index += 1;
        if is_punct(Some(token), '|') {
            in_parameters = !in_parameters && begins_closure(speller.corrected.last());
        }
        begins = !in_parameters && (is_punct(Some(token), ',') || is_punct(Some(token), ';'));
        if begins && is_punct(Some(token), ';') {
            speller.report(Slip::Semicolon, token.span(), messages::semicolon());
            speller.punct(',', token.span());
        } else {
            speller.corrected.push(token.clone());
        }
    }
    speller.corrected
}

/// The kinds of slip that are reported once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slip {
    Semicolon,
    Sign,
    Parentheses,
}

struct Speller<'e> {
    errors: &'e mut Errors,
    corrected: Vec<TokenTree>,
    reported: Vec<Slip>,
}

impl Speller<'_> {
    fn report(&mut self, slip: Slip, span: Span, message: String) {
        if !self.reported.contains(&slip) {
            self.reported.push(slip);
            self.errors.at(span, message);
        }
    }

    fn punct(&mut self, punct: char, span: Span) {
        let mut punct = Punct::new(punct, Spacing::Alone);
        punct.set_span(span);
        self.corrected.push(TokenTree::Punct(punct));
    }

    /// Corrects what an argument begins with: its key, and what joins it to its value. Gives
    /// the number of tokens that it has read.
    fn key(&mut self, tokens: &[TokenTree]) -> usize {
        let (word, length) = match tokens {
            [TokenTree::Ident(first), TokenTree::Punct(minus), TokenTree::Ident(second), ..]
                if minus.as_char() == '-' =>
            {
                let name = format!("{first}_{second}");
                match Key::named(&name) {
                    None => (first.clone(), 1),
                    Some(key) => {
                        let slip = tokens[..3].iter().cloned().collect();
                        let message = messages::key_with_a_hyphen(key.name());
                        self.errors.over(&slip, first.span(), message);
                        (Ident::new(&name, first.span()), 3)
                    }
                }
            }
            [TokenTree::Ident(first), ..] => (first.clone(), 1),
            [other, ..] => {
                // No key at all.
                self.corrected.push(other.clone());
                return 1;
            }
            [] => return 0,
        };
        self.corrected.push(TokenTree::Ident(word.clone()));
        length + self.sign(&word, &tokens[length..])
    }

    /// Corrects what stands between a key and its value.
    fn sign(&mut self, word: &Ident, tokens: &[TokenTree]) -> usize {
        let name = word.to_string();
        let takes = Key::named(&name).map(Key::takes);
        let ends = |at: usize| tokens.get(at).is_none() || is_end(tokens.get(at));
        match tokens {
            [TokenTree::Punct(colon), rest @ ..]
                if colon.as_char() == ':' && !is_punct(rest.first(), ':') =>
            {
                let message = messages::value_after_a_sign(&name, ":", &text_of_value(rest));
                self.report(Slip::Sign, colon.span(), message);
                self.punct('=', colon.span());
                1
            }
            [TokenTree::Punct(equals), TokenTree::Punct(more), rest @ ..]
                if equals.as_char() == '='
                    && equals.spacing() == Spacing::Joint
                    && more.as_char() == '>' =>
            {
                let message = messages::value_after_a_sign(&name, "=>", &text_of_value(rest));
                self.report(Slip::Sign, equals.span(), message);
                self.punct('=', equals.span());
                2
            }
            [TokenTree::Group(group), ..] if ends(1) => self.list(&name, takes, group),
            [TokenTree::Literal(_) | TokenTree::Ident(_), rest @ ..]
                if takes.is_some_and(has_value) && !is_punct(rest.first(), '=') =>
            {
                let message = messages::equals_missing(&name, &text_of_value(tokens));
                self.errors.at(word.span(), message);
                self.punct('=', word.span());
                0
            }
            _ => 0,
        }
    }

    /// Corrects `attempts(3)` and `clone[a]`.
    fn list(&mut self, name: &str, takes: Option<Takes>, group: &Group) -> usize {
        let is_list = group.delimiter() == Delimiter::Parenthesis;
        match takes {
            Some(Takes::List) if !is_list && group.delimiter() != Delimiter::None => {
                self.errors.at(group.span(), messages::clone_is_a_list());
                let mut list = Group::new(Delimiter::Parenthesis, group.stream());
                list.set_span(group.span());
                self.corrected.push(TokenTree::Group(list));
                1
            }
            Some(takes) if is_list && has_value(takes) && !group.stream().is_empty() => {
                let message = messages::value_in_parentheses(name, &group.stream().to_string());
                self.report(Slip::Parentheses, group.span(), message);
                self.punct('=', group.span());
                self.corrected.extend(group.stream());
                1
            }
            _ => 0,
        }
    }
}

/// Whether a key takes a value after `=`, and nothing else.
fn has_value(takes: Takes) -> bool {
    !matches!(takes, Takes::List | Takes::Nothing | Takes::Reason)
}

/// The value that tokens begin with, if it is short.
fn text_of_value(tokens: &[TokenTree]) -> String {
    match tokens {
        [value @ (TokenTree::Literal(_) | TokenTree::Ident(_)), rest @ ..]
            if rest.is_empty() || is_end(rest.first()) =>
        {
            value.to_string()
        }
        _ => "..".to_owned(),
    }
}

fn is_end(token: Option<&TokenTree>) -> bool {
    is_punct(token, ',') || is_punct(token, ';')
}

/// Input: `within = 30 s` Output: `within = 30s`
fn joined(tokens: TokenStream, errors: &mut Errors) -> Vec<TokenTree> {
    let mut joined_tokens: Vec<TokenTree> = Vec::new();
    let mut is_macro = false;
    for token in tokens {
        let is_next_of_macro = is_punct(Some(&token), '!');
        match (&token, joined_tokens.last()) {
            (TokenTree::Ident(unit), Some(TokenTree::Literal(number)))
                if duration::UNITS.iter().any(|known| is_word(Some(&token), known)) =>
            {
                let text = format!("{number}{unit}");
                if number.to_string().bytes().all(|byte| byte.is_ascii_digit() || byte == b'_') {
                    if let Ok(mut whole) = text.parse::<Literal>() {
                        let slip = TokenStream::from_iter([
                            TokenTree::Literal(number.clone()),
                            token.clone(),
                        ]);
                        errors.over(&slip, number.span(), messages::unit_apart(&text));
                        whole.set_span(number.span());
                        joined_tokens.pop();
                        joined_tokens.push(TokenTree::Literal(whole));
                        continue;
                    }
                }
                joined_tokens.push(token);
            }
            // What a macro makes of them is not known.
            (TokenTree::Group(group), _) if !is_macro => {
                let inner = joined(group.stream(), errors).into_iter().collect();
                joined_tokens.push(TokenTree::Group(regrouped(group, inner)));
            }
            _ => joined_tokens.push(token),
        }
        is_macro = is_next_of_macro;
    }
    joined_tokens
}
