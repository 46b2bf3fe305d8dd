//! The settings: where each value of a key goes in the expansion.

use proc_macro2::{Group, Ident, Literal, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};

use super::Writer;
use crate::duration::rewritten;
use crate::names::first_span;
use crate::plan::{Attempts, Budget, Classify, PolicySource, Schedule};

impl Writer<'_> {
    /// The constant that checks `attempts` when the function is compiled.
    pub(super) fn constant(&self) -> TokenStream {
        let Attempts::Constant(value) = &self.plan.attempts else { return TokenStream::new() };
        let span = self.names.at(first_span(value));
        let rt = self.names.runtime(span);
        let name = self.names.constant("ATTEMPTS");
        quote_spanned!(span=> const #name: u32 = #rt::attempts(#value);)
    }

    pub(super) fn attempts(&self) -> TokenStream {
        let Writer { span, rt, policy, .. } = self;
        match &self.plan.attempts {
            Attempts::Literal(number) => Literal::u32_unsuffixed(*number).into_token_stream(),
            Attempts::Unlimited => quote_spanned!(*span=> #rt::Policy::UNLIMITED),
            Attempts::Constant(_) => self.names.constant("ATTEMPTS").into_token_stream(),
            Attempts::Generic(value) => {
                let span = self.names.at(first_span(value));
                let rt = self.names.runtime(span);
                quote_spanned!(span=> const { #rt::attempts(#value) })
            }
            Attempts::Policy => quote_spanned!(*span=> #policy.attempts()),
        }
    }

    /// The policy, read once when the call begins.
    pub(super) fn policy(&self) -> TokenStream {
        let Writer { plan, policy, .. } = self;
        let used = matches!(plan.attempts, Attempts::Policy)
            || matches!(plan.schedule, Schedule::Policy)
            || plan.within.is_none();
        let Some(source) = plan.policy.as_ref().filter(|_| used) else { return TokenStream::new() };
        let (PolicySource::Policy(value) | PolicySource::Retrier(value)) = source;
        let span = self.names.at(first_span(value));
        let rt = self.names.runtime(span);
        let value = match source {
            PolicySource::Policy(value) => self.reference(value),
            PolicySource::Retrier(value) => {
                let retrier = self.retrier(value);
                quote_spanned!(span=> #retrier.policy())
            }
        };
        quote_spanned!(span=> let #policy = #rt::policy(#value);)
    }

    /// The state of the call: `rt::Attempts::new(rt::DefaultTimer)`, with what limits it.
    pub(super) fn limits(&self) -> TokenStream {
        let Writer { plan, span, rt, policy, .. } = self;
        let timer = self.timer();
        let mut limits = quote_spanned!(*span=> #rt::Attempts::new(#timer));
        if plan.observe.is_some() {
            limits.extend(quote_spanned!(*span=> .observed(#timer)));
        }
        if let Some(within) = &plan.within {
            let (span, within) = (self.names.at(first_span(within)), self.value(within));
            limits.extend(quote_spanned!(span=> .within(#timer, #within)));
        } else if plan.policy.is_some() {
            limits.extend(quote_spanned!(*span=> .within_option(#timer, #policy.time_limit())));
        }
        if let Some(deadline) = &plan.deadline {
            let (span, deadline) = (self.names.at(first_span(deadline)), self.value(deadline));
            limits.extend(quote_spanned!(span=> .deadline(#deadline)));
        }
        if plan.cancel.is_some() {
            limits.extend(quote_spanned!(*span=> .cancellable()));
        }
        limits
    }

    /// Input: `self.shutdown.cancelled()`, and what is to run
    /// Output:
    /// ```text
    /// match rt::given(INPUT) {
    ///     __retry_cancel => {
    ///         let mut __retry_cancel = rt::pin!(rt::cancel(async { rt::completed(__retry_cancel.await) }));
    ///         RUN
    ///     }
    /// }
    /// ```
    ///
    /// Evaluated in the function itself, so that `self.shutdown.clone().cancelled_owned()`
    /// borrows nothing; and by a `match`, whose temporaries live as long as the call, so
    /// that `receiver.clone().wait_for(..)` can borrow its own. Without the async block, a
    /// value that is no future would be an error at each use.
    pub(super) fn cancellable(&self, value: &TokenStream, run: &TokenStream) -> TokenStream {
        let Writer { span, rt, cancel, .. } = self;
        let at = self.names.at(first_span(value));
        let value = self.value(value);
        let mut given = cancel.clone();
        given.set_span(at);
        let awaited = quote_spanned!(at=> #given.await);
        quote_spanned! {*span=>
            match #rt::given(#value) {
                #given => {
                    let mut #cancel = #rt::pin!(#rt::cancel(async { #rt::completed(#awaited) }));
                    #run
                }
            }
        }
    }

    /// Polls the cancellation, which also lets it wake this task.
    pub(super) fn give_up(&self, condition: &TokenStream) -> TokenStream {
        let Writer { span, rt, call, cancel, .. } = self;
        quote_spanned! {*span=>
            if #condition #rt::is_cancelled(#cancel.as_mut()).await {
                #call.give_up();
            }
        }
    }

    pub(super) fn classify(&self) -> TokenStream {
        let Writer { plan, result, .. } = self;
        let (function, value) = match &plan.classify {
            Classify::Result(value) => ("classify", value),
            Classify::Error(value) => ("classify_err", value),
            Classify::Retrier(value) => ("", value),
        };
        let span = self.names.at(first_span(value));
        let at = match &plan.result {
            Some(ty) => self.names.at(first_span(ty)),
            None => self.names.at(plan.function.signature.ident.span()),
        };
        let mut result = result.clone();
        result.set_span(at);
        let result = quote_spanned!(at=> &#result);
        if let Classify::Retrier(value) = &plan.classify {
            let retrier = self.retrier(value);
            return quote_spanned!(span=> #retrier.classify(#result));
        }
        let (rt, value) = (self.names.runtime(span), self.value(value));
        let function = Ident::new(function, span);
        quote_spanned!(span=> #rt::#function(#result, #value))
    }

    /// Input: `self.retrier` Output: `rt::retrier(&self.retrier)`
    ///
    /// A static is returned by a function. The retrier is written more than once, and rustc
    /// says of a constant in a function's body only once that it cannot be returned.
    pub(super) fn retrier(&self, value: &TokenStream) -> TokenStream {
        let span = self.names.at(first_span(value));
        let (rt, retrier) = (self.names.runtime(span), self.reference(value));
        if self.plan.retrier_is_static {
            return quote_spanned!(span=> #rt::static_retrier(|| #retrier));
        }
        quote_spanned!(span=> #rt::retrier(#retrier))
    }

    /// A reference to a budget. What is named like a static must be one: a constant
    /// would be made anew at each use, and has no place for a `'static` reference to
    /// point to.
    fn shared_budget(&self, value: &TokenStream, is_static: bool) -> TokenStream {
        let span = self.names.at(first_span(value));
        let (rt, budget) = (self.names.runtime(span), self.reference(value));
        if is_static {
            return quote_spanned!(span=> #rt::static_budget(#budget));
        }
        quote_spanned!(span=> #rt::budget(#budget))
    }

    pub(super) fn decide(&self) -> TokenStream {
        let Writer { plan, span, call, outcome, .. } = self;
        let (budget, site, schedule) = (self.budget(), self.site(), self.schedule());
        match &plan.observe {
            None => quote_spanned! {*span=> #call.decide(#outcome, #budget, #site, #schedule) },
            Some(observe) => {
                let at = self.names.at(first_span(observe));
                let observe = self.value(observe);
                quote_spanned! {at=>
                    #call.decide_observed(#outcome, #budget, #site, #schedule, #observe)
                }
            }
        }
    }

    pub(super) fn budget(&self) -> TokenStream {
        let Writer { plan, span, rt, .. } = self;
        match &plan.budget {
            Budget::None => quote_spanned!(*span=> #rt::Option::None),
            Budget::Shared { budget, is_static } => self.shared_budget(budget, *is_static),
            Budget::Retrier(retrier) => {
                let at = self.names.at(first_span(retrier));
                let retrier = self.retrier(retrier);
                quote_spanned!(at=> #retrier.budget())
            }
        }
    }

    /// What events and decisions need to know of the function.
    pub(super) fn site(&self) -> TokenStream {
        let Writer { span, rt, .. } = self;
        let (label, attempts, timer) = (self.label(), self.attempts(), self.timer());
        quote_spanned!(*span=> #rt::Site { name: #label, attempts: #attempts, timer: #timer })
    }

    /// The label of events: by default the path of the function.
    pub(super) fn label(&self) -> TokenStream {
        let Writer { plan, span, rt, .. } = self;
        match &plan.label {
            Some(label) => self.value(label),
            None => {
                let function = plan.function.signature.ident.to_string();
                let function = Literal::string(function.trim_start_matches("r#"));
                quote_spanned!(*span=> #rt::concat!(#rt::module_path!(), "::", #function))
            }
        }
    }

    /// A function of the attempt and the server's floor, asked only after a retry.
    pub(super) fn schedule(&self) -> TokenStream {
        let Writer { plan, span, rt, policy, .. } = self;
        let at = |value| self.names.at(first_span(value));
        match &plan.schedule {
            Schedule::Default => quote_spanned!(*span=> #rt::default_delay),
            Schedule::Policy => quote_spanned! {*span=>
                |attempt, floor| #rt::delay(&#policy.schedule(), attempt, floor)
            },
            Schedule::Closure(value) => {
                let (at, value) = (at(value), self.value(value));
                let rt = self.names.runtime(at);
                quote_spanned!(at=> |attempt, floor| #rt::delay_by(#value, attempt, floor))
            }
            Schedule::Value(value) => {
                let (at, schedule) = (at(value), self.reference(value));
                let rt = self.names.runtime(at);
                quote_spanned!(at=> |attempt, floor| #rt::delay(#schedule, attempt, floor))
            }
        }
    }

    /// The user's expression: durations with a unit rewritten, and `self` by the
    /// name that it has in the body.
    /// A reference to a value. `as` binds less tightly than `&`.
    pub(super) fn reference(&self, value: &TokenStream) -> TokenStream {
        let (at, value) = (self.names.at(first_span(value)), self.value(value));
        let is_cast = value
            .clone()
            .into_iter()
            .any(|token| matches!(token, TokenTree::Ident(word) if word == "as"));
        if is_cast { quote_spanned!(at=> &(#value)) } else { quote_spanned!(at=> &#value) }
    }

    pub(super) fn value(&self, value: &TokenStream) -> TokenStream {
        let value = rewritten(value.clone(), self.names);
        match self.plan.function.renamed_self() {
            Some(name) => with_self(value, name),
            None => value,
        }
    }
}

/// Input: `self.classify` Output: `__self.classify`
fn with_self(value: TokenStream, name: &Ident) -> TokenStream {
    value
        .into_iter()
        .map(|token| match token {
            TokenTree::Ident(word) if word == "self" => {
                let mut renamed = name.clone();
                renamed.set_span(name.span().located_at(word.span()));
                TokenTree::Ident(renamed)
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), with_self(group.stream(), name));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            other => other,
        })
        .collect()
}
