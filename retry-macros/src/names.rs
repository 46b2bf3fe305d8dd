//! Every name and span of the expansion is made here.
//!
//! Names of locals are mixed-site: they neither capture nor shadow the user's.
//! A token of ours that stands for one of the user's is located at it, so that an
//! error lands there, but keeps our hygiene, so that lints know it for generated
//! code. Items have no hygiene on stable: the reserved prefix is `__RETRY_`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};

/// The names of one expansion.
pub struct Names {
    /// The path of the runtime crate, as the user gave it or as we know it.
    krate: TokenStream,
}

impl Names {
    pub fn new(krate: Option<TokenStream>) -> Names {
        let span = Span::mixed_site();
        Names { krate: krate.unwrap_or_else(|| quote_spanned!(span=> ::retry_runtime)) }
    }

    /// A span at the user's token, with our hygiene.
    pub fn at(&self, span: Span) -> Span {
        Span::mixed_site().located_at(span)
    }

    /// The hidden module that the expansion uses.
    pub fn runtime(&self, span: Span) -> TokenStream {
        let krate = &self.krate;
        quote_spanned!(span=> #krate::__private)
    }

    /// A local variable of the expansion.
    pub fn local(&self, name: &str) -> Ident {
        Ident::new(&format!("__retry_{name}"), Span::mixed_site())
    }

    /// The local that holds the clone of a parameter.
    pub fn clone_of(&self, parameter: &Ident) -> Ident {
        let name = parameter.to_string();
        Ident::new(
            &format!("__retry_clone_of_{}", name.trim_start_matches("r#")),
            self.at(parameter.span()),
        )
    }

    /// A constant of the expansion, which has no hygiene.
    pub fn constant(&self, name: &str) -> Ident {
        Ident::new(&format!("__RETRY_{name}"), Span::mixed_site())
    }
}

/// The span of the first token of a syntax tree.
pub fn first_span(tokens: &impl ToTokens) -> Span {
    let first = tokens.to_token_stream().into_iter().next();
    first.map_or_else(Span::call_site, |token| token.span())
}
