//! The settings: where each value of a key goes in the expansion.

use proc_macro2::{Ident, Literal, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};

use super::Writer;
use crate::duration::rewritten;
use crate::function::{BlockFuture, Form};
use crate::plan::{Attempts, Budget, Classify, Schedule, Shared, Source};
use crate::tokens::{first_span, is_punct, replaced};

impl Writer<'_> {
    /// The constant that checks `attempts` when the function is compiled.
    pub(super) fn constant(&self) -> TokenStream {
        let Some(Attempts::Constant(value)) = self.given_attempts() else {
            return TokenStream::new();
        };
        let span = self.names.at(first_span(value));
        let rt = self.names.runtime(span);
        let name = self.names.constant("ATTEMPTS");
        quote_spanned!(span=> const #name: u32 = #rt::attempts(#value);)
    }

    pub(super) fn attempts(&self) -> TokenStream {
        let Writer { span, rt, policy, .. } = self;
        match self.given_attempts() {
            Some(Attempts::Literal(number)) => Literal::u32_unsuffixed(*number).into_token_stream(),
            Some(Attempts::Unlimited) => quote_spanned!(*span=> #rt::UNLIMITED),
            Some(Attempts::Constant(_)) => self.names.constant("ATTEMPTS").into_token_stream(),
            Some(Attempts::Generic(value)) => {
                let span = self.names.at(first_span(value));
                let rt = self.names.runtime(span);
                quote_spanned!(span=> const { #rt::attempts(#value) })
            }
            None => quote_spanned!(*span=> #rt::max_attempts(&#policy)),
        }
    }

    /// The number of attempts, unless it is the policy's.
    fn given_attempts(&self) -> Option<&Attempts> {
        match &self.plan.source {
            Source::Keys { attempts, .. } => Some(attempts),
            Source::Policy { attempts, .. } | Source::Retrier { attempts, .. } => attempts.as_ref(),
        }
    }

    /// The policy, read once when the call begins.
    pub(super) fn policy(&self) -> TokenStream {
        let Writer { plan, policy, .. } = self;
        let is_overridden =
            self.given_attempts().is_some() && plan.schedule.is_some() && plan.within.is_some();
        if is_overridden {
            return TokenStream::new();
        }
        let (value, found) = match &plan.source {
            Source::Keys { .. } => return TokenStream::new(),
            Source::Policy { policy, .. } => (policy, self.reference(policy)),
            Source::Retrier { retrier, .. } => {
                (&retrier.value, self.of_retrier(retrier, "policy", None))
            }
        };
        let span = self.names.at(first_span(value));
        let rt = self.names.runtime(span);
        quote_spanned!(span=> let #policy = #rt::policy(#found);)
    }

    /// The state of the call: `rt::RetryLoop::new(rt::DefaultTimer, LABEL)`, with what limits it.
    pub(super) fn limits(&self) -> TokenStream {
        let Writer { plan, span, rt, policy, .. } = self;
        let timer = self.timer();
        let label = self.label_at_first();
        let mut limits = quote_spanned!(*span=> #rt::RetryLoop::new(#timer, #label));
        if plan.observe.is_some() {
            limits.extend(quote_spanned!(*span=> .observed(#timer)));
        }
        match (&plan.within, &plan.source) {
            (Some(within), _) => {
                let within = self.limit("time_limit", within);
                limits.extend(quote_spanned!(*span=> .within(#timer, #within)));
            }
            (None, Source::Keys { .. }) => {}
            (None, Source::Policy { .. } | Source::Retrier { .. }) => {
                limits.extend(quote_spanned!(*span=> .within(#timer, #policy.time_limit())));
            }
        }
        if let Some(deadline) = &plan.deadline {
            let deadline = self.limit("deadline", deadline);
            limits.extend(match self.is_blocking() {
                true => quote_spanned!(*span=> .deadline(#rt::deadline_of_threads(#deadline))),
                false => quote_spanned!(*span=> .deadline(#deadline)),
            });
        }
        if plan.cancel.is_some() {
            limits.extend(quote_spanned!(*span=> .cancellable()));
        }
        limits
    }

    /// A limit in time, which may be an `Option` unless nothing else ends the call.
    ///
    /// Input: `within = self.limit` Output: `rt::time_limit(self.limit)`
    fn limit(&self, function: &str, value: &TokenStream) -> TokenStream {
        let span = self.names.at(first_span(value));
        let is_unlimited = matches!(self.given_attempts(), Some(Attempts::Unlimited));
        let function = match is_unlimited {
            true => Ident::new(&format!("sure_{function}"), span),
            false => Ident::new(function, span),
        };
        let (rt, value) = (self.names.runtime(span), self.value(value));
        quote_spanned!(span=> #rt::#function(#value))
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

    /// Polls the cancellation before the first attempt, which lets it wake this task.
    pub(super) fn give_up_at_first(&self) -> TokenStream {
        let Writer { span, rt, call, cancel, .. } = self;
        quote_spanned! {*span=>
            if #rt::begins_cancelled(#cancel.as_mut()).await {
                #call.give_up();
            }
        }
    }

    /// Polls the cancellation after an attempt that asks for another.
    pub(super) fn give_up(&self) -> TokenStream {
        let Writer { plan, span, rt, call, cancel, outcome, .. } = self;
        if let Some(cancelled) = plan.cancel.as_ref().filter(|_| self.is_blocking()) {
            let (at, cancelled) = (self.names.at(first_span(cancelled)), self.value(cancelled));
            let rt = self.names.runtime(at);
            let asked = quote_spanned!(at=> #rt::is_given_up(#cancelled));
            return quote_spanned! {*span=>
                if #outcome.asks_again() && #asked {
                    #call.give_up();
                }
            };
        }
        quote_spanned! {*span=>
            if #outcome.asks_again() && #rt::is_cancelled(#cancel.as_mut()).await {
                #call.give_up();
            }
        }
    }

    /// The body's own verdict, and without one the classifier's.
    ///
    /// Input: `classify_http`, `attempt = attempt`
    /// Output:
    /// ```text
    /// match __retry_handle.verdict() {
    ///     rt::Option::Some(verdict) => verdict,
    ///     rt::Option::None => rt::classify(&__retry_result, &classify_http),
    /// }
    /// ```
    pub(super) fn verdict(&self) -> TokenStream {
        let Writer { plan, span, rt, .. } = self;
        let classify = self.classify();
        if !plan.attempt.as_ref().is_some_and(|handle| handle.is_for_body) {
            return classify;
        }
        let handle = self.names.local("handle");
        quote_spanned! {*span=>
            match #handle.verdict() {
                #rt::Option::Some(verdict) => verdict,
                #rt::Option::None => #classify,
            }
        }
    }

    /// Input: `classify_http`
    /// Output: `rt::classify(&__retry_result, &classify_http)`
    ///
    /// A closure is passed by value to a function that deduces its parameter's type.
    pub(super) fn classify(&self) -> TokenStream {
        let Writer { plan, result, .. } = self;
        let at = match &plan.result {
            Some(ty) => self.names.at(first_span(ty)),
            None => self.names.at(plan.header.signature.ident.span()),
        };
        let mut result = result.clone();
        result.set_span(at);
        let result = quote_spanned!(at=> &#result);
        let classify = match &plan.source {
            Source::Keys { classify, .. }
            | Source::Policy { classify, .. }
            | Source::Retrier { classify: Some(classify), .. } => classify,
            Source::Retrier { retrier, classify: None, .. } => {
                return self.of_retrier(retrier, "classify", Some(result));
            }
        };
        let (function, value, given) = match classify {
            Classify::Closure(value) => ("classify_by", value, self.value(value)),
            Classify::Value(value) => ("classify", value, self.classifier(value)),
            Classify::Error(value) => ("classify_err", value, self.value(value)),
        };
        let span = self.names.at(first_span(value));
        let (rt, function) = (self.names.runtime(span), Ident::new(function, span));
        quote_spanned!(span=> #rt::#function(#result, #given))
    }

    /// A reference to a classifier. What is a reference is given as one: one to a
    /// `Classify` is none itself.
    pub(super) fn classifier(&self, value: &TokenStream) -> TokenStream {
        match is_punct(value.clone().into_iter().next().as_ref(), '&') {
            true => self.value(value),
            false => self.reference(value),
        }
    }

    /// Input: `self.retrier`, `classify`, `&result`
    /// Output: `rt::retrier(&self.retrier).classify(&result)`
    ///
    /// A static is returned by a function. The retrier is written more than once, and rustc
    /// says of a constant in a function's body only once that it cannot be returned.
    pub(super) fn of_retrier(
        &self,
        retrier: &Shared,
        method: &str,
        argument: Option<TokenStream>,
    ) -> TokenStream {
        let span = self.names.at(first_span(&retrier.value));
        let (rt, value) = (self.names.runtime(span), self.reference(&retrier.value));
        let method = Ident::new(method, span);
        let retrier = match retrier.is_static {
            true => quote_spanned!(span=> #rt::static_retrier(|| #value)),
            false => quote_spanned!(span=> #rt::retrier(#value)),
        };
        quote_spanned!(span=> #retrier.#method(#argument))
    }

    pub(super) fn decide(&self) -> TokenStream {
        let Writer { plan, span, outcome, .. } = self;
        let (budget, site, schedule) = (self.budget(), self.site(), self.schedule());
        let call = self.telling();
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

    /// A reference to the budget. What is named like a static must be one: a constant
    /// would be made anew at each use, and has no place for a `'static` reference to
    /// point to.
    pub(super) fn budget(&self) -> TokenStream {
        let Writer { plan, span, rt, .. } = self;
        let budget = match &plan.source {
            Source::Keys { budget, .. }
            | Source::Policy { budget, .. }
            | Source::Retrier { budget: Some(budget), .. } => budget,
            Source::Retrier { retrier, budget: None, .. } => {
                return self.of_retrier(retrier, "budget", None);
            }
        };
        let Budget::Shared(Shared { value, is_static }) = budget else {
            return quote_spanned!(*span=> #rt::Option::None);
        };
        let span = self.names.at(first_span(value));
        let (rt, value) = (self.names.runtime(span), self.reference(value));
        match is_static {
            true => quote_spanned!(span=> #rt::static_budget(#value)),
            false => quote_spanned!(span=> #rt::budget(#value)),
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
        match &self.plan.label {
            Some(label) => self.value(label),
            None => self.path_of_function(),
        }
    }

    /// The label of a call that is dropped in its first attempt. What is computed is
    /// evaluated after an attempt alone.
    fn label_at_first(&self) -> TokenStream {
        let is_constant = |label: &&TokenStream| {
            let mut tokens = (*label).clone().into_iter();
            let first = tokens.next();
            matches!((first, tokens.next()), (Some(TokenTree::Literal(_)), None))
        };
        match self.plan.label.as_ref().filter(is_constant) {
            Some(label) => self.value(label),
            None => self.path_of_function(),
        }
    }

    fn path_of_function(&self) -> TokenStream {
        let Writer { plan, span, rt, .. } = self;
        if matches!(plan.form, Form::Block(_)) {
            return quote_spanned!(*span=> #rt::module_path!());
        }
        let function = plan.header.signature.ident.to_string();
        let function = Literal::string(function.trim_start_matches("r#"));
        quote_spanned!(*span=> #rt::concat!(#rt::module_path!(), "::", #function))
    }

    /// A function of the attempt and the server's floor, asked only after a retry.
    pub(super) fn schedule(&self) -> TokenStream {
        let Writer { plan, span, rt, policy, .. } = self;
        let at = |value| self.names.at(first_span(value));
        match (&plan.schedule, &plan.source) {
            (None, Source::Keys { .. }) => quote_spanned!(*span=> #rt::default_delay),
            (None, Source::Policy { .. } | Source::Retrier { .. }) => quote_spanned! {*span=>
                |attempt, floor| #rt::delay(&#policy.schedule(), attempt, floor)
            },
            (Some(Schedule::Closure(value)), _) => {
                let (at, value) = (at(value), self.value(value));
                let rt = self.names.runtime(at);
                quote_spanned!(at=> |attempt, floor| #rt::delay_by(#value, attempt, floor))
            }
            (Some(Schedule::Value(value)), _) => {
                let (at, schedule) = (at(value), self.reference(value));
                let rt = self.names.runtime(at);
                quote_spanned!(at=> |attempt, floor| #rt::delay(#schedule, attempt, floor))
            }
        }
    }

    /// A reference to a value. `as` binds less tightly than `&`.
    pub(super) fn reference(&self, value: &TokenStream) -> TokenStream {
        let (at, value) = (self.names.at(first_span(value)), self.value(value));
        let is_cast = value
            .clone()
            .into_iter()
            .any(|token| matches!(token, TokenTree::Ident(word) if word == "as"));
        if is_cast { quote_spanned!(at=> &(#value)) } else { quote_spanned!(at=> &#value) }
    }

    /// The user's expression: durations with a unit rewritten, and `self` by the
    /// name that it has in the body.
    pub(super) fn value(&self, value: &TokenStream) -> TokenStream {
        let value = rewritten(value.clone(), self.names);
        match self.plan.body.future.as_ref().and_then(BlockFuture::renamed_self) {
            Some(name) => with_self(value, name),
            None => value,
        }
    }
}

/// Input: `self.classify` Output: `__self.classify`
fn with_self(value: TokenStream, name: &Ident) -> TokenStream {
    replaced(value, &|token| match token {
        TokenTree::Ident(word) if word == "self" => {
            let mut renamed = name.clone();
            renamed.set_span(name.span().located_at(word.span()));
            renamed.into_token_stream()
        }
        other => other.into(),
    })
}
