//! Mistakes, gathered so that one run reports them all.

use proc_macro2::{Delimiter, Group, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::quote_spanned;

/// The mistakes found so far.
#[derive(Default)]
pub struct Errors {
    found: Vec<Error>,
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

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The item, with an error for each mistake beside it.
    pub fn beside(self, item: TokenStream) -> TokenStream {
        let mut tokens = item;
        tokens.extend(self.found.into_iter().map(Error::into_tokens));
        tokens
    }
}

impl Errors {
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
