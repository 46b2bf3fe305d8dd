//! The attempt: the async block around the body, and what it needs of the
//! parameters.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};

use super::Writer;
use crate::instrumented::borrowing;
use crate::parameters::Binding;
use crate::plan::Passing;
use crate::return_type::annotation;

impl Writer<'_> {
    /// Input: `{ BODY }`
    /// Output: `let __retry_result: R = async { hint; bindings; match () { () => { BODY } } }.await;`
    pub(super) fn run(&self, block: &Group) -> TokenStream {
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
        let body = TokenTree::Group(borrowing(block));
        let attempt = quote_spanned! {*span=>
            async {
                #hint
                #bindings
                match () { () => #body }
            }
        };
        match &plan.timeout {
            None => quote_spanned!(*span=> let #result #ty = #attempt.await;),
            Some(timeout) => self.bounded(timeout, &attempt, &ty),
        }
    }

    /// What binds a parameter inside the attempt.
    pub(super) fn bind(&self, binding: &Binding, passing: Passing) -> TokenStream {
        let Binding { ident, cfgs, mutability, .. } = binding;
        let span = self.names.at(ident.span());
        let rt = self.names.runtime(span);
        // The name is the user's token, so Clippy would take the binding for theirs.
        // The one `allow` of the expansion is on this one statement.
        let rebind = |value: TokenStream| {
            quote_spanned! {span=>
                #(#cfgs)*
                #[allow(clippy::shadow_reuse, clippy::shadow_same, clippy::shadow_unrelated)]
                let #mutability #ident = #value;
            }
        };
        match passing {
            Passing::AsIs | Passing::Borrowed => TokenStream::new(),
            Passing::BorrowedUniquely => quote_spanned! {span=>
                #(#cfgs)*
                if false { #rt::unique(&mut #ident); }
            },
            Passing::Copied => rebind(quote_spanned!(span=> #ident)),
            Passing::Reborrowed => rebind(quote_spanned!(span=> &mut *#ident)),
            Passing::ReborrowedPinned => rebind(quote_spanned!(span=> #ident.as_mut())),
            Passing::Cloned => {
                let clone = self.names.clone_of(ident);
                rebind(quote_spanned!(span=> #clone))
            }
        }
    }

    /// What makes the attempt's capture of `self` unique.
    fn bind_receiver(&self) -> TokenStream {
        let Some(receiver) = self.plan.function.signature.receiver() else {
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
            .map(|(Binding { ident, cfgs, .. }, _)| {
                let span = self.names.at(ident.span());
                let (rt, clone) = (self.names.runtime(span), self.names.clone_of(ident));
                quote_spanned! {span=>
                    #(#cfgs)*
                    let #clone = #rt::Clone::clone(&#ident);
                }
            })
            .collect()
    }

    /// Borrows what the body could have consumed, so that rustc's error for one
    /// that did is at the parameter.
    pub(super) fn usable(&self) -> TokenStream {
        let borrowed = self.plan.bindings.iter().filter(|(_, passing)| {
            matches!(passing, Passing::Borrowed | Passing::BorrowedUniquely)
        });
        let mut tokens: TokenStream = borrowed
            .map(|(Binding { ident, cfgs, .. }, _)| {
                let span = self.names.at(ident.span());
                let rt = self.names.runtime(span);
                quote_spanned!(span=> #(#cfgs)* #rt::usable(&#ident);)
            })
            .collect();
        let receiver = self.plan.function.signature.receiver().filter(|_| {
            matches!(
                self.plan.receiver,
                Passing::Borrowed | Passing::BorrowedUniquely | Passing::Reborrowed
            )
        });
        if let Some(receiver) = receiver {
            let token = receiver.self_token;
            let span = self.names.at(token.span);
            let rt = self.names.runtime(span);
            tokens.extend(quote_spanned!(span=> #rt::usable(&#token);));
        }
        tokens
    }
}
