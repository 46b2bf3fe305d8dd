//! Token streams that nobody would write: no panic, no hang, and the item is there.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use proptest::prelude::*;

use crate::expand;
use crate::keys::Key;

/// Words that mean something to the attribute, and a few that do not.
const WORDS: &[&str] = &[
    "unlimited",
    "none",
    "None",
    "max_retries",
    "timeout",
    "self",
    "Self",
    "move",
    "PAYMENTS",
    "async",
    "fn",
    "mut",
    "impl",
    "const",
    "x",
    "pin",
    "Box",
    "let",
    "__ret",
];

const LITERALS: &[&str] = &[
    "0",
    "4",
    "30s",
    "250ms",
    "1d",
    "2.5",
    "2.5s",
    "0x10s",
    "\"three\"",
    "5_000_000_000",
    "'c'",
    "1e3s",
    "7u32",
    "99999999999999999999h",
];

/// A key, or another word.
fn word() -> impl Strategy<Value = &'static str> {
    let keys = Key::ALL.iter().map(|key| key.name());
    proptest::sample::select(keys.chain(WORDS.iter().copied()).collect::<Vec<_>>())
}

fn token() -> impl Strategy<Value = TokenTree> {
    let leaf = prop_oneof![
        6 => word()
            .prop_map(|word| TokenTree::Ident(Ident::new(word, Span::call_site()))),
        3 => proptest::sample::select(LITERALS)
            .prop_map(|literal| TokenTree::Literal(literal.parse::<Literal>().unwrap())),
        6 => (proptest::sample::select(&['=', ',', '.', ':', '|', '<', '>', '&', '-', '#', '!', '$', '?', ';'][..]), any::<bool>())
            .prop_map(|(punct, joint)| {
                let spacing = if joint { Spacing::Joint } else { Spacing::Alone };
                TokenTree::Punct(Punct::new(punct, spacing))
            }),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        let delimiter = proptest::sample::select(
            &[Delimiter::Parenthesis, Delimiter::Brace, Delimiter::Bracket, Delimiter::None][..],
        );
        (delimiter, proptest::collection::vec(inner, 0..6)).prop_map(|(delimiter, tokens)| {
            TokenTree::Group(Group::new(delimiter, tokens.into_iter().collect()))
        })
    })
}

fn tokens(length: usize) -> impl Strategy<Value = TokenStream> {
    proptest::collection::vec(token(), 0..length).prop_map(|tokens| tokens.into_iter().collect())
}

/// Arguments that are nearly right: every key, with a value that may be anything.
fn arguments() -> impl Strategy<Value = TokenStream> {
    let argument = (word(), tokens(4));
    proptest::collection::vec(argument, 0..8).prop_map(|arguments| {
        let mut stream = TokenStream::new();
        for (key, value) in arguments {
            let key = Ident::new(key, Span::call_site());
            stream.extend(quote::quote!(#key = #value,));
        }
        stream
    })
}

const FUNCTIONS: &[&str] = &[
    "async fn f() {}",
    "pub(crate) async fn f(&self, x: String, mut y: Vec<u8>) -> Result<u8, E> { x; y. }",
    "async fn f<'a, T: Clone, const N: usize>(&mut self, (a, b): (T, [u8; N])) -> &'a u8 where T: 'a { }",
    "fn f(x: u8) -> BoxFuture<'static, u8> { Box::pin(async move { x }) }",
    "fn f(x: u8) -> impl Future<Output = u8> { async { x } }",
    "fn f(x: u8) -> Pin<Box<dyn Future<Output = R> + Send>> { Box::pin(async move { let x = x; let __ret: R = { x }; __ret }) }",
    "async fn f(&self);",
    "const fn f() -> ! { loop {} }",
    "#[retry(attempts = 3)] unsafe async extern \"C\" fn f(self: Pin<&mut Self>, #[cfg(x)] _: &dyn A) -> impl B { return }",
    "struct S { a: u8 }",
];

/// What every expansion must be: tokens that parse as items, unless the item that
/// came in does not.
fn check(arguments: TokenStream, item: TokenStream) {
    let parses = syn::parse2::<syn::File>(item.clone()).is_ok();
    let name = item.clone().into_iter().any(|token| token.to_string() == "f");
    let expansion = expand(arguments, item);
    if name {
        assert!(expansion.clone().into_iter().any(|token| token.to_string() == "f"), "{expansion}");
    }
    if parses {
        let text = expansion.to_string();
        // A user's value may be nonsense, and is rustc's to report: only the
        // tokens of our own must parse, so nonsense is cut out by the errors.
        if text.contains("compile_error") {
            syn::parse2::<syn::File>(expansion).unwrap_or_else(|error| panic!("{error}: {text}"));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_arguments_on_a_function(arguments in tokens(14), function in proptest::sample::select(FUNCTIONS)) {
        check(arguments, function.parse().unwrap());
    }

    #[test]
    fn nearly_right_arguments_on_a_function(arguments in arguments(), function in proptest::sample::select(FUNCTIONS)) {
        check(arguments, function.parse().unwrap());
    }

    #[test]
    fn right_arguments_on_any_item(item in tokens(20)) {
        let arguments = "attempts = 4, budget = B, classify = c, clone(x), within = 30s, attempt_timeout = 2s, on_timeout = x";
        let _expansion = expand(arguments.parse().unwrap(), item);
    }

    #[test]
    fn right_arguments_on_a_function_with_any_body(body in tokens(16), parameters in tokens(6)) {
        let item = quote::quote!(async fn f(&self, x: Vec<u8>, #parameters) -> Result<u8, E> { #body });
        check("attempts = 4, budget = B, classify = c, clone(..)".parse().unwrap(), item);
        let item = quote::quote!(fn f(&self, x: Vec<u8>) -> BoxFuture<'_, u8> { #body Box::pin(async move { #body }) });
        check("retrier = R, cancel = c, attempt = a, timer = self.t, attempt_timeout = 1s, on_timeout = x".parse().unwrap(), item);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_block_is_an_expression(arguments in arguments(), end in tokens(4), body in tokens(10)) {
        for tokens in [
            quote::quote!(#arguments #end),
            quote::quote!(#arguments, #end async { #body }),
            quote::quote!(#arguments, #end async move { #body }),
        ] {
            let expansion = crate::block::expand(tokens);
            prop_assert!(!expansion.is_empty());
        }
    }

    #[test]
    fn any_impl_keeps_its_methods(keys in arguments(), own in arguments(), rest in tokens(10)) {
        let item = quote::quote! {
            impl<T> Client<T> {
                #rest
                #[retry(#own)]
                async fn marked_method(&self) -> Result<u8, E> { body() }
                #[again] fn plain_method(&self) {}
            }
        };
        let expansion = expand(keys, item).to_string();
        prop_assert!(expansion.contains("marked_method") && expansion.contains("plain_method"));
    }
}

/// Smallest inputs that a run found, kept.
#[test]
fn inputs_that_were_found() {
    for (arguments, item) in [
        ("classify = |", "async fn f() {}"),
        ("classify = a::<", "async fn f() {}"),
        ("clone", "async fn f() {}"),
        ("clone()", "async fn f() {}"),
        ("attempts = -", "async fn f() {}"),
        ("crate = ::", "async fn f() {}"),
        ("attempts = 4, = , budget", "async fn f() {}"),
    ] {
        let item = item.parse::<TokenStream>().unwrap();
        let expansion = expand(arguments.parse().unwrap(), item);
        assert!(expansion.to_string().contains("compile_error"), "{arguments}");
        syn::parse2::<syn::File>(expansion).unwrap();
    }
}
