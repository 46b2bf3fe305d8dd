//! Every name and span of the expansion is made here.
//!
//! Names of locals are mixed-site: they neither capture nor shadow the user's.
//! A token of ours that stands for one of the user's is located at it, so that an
//! error lands there, but keeps our hygiene, so that lints know it for generated
//! code. Items have no hygiene on stable: the reserved prefix is `__RETRY_`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;

/// The names of one expansion.
pub struct Names {
    /// The path of the runtime crate, where the user gave one.
    krate: Option<TokenStream>,
    /// Where our own tokens are, and their hygiene.
    pub site: Span,
}

impl Names {
    pub fn new(krate: Option<TokenStream>, site: Span) -> Names {
        Names { krate, site }
    }

    /// A span at the user's token, with our hygiene.
    pub fn at(&self, span: Span) -> Span {
        self.site.located_at(span)
    }

    /// The hidden module that the expansion uses. Every token is at `span`, or an
    /// error in a call through the path would cover the whole attribute.
    pub fn runtime(&self, span: Span) -> TokenStream {
        let krate = self.krate(span);
        quote_spanned!(span=> #krate::__private)
    }

    /// The path of a macro of the runtime, with every token at `span`.
    pub fn macro_path(&self, name: &str, span: Span) -> TokenStream {
        let name = Ident::new(name, span);
        let krate = self.krate(span);
        quote_spanned!(span=> #krate::key::#name)
    }

    fn krate(&self, span: Span) -> TokenStream {
        let Some(krate) = &self.krate else { return quote_spanned!(span=> ::retry_runtime) };
        let krate = krate.clone().into_iter().map(|mut token| {
            token.set_span(token.span().located_at(span));
            token
        });
        krate.collect()
    }

    /// A local variable of the expansion.
    pub fn local(&self, name: &str) -> Ident {
        Ident::new(&format!("__retry_{name}"), self.site)
    }

    /// A variable of the expansion that stands for a parameter, under its name.
    pub fn lookalike(&self, parameter: &Ident) -> Ident {
        let mut name = parameter.clone();
        // A keyword in our edition, which may be none in the user's.
        if name == "gen" {
            name = Ident::new_raw("gen", self.site);
        }
        name.set_span(self.site);
        name
    }

    /// A constant of the expansion, which has no hygiene.
    pub fn constant(&self, name: &str) -> Ident {
        Ident::new(&format!("__RETRY_{name}"), self.site)
    }
}
