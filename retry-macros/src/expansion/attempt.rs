//! The attempt: the async block around the body, and what it needs of the
//! parameters.

use proc_macro2::{Delimiter, Group, Ident, Literal, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Attribute, ReceiverKind};

use super::Writer;
use crate::function::Form;
use crate::instrumented::borrowing;
use crate::parameters::Binding;
use crate::plan::{Handle, Parameter, Passing};
use crate::return_type::{annotation, may_be_future};
use crate::tokens::{first_span, regrouped};

impl Writer<'_> {
    /// Input: `{ BODY }`
    /// Output: `let __retry_result = { CLONES async { HINT BINDINGS ({ BODY }) }.await };`
    pub(super) fn attempt(&self) -> TokenStream {
        let block = &self.plan.body.block;
        let Writer { plan, span, rt, result, .. } = self;
        let (ty, hint) = match &plan.result {
            // The type of a block is not written.
            None if matches!(plan.form, Form::Block(_)) => Default::default(),
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
        let mut bindings = self.bind_handle();
        bindings.extend(self.bind_receiver());
        bindings.extend(plan.parameters.iter().map(|parameter| self.bind(parameter)));
        let body = borrowing(block, &self.reborrow_of_self());
        // Clippy calls an async block that ends in a future a mistake; where an async function
        // may, an attempt must. With the `else`, a body that never ends makes no unreachable
        // `return`.
        let body = match plan.result.as_ref().is_some_and(may_be_future) {
            true => quote_spanned!(*span=> return if true #body else { #rt::never_made() };),
            false => quote_spanned!(*span=> (#body)),
        };
        // The block around the body is where Clippy looks for the end of a function, so
        // it has the place of the user's. Without the parentheses, the braces of the body would
        // be unnecessary.
        if self.is_blocking() {
            return self.blocking_attempt(&quote_spanned!(*span=> #bindings #body));
        }
        let keyword = Ident::new("async", block.span_open());
        let attempt = quote_spanned!(*span=> #hint #bindings #body);
        let attempt = regrouped(block, attempt);
        let attempt = match plan.form {
            Form::Block(_) => self.attempt_of_block(&quote_spanned!(*span=> #keyword #attempt)),
            _ => quote_spanned!(*span=> #keyword #attempt),
        };
        let clones = self.clones();
        match &plan.timeout {
            None if clones.is_empty() => quote_spanned!(*span=> let #result #ty = #attempt.await;),
            None => quote_spanned!(*span=> let #result #ty = { #clones #attempt.await };),
            Some(timeout) => self.bounded(timeout, &clones, &attempt, &ty),
        }
    }

    /// The variables around a block are not known, so none is used once more after the attempt.
    /// Where the block consumes one, rustc names the macro that makes it, as for a parameter.
    fn attempt_of_block(&self, attempt: &TokenStream) -> TokenStream {
        let at = self.names.at(self.plan.body.block.span_open());
        let path = self.names.macro_path("what_an_attempt_consumes_needs_the_key_clone", at);
        quote_spanned!(at=> #path! { #attempt })
    }

    /// An attempt that blocks its thread, in a closure, so that `return` and `?` end it.
    ///
    /// Input: `BINDINGS ({ BODY })`
    /// Output: `let __retry_result = rt::attempt(|| -> R { BINDINGS ({ BODY }) });`
    fn blocking_attempt(&self, body: &TokenStream) -> TokenStream {
        let Writer { plan, span, rt, result, .. } = self;
        let ty = match &plan.result {
            Some(ty) => annotation(ty, *span).into_token_stream(),
            None => quote_spanned!(*span=> ()),
        };
        let body = regrouped(&plan.body.block, body.clone());
        // Clippy looks for the end of a body in what begins at the user's tokens.
        let closure = quote_spanned!(plan.body.block.span_open()=> ||);
        let attempt = quote_spanned!(*span=> #rt::attempt(#closure -> #ty #body));
        let clones = self.clones();
        match clones.is_empty() {
            true => quote_spanned!(*span=> let #result = #attempt;),
            false => quote_spanned!(*span=> let #result = { #clones #attempt };),
        }
    }

    /// What a function that blocks does with the parameters that it cloned, as its call ends:
    /// it takes them, as the body of the plain function does.
    pub(super) fn taken(&self) -> Option<TokenStream> {
        let Writer { plan, span, rt, .. } = self;
        let cloned = plan.parameters.iter().filter(|p| p.passing == Passing::Cloned);
        let taken = cloned.map(|parameter| {
            let cfgs = cfgs(&parameter.binding.attributes);
            let name = self.name_of(parameter);
            quote_spanned!(*span=> #(#cfgs)* #rt::completed(#name);)
        });
        self.is_blocking().then(|| taken.collect())
    }

    /// What binds a parameter inside the attempt. The new binding is made of the user's
    /// tokens, so that lints see the user's `mut` and name.
    fn bind(&self, parameter: &Parameter) -> TokenStream {
        let Writer { span, rt, .. } = self;
        let Parameter { binding, passing, .. } = parameter;
        let Binding { ident, attributes, mutability, .. } = binding;
        let name = self.name_of(parameter);
        let rebind = |ty: TokenStream, value: TokenStream| {
            let value = match mutability {
                // A lint on what the parameter is given is at it, from its first token to its
                // last.
                Some(token) => {
                    let mut only = Literal::usize_unsuffixed(0);
                    only.set_span(ident.span());
                    quote_spanned!(token.span=> (#value,).#only)
                }
                None => value,
            };
            quote_spanned!(*span=> #(#attributes)* let #mutability #ident #ty = #value;)
        };
        let none = TokenStream::new();
        let cfgs = cfgs(attributes);
        match passing {
            Passing::AsIs | Passing::Borrowed => TokenStream::new(),
            Passing::BorrowedUniquely => {
                quote_spanned!(*span=> #(#cfgs)* if false { _ = &mut #ident; })
            }
            Passing::AssignedUniquely => {
                quote_spanned!(*span=> #(#cfgs)* if false { #ident = #rt::never_made(); })
            }
            Passing::Copied | Passing::Cloned => rebind(none, name.to_token_stream()),
            // Reborrows; a lint about the parameter's type follows the bare name.
            Passing::Reborrowed => {
                let value = match mutability {
                    Some(_) => quote_spanned!(*span=> &mut *#name),
                    None => name.to_token_stream(),
                };
                rebind(quote_spanned!(*span=> : &mut _), value)
            }
            Passing::ReborrowedPinned => rebind(none, quote_spanned!(*span=> #name.as_mut())),
        }
    }

    /// The name of the parameter itself.
    fn name_of(&self, parameter: &Parameter) -> Ident {
        let name = &parameter.binding.ident;
        match parameter.has_lookalike() {
            true => self.names.lookalike(name),
            false => name.clone(),
        }
    }

    /// Uses a parameter that an attempt may have consumed. Where one did, rustc names the macro,
    /// whose name says what to do. The call is from the parameter to the colon after it: no word
    /// of ours has the place of a word of the user's.
    ///
    /// Input: `name`
    /// Output: `::retry_runtime::key::what_an_attempt_consumes_needs_the_key_clone!(name);`
    fn usable_again(&self, Binding { ident, colon, .. }: &Binding) -> TokenStream {
        let Some(colon) = colon else { return self.borrow(ident) };
        let (at, colon) = (self.names.at(ident.span()), self.names.at(*colon));
        let path = self.names.macro_path("what_an_attempt_consumes_needs_the_key_clone", colon);
        let mut list = Group::new(Delimiter::Parenthesis, ident.to_token_stream());
        list.set_span(at);
        quote_spanned!(colon=> #path ! #list;)
    }

    /// Input: `name` Output: `_ = &name;`
    ///
    /// None of our words has the place of the user's: an editor would take it for theirs.
    pub(super) fn borrow(&self, name: &impl ToTokens) -> TokenStream {
        let Writer { span, .. } = self;
        let reference = quote_spanned!(self.names.at(first_span(name))=> &#name);
        quote_spanned!(*span=> _ = #reference;)
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

    /// What the body calls its attempt by: a unique reference, so that a verdict needs no
    /// `mut` of the user's. Where the keys use the name too, a `mut` of ours hides it from
    /// lints on shadowing, and it counts as used.
    fn bind_handle(&self) -> TokenStream {
        let Some(Handle { name, is_for_keys, is_for_body: true }) = &self.plan.attempt else {
            return TokenStream::new();
        };
        let (span, handle) = (self.span, self.names.local("handle"));
        if !is_for_keys {
            return quote_spanned!(span=> let #name = &mut #handle;);
        }
        let used = self.borrow(name);
        quote_spanned!(span=> let mut #name = &mut #handle; #used)
    }

    /// What makes the attempt's capture of `self` unique.
    fn bind_receiver(&self) -> TokenStream {
        let Writer { plan, span, .. } = self;
        let Some(receiver) = plan.header.signature.receiver() else { return TokenStream::new() };
        let place = &receiver.self_token;
        match plan.receiver {
            Passing::BorrowedUniquely => quote_spanned!(*span=> if false { _ = &mut #place; }),
            Passing::Reborrowed => quote_spanned!(*span=> if false { _ = &mut *#place; }),
            _ => TokenStream::new(),
        }
    }

    /// The clones are made outside the attempt and moved in: a clone made inside
    /// would need the original to be `Sync`. Each has the parameter's name, which the `mut`
    /// hides from lints on shadowing.
    fn clones(&self) -> TokenStream {
        let Writer { plan, span, rt, .. } = self;
        let cloned = plan.parameters.iter().filter(|p| p.passing == Passing::Cloned);
        let clone = |parameter: &Parameter| {
            let Binding { ident, attributes, .. } = &parameter.binding;
            let (cfgs, name) = (cfgs(attributes), self.name_of(parameter));
            let clone_of = &name;
            // The parentheses have the place of the user's name, wherever ours is.
            let at = self.names.at(ident.span());
            let reference = match parameter.has_lookalike() {
                true => quote_spanned!(at=> &(#name)),
                false => quote_spanned!(at=> &#name),
            };
            quote_spanned!(*span=> #(#cfgs)* let mut #clone_of = #rt::Clone::clone(#reference);)
        };
        cloned.map(clone).collect()
    }

    /// Borrows what the body could have consumed, so that rustc's error for one that did is
    /// at the parameter.
    pub(super) fn usable(&self) -> TokenStream {
        let reborrowed = self.plan.receiver == Passing::Reborrowed;
        self.borrowed(|_| true, reborrowed)
    }

    /// The same after the attempt, of what a key uses too: rustc reports the first use of
    /// what was consumed, and that would be the key's.
    pub(super) fn still_usable(&self) -> TokenStream {
        self.borrowed(|parameter| !parameter.is_for_body_alone, false)
    }

    fn borrowed(&self, wanted: impl Fn(&Parameter) -> bool, reborrowed: bool) -> TokenStream {
        let is_borrowed =
            |passing| matches!(passing, Passing::Borrowed | Passing::BorrowedUniquely);
        let parameters = self.plan.parameters.iter();
        let mut tokens: TokenStream = parameters
            .filter(|parameter| is_borrowed(parameter.passing) && wanted(parameter))
            .flat_map(|Parameter { binding, .. }| {
                let cfgs = cfgs(&binding.attributes).map(ToTokens::to_token_stream);
                cfgs.chain([self.usable_again(binding)]).collect::<Vec<_>>()
            })
            .collect();
        let receiver = self.plan.header.signature.receiver();
        if let Some(receiver) = receiver.filter(|_| is_borrowed(self.plan.receiver) || reborrowed) {
            tokens.extend(self.borrow(&receiver.self_token));
        }
        tokens
    }
}

/// The attributes that decide whether a parameter is there.
fn cfgs(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes.iter().filter(|attribute| {
        attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr")
    })
}
