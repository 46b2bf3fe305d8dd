//! Spans of the expansion's tokens. An editor finds what a word of the user's is by the
//! tokens at its place: none of them may be another word of ours.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{ImplItem, ItemImpl, Meta};

use super::snapshots::{BLOCKS, TYPICAL};
use super::{expand_block, expand_text};
use crate::expand;
use crate::keys::Key;

/// Functions and keys of every kind, beside the typical ones.
const MORE: &[(&str, &str)] = &[
    (
        "attempts = COUNT, budget = budget, classify = |r| judge(&list, r), clone(list), within = limit, deadline = end, name = LABEL, observe = |e| log(e), timer = &*timer, schedule = |n| waits[n]",
        "async fn f(budget: &Budget, mut list: Vec<u8>, limit: Duration, end: Instant, timer: &Arc<T>, waits: &[Duration]) -> Result<u8, E> { list.push(1); g(list, budget).await }",
    ),
    (
        "retrier = self.retrier, cancel = self.stop.wait(), attempt_timeout = limit, on_timeout = Err(slow(id)), attempt = this",
        "async fn f<T: Clone>(self: &mut Self, id: T, mut text: &str, sink: &mut Vec<u8>, pinned: Pin<&mut S>, limit: Duration) -> Result<T, E> { text = \"\"; self.g(id, text, sink, pinned, this.number()).await }",
    ),
    (
        "policy = POLICY, budget = { BUDGET }, classify_err = |e| e.outcome(), clone(..), schedule = Backoff::none()",
        "fn f(self: Box<Self>, a: String, (b, mut c): (String, Vec<u8>)) -> BoxFuture<'_, Result<u8, E>> { Box::pin(async move { self.g(a, b, c).await }) }",
    ),
    (
        "attempts = unlimited, budget = none, classify = Http, within = 30s",
        "async fn f(cell: Cell<u8>, _cell: Cell<u8>, _list: &mut Vec<u8>) -> BoxFuture<'static, u8> { g(cell, _cell, _list) }",
    ),
    (
        "attempts = 3, budget = self.budget, classify = classify, err = |result| text(result, id), crate = ::reexport, attempt_timeout = self.slow, on_timeout = Err(slow(id)), observe = &*self.observer",
        "async fn f(&self, id: u64) -> Result<u8, E> { self.g(id).await }",
    ),
    (
        "attempts = COUNT, budget = BUDGET, classify_err = judge, err(Debug), clone(list), name = label",
        "async fn f(list: Vec<u8>, label: &'static str) -> Result<u8, E> { g(list).await }",
    ),
    (
        "retrier = RETRIER, err, blocking, cancel = |delay| stop.recv(delay), timer = timer, within = limit",
        "fn f(stop: &Stop, mut list: &mut Vec<u8>, timer: T, limit: Option<Duration>) -> Result<u8, E> { g(list) }",
    ),
];

/// What an editor has while somebody types, and what else is mistaken.
const MISTAKEN: &[(&str, &str)] = &[
    ("budget = PA", "async fn f(&self, id: u64) -> Result<u8, E> { self.g(id).await }"),
    ("attempts = 3, budget = self.", "async fn f(&self) -> Result<u8, E> { self.g().await }"),
    ("attempts = 3, budget = PAYMENTS, classify = ", "async fn f(id: u64) -> R { g(id).await }"),
    ("attempts = 3, bud", "async fn f(mut list: Vec<u8>) -> R { g(list).await }"),
    (
        "max_retries = COUNT, budget: PAYMENTS; when = judge, timeout = limit, clone[list]",
        "async fn f(list: Vec<u8>, limit: Duration) -> R { g(list, limit).await }",
    ),
    (
        "attempts = unlimited, budget = Budget::new(10, 0.1), classify = judge, attempt = id, observe = log, err(text), name = 3",
        "async fn f(self, id: u64, mut list: Vec<u8>) -> R { g(id, list).await }",
    ),
    (
        "retrier = self.retrier, clone(other, sink), within = 30, deadline = end, cancel = stop?, schedule = wait, on_timeout = Err(E)",
        "async fn f(&mut self, sink: &mut Vec<u8>, end: Instant) -> &mut R { g(sink).await }",
    ),
    ("attempts = 3, budget = PAYMENTS, classify = judge", "fn f(id: u64) -> R { g(id) }"),
    (
        "attempts = 3, budget = PAYMENTS, classify = judge, blocking",
        "async fn f(id: u64) -> R { g(id) }",
    ),
    ("attempts = 3, budget = PAYMENTS, classify = judge", "struct S { field: u8 }"),
    ("attempts = 0, attempts = 3, budget = PAYMENTS", "async fn f(id: u64) -> R { let x = ; }"),
];

/// Keys that the methods of an `impl` share: right, incomplete and mistaken.
const IMPLS: &[(&str, &str)] = &[
    (
        "retrier = self.retrier, cancel = self.stop.cancelled(), observe = log, err",
        "impl<T: Store> Client<T> { #[retry] pub async fn get(&self, id: Id) -> R { self.fetch(id).await } #[retry(policy = POLICY, budget = DB, classify_err = judge, cancel = none, clone(list), attempt = this)] async fn put(&mut self, mut list: Vec<u8>) -> R { self.store(list, this.number()).await } }",
    ),
    (
        "budget = PA",
        "impl Client { #[retry(attempts = 3, classify = judge)] async fn get(&self, id: Id) -> R { self.fetch(id).await } #[retry(att)] async fn put(&self, list: Vec<u8>) -> R { self.store(list).await } }",
    ),
    (
        "retrier = self.retrier, name = LABEL, clone(list), bud = DB",
        "impl Client { #[retry(observe = none, within = limit)] async fn get(&self, limit: Duration) -> R { self.fetch().await } #[cfg_attr(x, retry)] async fn put(&self) -> R { self.store().await } }",
    ),
];

/// Blocks beside the typical ones: other keys, and mistakes.
const MORE_BLOCKS: &[&str] = &[
    "attempts = COUNT, budget = budget, classify = |r| judge(&list, r), clone(list), within = limit, deadline = end, name = LABEL, observe = |e| log(e), schedule = schedule, async { g(list).await }",
    "policy = POLICY, budget = { BUDGET }, classify_err = judge, err = |r| text(r), timer = timer, attempt_timeout = slow, on_timeout = Err(E), crate = ::reexport, async { g(sink).await? }",
    "budget = PA, async { g(list).await }",
    "attempts = 3, budget = PAYMENTS, classify = judge async { g(list).await }",
    "attempts = 3, bud = PAYMENTS, when = judge, async move { g(list).await }",
    "attempts = 3, budget = PAYMENTS, classify = judge, { g(list).await }",
    "attempts = 3, budget = PAYMENTS, classify = judge, list",
];

/// Every word of an expansion.
fn words(tokens: TokenStream) -> Vec<Ident> {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Group(group) => words(group.stream()),
            TokenTree::Ident(word) => vec![word],
            TokenTree::Punct(_) | TokenTree::Literal(_) => Vec::new(),
        })
        .collect()
}

fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    TYPICAL.iter().map(|(_, arguments, item)| (*arguments, *item)).chain(MORE.iter().copied())
}

/// The expansion of an `impl` and of each method that it marks.
fn expand_impl(arguments: &str, item: &str) -> Vec<TokenStream> {
    let expansion = expand_text(arguments, item);
    let file: syn::File = syn::parse2(expansion.clone()).expect("the expansion parses");
    let item = file.items.into_iter().find_map(|item| match item {
        syn::Item::Impl(item) => Some(item),
        _ => None,
    });
    let ItemImpl { items, .. } = item.expect("the impl is there");
    let mut expansions = vec![expansion];
    for mut method in items.into_iter().filter_map(|item| match item {
        ImplItem::Fn(method) => Some(method),
        _ => None,
    }) {
        let mark = method.attrs.iter().position(|attribute| attribute.path().is_ident("retry"));
        let Some(mark) = mark else { continue };
        let Meta::List(list) = method.attrs.remove(mark).meta else {
            panic!("a mark has the keys of its block");
        };
        expansions.push(expand(list.tokens, method.to_token_stream()));
    }
    expansions
}

fn assert_no_word_is_ours(expansion: TokenStream, source: &str) {
    for word in words(expansion) {
        let Some(text) = word.span().source_text() else { continue };
        // `#[async_trait]` itself puts `__self` in the place of `self`.
        let is_renamed = word == "__self";
        let is_keyword = is_renamed || word == "await" || word == "async";
        // rustc takes the place of an error of ours from the path of its macro.
        let is_of_error = word == "core" || word == "compile_error";
        let is_name = syn::parse_str::<Ident>(&text).is_ok() || text == "self";
        if is_name && !is_keyword && !is_of_error {
            assert_eq!(word.to_string(), text, "in {source}");
        }
    }
}

#[test]
fn no_word_of_ours_has_the_place_of_a_word_of_the_users() {
    for (arguments, item) in all().chain(MISTAKEN.iter().copied()) {
        let source = format!("`{arguments}` and `{item}`");
        assert_no_word_is_ours(expand_text(arguments, item), &source);
    }
}

#[test]
fn no_word_of_ours_has_the_place_of_a_word_of_an_impl_or_its_methods() {
    for (arguments, item) in IMPLS {
        let source = format!("`{arguments}` and `{item}`");
        let expansions = expand_impl(arguments, item);
        assert!(expansions.len() > 1, "no method is marked in {source}");
        for expansion in expansions {
            assert_no_word_is_ours(expansion, &source);
        }
    }
}

#[test]
fn no_word_of_ours_has_the_place_of_a_word_of_a_block() {
    for block in BLOCKS.iter().map(|(_, block)| block).chain(MORE_BLOCKS) {
        assert_no_word_is_ours(expand_block(block), &format!("`{block}`"));
    }
}

#[test]
fn every_key_is_among_those_whose_places_are_looked_at() {
    let written: Vec<Ident> = all()
        .flat_map(|(arguments, _)| words(arguments.parse().expect("it is made of tokens")))
        .collect();
    for key in Key::ALL {
        assert!(written.iter().any(|word| word == key.name()), "`{}` is missing", key.name());
    }
}

#[test]
fn no_lint_is_allowed_by_the_expansion() {
    const LEVELS: &[&str] = &["allow", "expect", "warn", "deny", "forbid"];
    for (arguments, item) in all() {
        let expansion = words(expand_text(arguments, item));
        let is_level = |word: &&Ident| LEVELS.iter().any(|level| *word == level);
        let written = words(item.parse().expect("it is made of tokens"));
        let count = |words: &[Ident]| words.iter().filter(is_level).count();
        assert!(count(&expansion) <= count(&written), "in `{arguments}` and `{item}`");
    }
}

/// rust-analyzer completes a name by an expansion with a longer one, at the same place of both.
#[test]
fn what_stands_before_a_value_does_not_depend_on_how_far_it_is_typed() {
    let place = |budget: &str| {
        let arguments = format!("attempts = 4, budget = {budget}, classify = classify");
        let expansion = expand_text(&arguments, "async fn f(id: u64) -> R { g(id).await }");
        let first = budget.split('.').next().expect("a word");
        expansion.to_string().find(first).expect("the value is in it")
    };
    assert_eq!(place("PAYM"), place("PAYMintellij"));
    assert_eq!(place("PAYM"), place("self.budget"));
}
