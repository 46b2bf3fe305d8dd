//! The attribute on an `impl`: keys that its marked methods share.
//!
//! The methods are not parsed. A method is marked by `#[retry]` or `#[retry(..)]`, whose
//! arguments get the keys of the block; the attribute of the method does the rest.
//!
//! Input:
//! ```text
//! #[retry(retrier = self.retrier, cancel = self.stop.cancelled())]
//! impl Client {
//!     #[retry]
//!     async fn get(&self) -> Result<Page, Error> { .. }
//!     #[retry(attempts = 1, cancel = none)]
//!     async fn flush(&self) -> Result<(), Error> { .. }
//! }
//! ```
//! Output:
//! ```text
//! impl Client {
//!     #[retry(retrier = self.retrier, cancel = self.stop.cancelled())]
//!     #[rustfmt::retry_shared_keys]
//!     async fn get(&self) -> Result<Page, Error> { .. }
//!     #[retry(attempts = 1, retrier = self.retrier)]
//!     #[rustfmt::retry_shared_keys]
//!     async fn flush(&self) -> Result<(), Error> { .. }
//! }
//! ```
//! The method's own attribute takes the one of rustfmt's away.

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, TokenStream, TokenTree};
use syn::Attribute;

use crate::arguments::{self, Arguments};
use crate::attributes::INERT;
use crate::diagnostics::Errors;
use crate::keys::Key;
use crate::marks;
use crate::messages;
use crate::rules;
use crate::tokens::{is_braces, is_punct, is_word, regrouped, squeezed, word_in};

/// The keyword, if the item is an `impl`.
pub fn keyword(item: &TokenStream) -> Option<Ident> {
    let mut words = item.clone().into_iter().filter_map(|token| match token {
        TokenTree::Ident(word) => Some(word),
        _ => None,
    });
    let first = words.find(|word| word != "unsafe" && word != "default")?;
    (first == "impl").then_some(first)
}

/// Hands the keys of the block to the marked methods. Where something is wrong, each method is
/// as it came, with the values of its keys where nothing runs them, and an error for each mistake.
pub fn expand(tokens: TokenStream, item: TokenStream, keyword: &Ident) -> TokenStream {
    let mut errors = Errors::default();
    let arguments = Arguments::parse(tokens.clone(), &mut errors);
    check(&arguments, &mut errors);
    let mut item: Vec<TokenTree> = item.into_iter().collect();
    let Some(TokenTree::Group(body)) = item.pop() else {
        return errors.beside(item.into_iter().collect());
    };
    let tokens = tokens.into_iter().collect();
    let mut methods = Methods { arguments, tokens, errors, has_mark: false, is_right: true };
    let mut changed = methods.changed(&body);
    if !methods.has_mark {
        methods.errors.at(keyword.span(), messages::impl_without_mark());
    }
    if !methods.errors.is_empty() {
        methods.is_right = false;
        let errors = std::mem::take(&mut methods.errors);
        changed = methods.changed(&body);
        methods.errors = errors;
    }
    item.push(TokenTree::Group(regrouped(&body, changed)));
    methods.errors.beside(item.into_iter().collect())
}

/// The mistakes in a method's arguments that the annotated `impl` around it has reported.
pub fn reported(attributes: &[Attribute], arguments: &TokenStream) -> Errors {
    let mut errors = Errors::default();
    let Some(own) = marks::reported(attributes) else { return errors };
    let tokens: Vec<TokenTree> = arguments.clone().into_iter().collect();
    let parts = arguments::split(&tokens);
    let shared = joined(parts.into_iter().skip(own).map(|part| part.iter().cloned().collect()));
    let shared = Arguments::parse(shared, &mut errors);
    rules::check_shared(&shared, &mut errors);
    errors
}

/// What is wrong with the keys of the block whatever the methods are.
fn check(arguments: &Arguments, errors: &mut Errors) {
    if arguments.is_empty {
        return errors.at(rules::attribute(), messages::impl_without_keys());
    }
    for (key, argument) in arguments.iter().filter(|(key, _)| key.is_of_one_function()) {
        errors.at(argument.key.span(), messages::key_of_one_function(*key));
    }
    rules::check_shared(arguments, errors);
}

struct Methods {
    /// The keys of the block, and as the tokens they came in.
    arguments: Arguments,
    tokens: Vec<TokenTree>,
    errors: Errors,
    has_mark: bool,
    is_right: bool,
}

impl Methods {
    /// The items of the block, with other arguments for each mark.
    fn changed(&mut self, body: &Group) -> TokenStream {
        let tokens: Vec<TokenTree> = body.stream().into_iter().collect();
        let mut changed = TokenStream::new();
        let mut index = 0;
        let mut may_be_marked = false;
        let mut is_marked = false;
        while index < tokens.len() {
            match (&tokens[index], tokens.get(index + 1)) {
                (TokenTree::Punct(pound), Some(TokenTree::Group(attribute)))
                    if pound.as_char() == '#' && attribute.delimiter() == Delimiter::Bracket =>
                {
                    if is_hidden_mark(attribute) && !self.is_right {
                        // Its error was reported.
                    } else if !is_mark(attribute) {
                        may_be_marked |= self.may_be_mark(attribute);
                        changed.extend([tokens[index].clone(), tokens[index + 1].clone()]);
                    } else {
                        is_marked = true;
                        let (merged, own) = self.merged(attribute);
                        changed.extend([tokens[index].clone(), merged]);
                        changed.extend(marks::seen());
                        if !self.is_right {
                            changed.extend(marks::has_errors(attribute.span(), own));
                        }
                    }
                    index += 2;
                    continue;
                }
                (token, _) => {
                    let begins = index == 0
                        || matches!(&tokens[index - 1], before if is_braces(before)
                            || is_punct(Some(before), ';') || is_attribute(before));
                    if begins && may_be_marked && !is_marked && self.is_right {
                        changed.extend(marks::unseen(token.span()));
                    }
                    if begins {
                        self.has_mark |= is_marked;
                        (may_be_marked, is_marked) = (false, false);
                    }
                    changed.extend([token.clone()]);
                }
            }
            index += 1;
        }
        changed
    }

    /// Whether an attribute may be a mark that cannot be seen; reports one that surely is.
    fn may_be_mark(&mut self, attribute: &Group) -> bool {
        let Some(TokenTree::Ident(first)) = attribute.stream().into_iter().next() else {
            return true;
        };
        if first == "cfg_attr" {
            if let Some(word) = word_in(&attribute.stream(), "retry") {
                self.errors.at(word.span(), messages::mark_in_cfg_attr());
            }
        }
        first != "cfg" && !INERT.iter().any(|inert| first == inert)
    }

    /// Input: `#[retry(attempts = 1, cancel = none)]`
    /// Output: `#[retry(attempts = 1, retrier = self.retrier)]`, of which the first is its own
    fn merged(&mut self, attribute: &Group) -> (TokenTree, usize) {
        let list = list_of(attribute);
        let given = list.as_ref().map(Group::stream).unwrap_or_default();
        // What is wrong with them is said where the method's own attribute expands.
        let own = Arguments::parse(given.clone(), &mut Errors::default());
        let tokens: Vec<TokenTree> = given.into_iter().collect();
        let mut merged: Vec<TokenStream> = Vec::new();
        let mut switched_off: Vec<Key> = Vec::new();
        for part in arguments::split(&tokens) {
            match switched_off_by(part) {
                None => merged.push(part.iter().cloned().collect()),
                Some((key, _)) if self.arguments.has(key) => switched_off.push(key),
                Some((key, word)) => {
                    self.errors.at(word.span(), messages::nothing_to_switch_off(key));
                }
            }
        }
        let number = merged.len();
        for part in arguments::split(&self.tokens) {
            // What is no key is reported, and may be meant for one that would be missing.
            let is_shared = key_of(part).map_or(!self.is_right, |key| {
                let is_replaced = key.group().iter().any(|other| own.means(*other));
                !is_replaced && !key.is_of_one_function() && !switched_off.contains(&key)
            });
            if is_shared {
                merged.push(part.iter().cloned().collect());
            }
        }
        let arguments = joined(merged);
        let arguments = match list {
            Some(list) => regrouped(&list, arguments),
            None => Group::new(Delimiter::Parenthesis, arguments),
        };
        let path = attribute.stream().into_iter().take_while(|t| !matches!(t, TokenTree::Group(_)));
        let mut tokens: TokenStream = path.collect();
        tokens.extend([TokenTree::Group(arguments)]);
        (TokenTree::Group(regrouped(attribute, tokens)), number)
    }
}

/// Parts with a comma between each two.
fn joined(parts: impl IntoIterator<Item = TokenStream>) -> TokenStream {
    let mut joined = TokenStream::new();
    for part in parts {
        if !joined.is_empty() {
            joined.extend([TokenTree::Punct(Punct::new(',', Spacing::Alone))]);
        }
        joined.extend(part);
    }
    joined
}

fn is_attribute(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket)
}

/// Whether an attribute is a mark, `#[retry]` or `#[retry(..)]`, and no other crate's of the same
/// name.
fn is_mark(attribute: &Group) -> bool {
    let path = attribute.stream().into_iter().take_while(|token| match token {
        TokenTree::Ident(_) => true,
        TokenTree::Punct(punct) => punct.as_char() == ':',
        _ => false,
    });
    let path = squeezed(&path.collect());
    path == "retry" || path.trim_start_matches("::") == "retry_runtime::retry"
}

/// Whether an attribute is a mark inside `cfg_attr`.
fn is_hidden_mark(attribute: &Group) -> bool {
    is_word(attribute.stream().into_iter().next().as_ref(), "cfg_attr")
        && word_in(&attribute.stream(), "retry").is_some()
}

/// The list of `#[retry(..)]`.
fn list_of(attribute: &Group) -> Option<Group> {
    match attribute.stream().into_iter().last() {
        Some(TokenTree::Group(list)) if list.delimiter() == Delimiter::Parenthesis => Some(list),
        _ => None,
    }
}

fn key_of(part: &[TokenTree]) -> Option<Key> {
    match part.first() {
        Some(TokenTree::Ident(key)) => Key::named(key.to_string().trim_start_matches("r#")),
        _ => None,
    }
}

/// The key of `key = none`, and the word. `budget = none` is a value.
fn switched_off_by(part: &[TokenTree]) -> Option<(Key, Ident)> {
    let [_, TokenTree::Punct(equals), TokenTree::Ident(none)] = part else { return None };
    let key = key_of(part).filter(|key| *key != Key::Budget && !key.is_of_one_function())?;
    (equals.as_char() == '=' && none == "none").then(|| (key, none.clone()))
}
