//! Tests of the macro as a function of tokens: it never panics, what it gives
//! always parses and always has the function in it, and a reader of the expansion
//! sees every change.

mod adversarial;
mod catalogue;
mod mistakes;
mod places;
mod snapshots;

use proc_macro2::TokenStream;

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

/// The messages of the errors in an expansion.
fn messages(expansion: &TokenStream) -> Vec<String> {
    let file: syn::File = syn::parse2(expansion.clone()).expect("the expansion parses");
    let text = |item: &syn::Item| match item {
        syn::Item::Macro(found) => syn::parse2::<syn::LitStr>(found.mac.tokens.clone()).ok(),
        _ => None,
    };
    file.items.iter().filter_map(text).map(|text| text.value()).collect()
}
