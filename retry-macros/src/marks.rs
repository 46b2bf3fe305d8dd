//! Attributes that an annotated `impl` writes beside the marks of its methods, for the
//! attributes of these to read: rustfmt's, which nobody looks at but our own.

use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::quote_spanned;
use syn::{Attribute, LitInt};

/// Where a method has no mark that can be seen, but an attribute that may be one under
/// another name.
const UNSEEN: &str = "retry_keys_of_impl";

/// Beside each mark that was seen. Its span is the site of the block: what the methods write of
/// ours is all there, so that rustc takes its errors in a shared value for one.
const SEEN: &str = "retry_shared_keys";

/// Where the block has mistakes, which it reports: an attribute beside the mark, with the number
/// of the method's own arguments. The others' mistakes are no second error there.
const REPORTED: &str = "retry_impl_has_errors";

/// Input: `async fn get(..)`, under an attribute that may be a mark
/// Output: `#[rustfmt::retry_keys_of_impl]`, for its place
pub fn unseen(span: Span) -> TokenStream {
    tool_attribute(UNSEEN, span, None)
}

/// Output: `#[rustfmt::retry_shared_keys]`, to stand below a mark
pub fn seen() -> TokenStream {
    tool_attribute(SEEN, Span::mixed_site(), None)
}

/// Output: `#[rustfmt::retry_impl_has_errors(2)]`, where the method has two arguments of its own
pub fn has_errors(span: Span, own: usize) -> TokenStream {
    let own = TokenTree::Literal(Literal::usize_unsuffixed(own));
    tool_attribute(REPORTED, span, Some(own))
}

/// Whether a method stands in an annotated `impl` that does not see its mark.
pub fn is_unseen(attribute: &Attribute) -> bool {
    has_name(attribute, UNSEEN)
}

/// The number of a method's own arguments, where the annotated `impl` around it has reported
/// mistakes.
pub fn reported(attributes: &[Attribute]) -> Option<usize> {
    let attribute = attributes.iter().find(|attribute| has_name(attribute, REPORTED))?;
    Some(attribute.parse_args::<LitInt>().map_or(0, |own| own.base10_parse().unwrap_or(0)))
}

/// Where the tokens of ours are: in the block that the method is marked in, if there is one.
pub fn site(attributes: &[Attribute]) -> Span {
    let seen = attributes.iter().find(|attribute| has_name(attribute, SEEN));
    let name = seen.and_then(|seen| seen.path().segments.last());
    name.map_or(Span::mixed_site(), |name| name.ident.span())
}

/// Whether an attribute is one that the block writes beside a mark.
pub fn is_ours(attribute: &Attribute) -> bool {
    has_name(attribute, SEEN) || has_name(attribute, REPORTED)
}

fn has_name(attribute: &Attribute, name: &str) -> bool {
    attribute.path().segments.last().is_some_and(|segment| segment.ident == name)
}

/// An attribute of rustfmt's.
fn tool_attribute(name: &str, span: Span, list: Option<TokenTree>) -> TokenStream {
    let name = Ident::new(name, Span::mixed_site().located_at(span));
    let list = list.map(|list| quote_spanned!(Span::mixed_site()=> (#list)));
    quote_spanned!(Span::mixed_site()=> #[rustfmt::#name #list])
}
