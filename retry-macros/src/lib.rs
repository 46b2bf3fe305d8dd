//! The `#[retry]` attribute of `retry-runtime`. Depend on that crate: it
//! re-exports the attribute, and the expansion names it.
//!
//! The source: `arguments` and `function` read what the user wrote, `rules`
//! checks it and makes a `plan`, `expansion` writes the plan as tokens. Rules know no tokens of
//! the expansion, and the expansion knows no rules. The body of the function is never parsed:
//! it is carried as the tokens it came in, so that it need not even be valid for the function
//! to be there.

mod arguments;
mod async_block;
mod attributes;
mod block;
mod diagnostics;
mod duration;
mod expansion;
mod function;
mod impl_block;
mod instrumented;
mod keys;
mod marks;
mod mentions;
mod messages;
mod names;
mod parameters;
mod plan;
mod return_type;
mod rules;
mod spelling;
mod tokens;

#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;

#[doc = include_str!("attribute.md")]
#[proc_macro_attribute]
pub fn retry(
    arguments: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    expand(arguments.into(), item.into()).into()
}

#[doc = include_str!("block.md")]
#[proc_macro]
pub fn retry_block(tokens: proc_macro::TokenStream) -> proc_macro::TokenStream {
    block::expand(tokens.into()).into()
}

/// The attribute over proc_macro2's tokens, which unit tests can make.
///
/// Input: the arguments, and the annotated item.
/// Output: the function with the loop as its body; or, where something is wrong, the item
/// with the values of the keys where nothing runs them, and an error for each mistake.
fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    if let Some(keyword) = impl_block::keyword(&item) {
        return impl_block::expand(arguments, item, &keyword);
    }
    let mut errors = diagnostics::Errors::default();
    let tokens = arguments;
    let arguments = arguments::Arguments::parse(tokens.clone(), &mut errors);
    let Some(function) = function::Function::parse(item.clone(), &mut errors) else {
        return errors.beside(item);
    };
    let function = match arguments.means(keys::Key::Blocking) {
        true => function.blocking(),
        false => function,
    };
    let site = marks::site(&function.header.attributes);
    let reported = impl_block::reported(&function.header.attributes, &tokens);
    match rules::plan(&arguments, function, errors) {
        Ok(plan) => expansion::write(plan, site),
        Err(mistaken) => {
            let (function, mut errors) = *mistaken;
            errors.forget(&reported);
            expansion::write_beside_errors(&arguments, function, errors, site)
        }
    }
}
