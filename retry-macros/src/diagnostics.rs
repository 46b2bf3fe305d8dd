//! Mistakes, gathered so that one run reports them all.

use proc_macro2::{Delimiter, Group, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::quote_spanned;

use crate::keys::Key;

/// The mistakes found so far.
#[derive(Default)]
pub struct Errors {
    found: Vec<Error>,
    /// The keys whose values cannot stand where the values of their keys do.
    keys: Vec<Key>,
}

struct Error {
    start: Span,
    end: Span,
    message: String,
}

impl Errors {
    /// Reports a mistake at one token.
    pub fn at(&mut self, span: Span, message: impl Into<String>) {
        self.found.push(Error { start: span, end: span, message: message.into() });
    }

    /// Reports a mistake at all of `tokens`, or at `otherwise` if there are none.
    pub fn over(&mut self, tokens: &TokenStream, otherwise: Span, message: impl Into<String>) {
        let mut trees = tokens.clone().into_iter();
        let Some(first) = trees.next() else { return self.at(otherwise, message) };
        let start = first.span();
        let end = trees.last().map_or(start, |last| last.span());
        self.found.push(Error { start, end, message: message.into() });
    }

    /// Reports a mistake in the value of a key that makes it no value of such a key.
    pub fn in_value(&mut self, key: Key, span: Span, message: impl Into<String>) {
        self.keys.push(key);
        self.at(span, message);
    }

    /// Whether the value of a key has such a mistake.
    pub fn are_in(&self, key: Key) -> bool {
        self.keys.contains(&key)
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Takes out what is reported elsewhere. Of two equal messages one is taken for each.
    pub fn forget(&mut self, reported: &Errors) {
        for error in &reported.found {
            if let Some(at) = self.found.iter().position(|own| own.message == error.message) {
                self.found.remove(at);
            }
        }
    }

    /// The item, with an error for each mistake beside it.
    pub fn beside(self, item: TokenStream) -> TokenStream {
        let mut tokens = item;
        tokens.extend(self.found.into_iter().map(Error::into_tokens));
        tokens
    }
}

impl Errors {
    /// Takes the first of the errors away, as a statement.
    pub fn take_first(&mut self) -> Option<TokenStream> {
        let first = (!self.found.is_empty()).then(|| self.found.remove(0));
        first.map(Error::into_tokens)
    }

    /// A block with an error for each mistake in it, before an expression.
    pub fn before(self, expression: TokenStream) -> TokenStream {
        let mut tokens: TokenStream = self.found.into_iter().map(Error::into_tokens).collect();
        tokens.extend(expression);
        TokenTree::Group(Group::new(Delimiter::Brace, tokens)).into()
    }
}

impl Error {
    /// `compile_error!`, whose first and last token carry the ends of the span:
    /// a span that reaches over several tokens cannot be made on stable.
    fn into_tokens(self) -> TokenStream {
        let Error { start, end, message } = self;
        let mut group = Group::new(Delimiter::Brace, quote_spanned!(end=> #message));
        group.set_span(end);
        let mut bang = Punct::new('!', Spacing::Alone);
        bang.set_span(end);
        let path = quote_spanned!(start=> ::core::compile_error);
        path.into_iter().chain([TokenTree::Punct(bang), TokenTree::Group(group)]).collect()
    }
}
