//! The attempt: the async block around the body, and what it needs of the
//! parameters.

use proc_macro2::{Ident, Literal, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::ReceiverKind;

use super::Writer;
use crate::instrumented::borrowing;
use crate::parameters::Binding;
use crate::plan::Passing;
use crate::return_type::annotation;
use crate::tokens::regrouped;

impl Writer<'_> {
    /// Input: `{ BODY }`
    /// Output: `let __retry_result = async { HINT BINDINGS ({ BODY }) }.await;`
    pub(super) fn attempt(&self) -> TokenStream {
        let block = &self.plan.body.block;
        let Writer { plan, span, rt, result, .. } = self;
        let (ty, hint) = match &plan.result {
            None => (quote_spanned!(*span=> : ()), TokenStream::new()),
            Some(ty) => {
                let ty = annotation(ty, *span).into_token_stream();
                let hint = quote_spanned! {*span=>
                    if let #rt::Option::Some(#result) = #rt::Option::None::<#ty> {
                        return #result;
                    }
                };
                (TokenStream::new(), hint)
            }
        };
        let mut bindings = self.bind_receiver();
        bindings
            .extend(plan.bindings.iter().map(|(binding, passing)| self.bind(binding, *passing)));
        let body = TokenTree::Group(borrowing(block, &self.reborrow_of_self()));
        // The block around the body is where Clippy looks for the end of a function, so
        // it has the place of the user's. Without the parentheses, the braces of the
        // body would be unnecessary.
        let keyword = Ident::new("async", block.span_open());
        let attempt = quote_spanned!(*span=> #hint #bindings (#body));
        let attempt = regrouped(block, attempt);
        let attempt = quote_spanned!(*span=> #keyword #attempt);
        let allow = self.allow_for_a_future();
        match &plan.timeout {
            None => quote_spanned!(*span=> #allow let #result #ty = #attempt.await;),
            Some(timeout) => self.bounded(timeout, &attempt, &ty),
        }
    }

    /// Where an attempt may give a future: Clippy denies an async block that ends in
    /// one, and where an async function may, an attempt must.
    pub(super) fn allow_for_a_future(&self) -> Option<TokenStream> {
        let gives_a_future = self.plan.result.to_token_stream().to_string().contains("Fut");
        gives_a_future.then(|| quote_spanned!(self.span=> #[allow(clippy::async_yields_async)]))
    }

    fn clone_of(&self, binding: &Binding) -> Ident {
        self.names.clone_of(&binding.ident, binding.mutability.map(|token| token.span))
    }

    /// What binds a parameter inside the attempt.
    pub(super) fn bind(&self, binding: &Binding, passing: Passing) -> TokenStream {
        let Binding { ident, cfgs, mutability, .. } = binding;
        let span = self.names.at(ident.span());
        let rt = self.names.runtime(span);
        let parameter = self.parameter(binding);
        // The name is the user's token, so where it hides the parameter, Clippy would
        // take that for theirs: the `allow` is on this one statement.
        let allow = (!binding.is_for_body_alone).then(|| {
            quote_spanned! {span=>
                #[allow(clippy::shadow_reuse, clippy::shadow_same, clippy::shadow_unrelated)]
            }
        });
        let rebind = |ty: TokenStream, value: TokenStream| {
            quote_spanned! {span=>
                #(#cfgs)*
                #allow
                let #mutability #ident #ty = #value;
            }
        };
        let none = TokenStream::new();
        match passing {
            Passing::AsIs | Passing::Borrowed => TokenStream::new(),
            Passing::BorrowedUniquely => quote_spanned! {span=>
                #(#cfgs)*
                if false { #rt::unique(&mut #ident); }
            },
            Passing::AssignedUniquely => quote_spanned! {span=>
                #(#cfgs)*
                if false { #ident = #rt::never_made(); }
            },
            Passing::Copied => rebind(none, quote_spanned!(span=> #parameter)),
            // Reborrows, and a lint about the parameter's type follows the name.
            Passing::Reborrowed => {
                rebind(quote_spanned!(span=> : &mut _), quote_spanned!(span=> #parameter))
            }
            Passing::ReborrowedPinned => rebind(none, quote_spanned!(span=> #parameter.as_mut())),
            Passing::Cloned => {
                let clone = self.clone_of(binding);
                // The value of a `mut` parameter stands where the parameter does, from its
                // first token to its last.
                let value = binding.mutability.map(|_| {
                    let mut only = Literal::usize_unsuffixed(0);
                    only.set_span(ident.span());
                    quote_spanned!(span=> #clone.#only)
                });
                rebind(none, value.unwrap_or_else(|| clone.to_token_stream()))
            }
        }
    }

    /// The parameter that an attempt binds anew.
    fn parameter(&self, binding: &Binding) -> Ident {
        match binding.is_for_body_alone {
            true => self.names.lookalike(&binding.ident),
            false => binding.ident.clone(),
        }
    }

    /// What has to stand before a unique `self` that is given another name.
    fn reborrow_of_self(&self) -> TokenStream {
        let receiver = self.plan.header.signature.receiver();
        match receiver.map(|receiver| (&receiver.kind, receiver.self_token.span)) {
            Some((ReceiverKind::Reference(_, _, Some(_)), span)) => {
                quote_spanned!(self.names.at(span)=> &mut *)
            }
            _ => TokenStream::new(),
        }
    }

    /// What makes the attempt's capture of `self` unique.
    fn bind_receiver(&self) -> TokenStream {
        let Some(receiver) = self.plan.header.signature.receiver() else {
            return TokenStream::new();
        };
        let token = receiver.self_token;
        let span = self.names.at(token.span);
        let rt = self.names.runtime(span);
        match self.plan.receiver {
            Passing::BorrowedUniquely => quote_spanned! {span=>
                if false { #rt::unique(&mut #token); }
            },
            Passing::Reborrowed => quote_spanned! {span=>
                if false { #rt::unique(&mut *#token); }
            },
            _ => TokenStream::new(),
        }
    }

    /// The clones are made outside the attempt and moved in: a clone made inside
    /// would need the original to be `Sync`.
    pub(super) fn clones(&self) -> TokenStream {
        let cloned = self.plan.bindings.iter().filter(|(_, passing)| *passing == Passing::Cloned);
        cloned
            .map(|(binding, _)| {
                let Binding { ident, cfgs, .. } = binding;
                let span = self.names.at(ident.span());
                let (rt, clone) = (self.names.runtime(span), self.clone_of(binding));
                let parameter = self.parameter(binding);
                let value = quote_spanned!(span=> #rt::Clone::clone(&#parameter));
                let value = match binding.mutability {
                    Some(_) => quote_spanned!(span=> (#value,)),
                    None => value,
                };
                quote_spanned!(span=> #(#cfgs)* let #clone = #value;)
            })
            .collect()
    }

    /// Borrows what the body could have consumed, so that rustc's error for one
    /// that did is at the parameter.
    pub(super) fn usable(&self) -> TokenStream {
        let reborrowed = self.plan.receiver == Passing::Reborrowed;
        self.borrowed(|_| true, reborrowed)
    }

    /// The same after the attempt, of what a key may use too: rustc reports the first
    /// use of what was consumed, and that would be the key's.
    pub(super) fn still_usable(&self) -> TokenStream {
        self.borrowed(|binding| !binding.is_for_body_alone, false)
    }

    fn borrowed(&self, wanted: impl Fn(&Binding) -> bool, reborrowed: bool) -> TokenStream {
        let is_borrowed =
            |passing| matches!(passing, Passing::Borrowed | Passing::BorrowedUniquely);
        let bindings = self.plan.bindings.iter();
        let mut tokens: TokenStream = bindings
            .filter(|(binding, passing)| is_borrowed(*passing) && wanted(binding))
            .map(|(Binding { ident, cfgs, .. }, _)| {
                let span = self.names.at(ident.span());
                let rt = self.names.runtime(span);
                quote_spanned!(span=> #(#cfgs)* #rt::usable(&#ident);)
            })
            .collect();
        let receiver = self.plan.header.signature.receiver();
        if let Some(receiver) = receiver.filter(|_| is_borrowed(self.plan.receiver) || reborrowed) {
            let token = receiver.self_token;
            let span = self.names.at(token.span);
            let rt = self.names.runtime(span);
            tokens.extend(quote_spanned!(span=> #rt::usable(&#token);));
        }
        tokens
    }
}
