//! The variables that tokens use: the expansion borrows a parameter only if the body uses
//! it, so that an unused one is still reported as unused.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};

use crate::tokens::{is_punct, is_word};

/// Names without their `r#`.
#[derive(Default)]
pub struct Names(HashSet<String>);

impl Names {
    /// The variables that `tokens` may use. They are not parsed, so this errs on the side of
    /// too many. Not a use are: a field (`.name`), a segment of a path (`::name`, `name::`), a
    /// key or binding (`name: ..`), a lifetime, and a name that a `let` or the parameters of a
    /// closure bind anew. Among the tokens of a macro every word is a use, also `{name}` in a
    /// string: what the macro makes of them is not known.
    pub fn used(tokens: &TokenStream) -> Names {
        let mut scan = Scan::default();
        scan.scan(tokens.clone());
        Names(scan.used)
    }

    pub fn has(&self, name: &Ident) -> bool {
        self.0.contains(&plain(name))
    }
}

fn plain(name: &Ident) -> String {
    let name = name.to_string();
    match name.strip_prefix("r#") {
        Some(plain) => plain.to_owned(),
        None => name,
    }
}

#[derive(Default)]
struct Scan {
    used: HashSet<String>,
    /// What is bound anew around the token, and how often.
    bound: HashMap<String, usize>,
}

/// What a group of tokens binds anew.
#[derive(Default)]
struct Bindings {
    /// From the next `;` on.
    by_let: Option<String>,
    /// To the end of the group.
    to_the_end: Vec<String>,
    /// To the end of a closure.
    by_closure: Vec<String>,
    /// By the parameters of a closure that are being read.
    parameters: Option<Vec<String>>,
}

impl Scan {
    fn scan(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut here = Bindings::default();
        for (index, token) in tokens.iter().enumerate() {
            let before = |back: usize| index.checked_sub(back).and_then(|i| tokens.get(i));
            match token {
                TokenTree::Punct(punct) => self.punct(punct.as_char(), before(1), &mut here),
                TokenTree::Group(group) => {
                    match is_macro(before(1), before(2), group.delimiter()) {
                        true => self.macros(group.stream()),
                        false => self.scan(group.stream()),
                    }
                }
                TokenTree::Ident(word) if is_variable(&tokens, index) => {
                    let name = plain(word);
                    if is_bound_by_let(&tokens, index) {
                        here.by_let = Some(name);
                    } else if let Some(parameters) = &mut here.parameters {
                        parameters.push(name);
                    } else if !is_key(&tokens, index) {
                        self.uses(name);
                    }
                }
                TokenTree::Ident(_) | TokenTree::Literal(_) => {}
            }
        }
        self.unbind(here.to_the_end);
        self.unbind(here.by_closure);
        // No closure's parameters after all.
        here.parameters.into_iter().flatten().for_each(|name| self.uses(name));
    }

    fn punct(&mut self, punct: char, before: Option<&TokenTree>, here: &mut Bindings) {
        match (punct, here.parameters.take()) {
            ('|', Some(parameters)) => {
                parameters.iter().for_each(|name| self.bind(name));
                here.by_closure.extend(parameters);
            }
            ('|', None) if begins_closure(before) => here.parameters = Some(Vec::new()),
            // `| A => ..` in a `match`.
            ('=' | ';', Some(parameters)) => {
                parameters.into_iter().for_each(|name| self.uses(name))
            }
            (_, Some(parameters)) => here.parameters = Some(parameters),
            (';' | ',', None) => {
                self.unbind(std::mem::take(&mut here.by_closure));
                if let Some(name) = here.by_let.take_if(|_| punct == ';') {
                    self.bind(&name);
                    here.to_the_end.push(name);
                }
            }
            _ => {}
        }
    }

    /// The tokens of a macro, or of an attribute.
    fn macros(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.macros(group.stream()),
                TokenTree::Ident(word) => self.uses(plain(&word)),
                TokenTree::Literal(literal) => {
                    let literal = literal.to_string();
                    if literal.contains('{') {
                        captured(&literal).for_each(|name| self.uses(name.to_owned()));
                    }
                }
                TokenTree::Punct(_) => {}
            }
        }
    }

    fn uses(&mut self, name: String) {
        if !self.bound.contains_key(&name) {
            self.used.insert(name);
        }
    }

    fn bind(&mut self, name: &str) {
        *self.bound.entry(name.to_owned()).or_default() += 1;
    }

    fn unbind(&mut self, names: Vec<String>) {
        for name in names {
            match self.bound.get_mut(&name) {
                Some(count) if *count > 1 => *count -= 1,
                _ => drop(self.bound.remove(&name)),
            }
        }
    }
}

/// Whether the word at `index` may be a variable: no field, segment of a path or lifetime.
fn is_variable(tokens: &[TokenTree], index: usize) -> bool {
    let before = |back: usize, wanted| {
        index.checked_sub(back).is_some_and(|index| is_punct(tokens.get(index), wanted))
    };
    let after = |on: usize, wanted| is_punct(tokens.get(index + on), wanted);
    let is_field = before(1, '.') && !before(2, '.') && !(before(2, '=') && before(3, '.'));
    let is_path = (before(1, ':') && before(2, ':')) || (after(1, ':') && after(2, ':'));
    !(is_field || is_path || before(1, '\''))
}

/// `name: ..`, in a struct or a pattern.
fn is_key(tokens: &[TokenTree], index: usize) -> bool {
    is_punct(tokens.get(index + 1), ':') && !is_punct(tokens.get(index + 2), ':')
}

/// Whether the word at `index` is all that a `let` binds: `let name`, `let mut name`. Of
/// `if let` and `while let` the name is a pattern, which may be a constant.
fn is_bound_by_let(tokens: &[TokenTree], index: usize) -> bool {
    let before = |back: usize| index.checked_sub(back).and_then(|i| tokens.get(i));
    let start = if is_word(before(1), "mut") { 2 } else { 1 };
    let is_condition = is_word(before(start + 1), "if")
        || is_word(before(start + 1), "while")
        || is_punct(before(start + 1), '&');
    let ends = |wanted| is_punct(tokens.get(index + 1), wanted);
    is_word(before(start), "let") && !is_condition && (ends('=') || ends(':') || ends(';'))
}

/// Whether a `|` after `before` opens the parameters of a closure: no value ends there.
pub fn begins_closure(before: Option<&TokenTree>) -> bool {
    match before {
        None => true,
        Some(TokenTree::Punct(punct)) => matches!(punct.as_char(), '=' | ',' | ';' | '&' | '>'),
        Some(TokenTree::Ident(word)) => word == "move" || word == "async" || word == "return",
        Some(_) => false,
    }
}

/// Whether a group is the tokens of a macro, or of an attribute: `name!(..)`, `#[..]`,
/// `macro_rules! name { .. }`.
fn is_macro(one: Option<&TokenTree>, two: Option<&TokenTree>, delimiter: Delimiter) -> bool {
    let is_named = matches!(one, Some(TokenTree::Ident(_))) && is_punct(two, '!');
    let is_call = is_punct(one, '!') && matches!(two, Some(TokenTree::Ident(_)));
    let is_attribute =
        delimiter == Delimiter::Bracket && (is_punct(one, '#') || is_punct(two, '#'));
    is_call || is_named || is_attribute
}

/// The names in the braces of a string that may be a format: `{name}`, `{name:?}`,
/// `{x:name$}`, `{x:.name$}`; not in `{{name}}`.
fn captured(literal: &str) -> impl Iterator<Item = &str> {
    let unescaped = literal.split("{{").flat_map(|part| part.split('{').skip(1));
    let braces = unescaped.map(|part| part.split('}').next().unwrap_or(part));
    braces.flat_map(|inside| inside.split(|c: char| !(c.is_alphanumeric() || c == '_')))
}

/// The first of the variables `names` that an expression surely uses: the word is no path
/// (`name::CONSTANT`, `self::CONSTANT`), macro, field or key, and nothing in the
/// expression could bind it anew.
pub fn variable(expression: &TokenStream, names: &[Ident]) -> Option<Ident> {
    let names: HashSet<String> = names.iter().map(ToString::to_string).collect();
    variable_of(expression, &names)
}

fn variable_of(expression: &TokenStream, names: &HashSet<String>) -> Option<Ident> {
    let binds = ["let", "match", "for", "fn", "const", "static", "use"];
    let is_binding = |token: &TokenTree| match token {
        TokenTree::Ident(word) => binds.iter().any(|bind| word == bind),
        TokenTree::Punct(punct) => punct.as_char() == '|',
        _ => false,
    };
    let tokens: Vec<TokenTree> = expression.clone().into_iter().collect();
    if tokens.iter().any(is_binding) {
        return None;
    }
    let before = |index: usize, wanted| index > 0 && is_punct(tokens.get(index - 1), wanted);
    let after = |index: usize, wanted| is_punct(tokens.get(index + 1), wanted);
    tokens.iter().enumerate().find_map(|(index, token)| match token {
        TokenTree::Group(group) => variable_of(&group.stream(), names),
        TokenTree::Ident(word) if names.contains(&word.to_string()) => {
            let is_part = before(index, '.') || before(index, ':') || before(index, '\'');
            let is_path = after(index, ':') || after(index, '!');
            (!is_part && !is_path).then(|| word.clone())
        }
        _ => None,
    })
}
