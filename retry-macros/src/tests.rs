//! Tests of the macro as a function of tokens: it never panics, what it gives
//! always parses and always has the function in it, and a reader of the expansion
//! sees every change.

mod adversarial;
mod catalogue;
mod growth;
mod mistakes;
mod places;
mod snapshots;

use proc_macro2::{TokenStream, TokenTree};

use crate::expand;

/// The expansion of source text.
fn expand_text(arguments: &str, item: &str) -> TokenStream {
    let parse = |text: &str| text.parse::<TokenStream>().expect("it is made of tokens");
    expand(parse(arguments), parse(item))
}

/// The expansion of `retry_block!`.
fn expand_block(text: &str) -> TokenStream {
    crate::block::expand(text.parse().expect("it is made of tokens"))
}

/// The messages of the errors in an expansion, which parses.
fn messages(expansion: &TokenStream) -> Vec<String> {
    syn::parse2::<syn::File>(expansion.clone()).expect("the expansion parses");
    let mut found = Vec::new();
    gather(expansion.clone(), &mut found);
    found
}

fn gather(tokens: TokenStream, found: &mut Vec<String>) {
    let mut is_error = false;
    for token in tokens {
        match token {
            TokenTree::Group(group) if is_error => {
                let text = syn::parse2::<syn::LitStr>(group.stream()).expect("a text");
                found.push(text.value());
                is_error = false;
            }
            TokenTree::Group(group) => gather(group.stream(), found),
            TokenTree::Ident(word) => is_error = word == "compile_error",
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}
