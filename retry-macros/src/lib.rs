//! tmp
use proc_macro::TokenStream;
/// tmp
#[proc_macro_attribute]
pub fn retry(_args: TokenStream, item: TokenStream) -> TokenStream {
    item
}
