//! Where the tokens of an expansion are. An editor finds what a word of the user's is by the
//! tokens at its place: none of them may be another word of ours.

use proc_macro2::{Ident, TokenStream, TokenTree};

use super::expand_text;
use super::snapshots::TYPICAL;

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

#[test]
fn no_word_of_ours_has_the_place_of_a_word_of_the_users() {
    for (arguments, item) in all() {
        for word in words(expand_text(arguments, item)) {
            let Some(text) = word.span().source_text() else { continue };
            // `#[async_trait]` itself puts `__self` in the place of `self`.
            let is_renamed = word == "__self";
            let is_keyword = is_renamed || word == "mut" || word == "await" || word == "async";
            let is_name = syn::parse_str::<Ident>(&text).is_ok() || text == "self";
            if is_name && !is_keyword {
                assert_eq!(word.to_string(), text, "in `{arguments}` and `{item}`");
            }
        }
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
