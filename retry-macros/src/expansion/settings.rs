//! The settings: where each value of a key goes in the expansion. In one file, though a
//! long one, so that the place of each key is found by reading down.

use proc_macro2::{Ident, Literal, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};

use super::Writer;
use crate::function::Form;
use crate::plan::{Attempts, Budget, Shared, Source};
use crate::tokens::first_span;

impl Writer<'_> {
    /// The constant that checks `attempts` when the function is compiled.
    pub(super) fn constant(&self) -> TokenStream {
        let Some(Attempts::Constant(value)) = self.given_attempts() else {
            return TokenStream::new();
        };
        let Writer { span, .. } = self;
        let name = self.names.constant("ATTEMPTS");
        let attempts = self.values.called("attempts", value, &self.values.value(value));
        quote_spanned!(*span=> const #name: u32 = #attempts;)
    }

    pub(super) fn attempts(&self) -> TokenStream {
        let Writer { span, rt, policy, .. } = self;
        match self.given_attempts() {
            Some(Attempts::Literal(number)) => Literal::u32_unsuffixed(*number).into_token_stream(),
            Some(Attempts::Unlimited) => quote_spanned!(*span=> #rt::UNLIMITED),
            Some(Attempts::Constant(_)) => self.names.constant("ATTEMPTS").into_token_stream(),
            Some(Attempts::Generic(value)) => {
                let attempts = self.values.called("attempts", value, &self.values.value(value));
                quote_spanned!(*span=> const { #attempts })
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
        let Writer { plan, span, rt, policy, .. } = self;
        let is_overridden =
            self.given_attempts().is_some() && plan.schedule.is_some() && plan.within.is_some();
        if is_overridden {
            return TokenStream::new();
        }
        let found = match &plan.source {
            Source::Keys { .. } => return TokenStream::new(),
            Source::Policy { policy, .. } => {
                let value = self.values.reference(policy);
                quote_spanned!(*span=> #rt::key::policy(#value))
            }
            Source::Retrier { retrier, .. } => self.values.of_retrier(retrier, "policy", None),
        };
        quote_spanned!(*span=> let #policy = #found;)
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
    /// Input: `within = self.limit` Output: `rt::key::time_limit(self.limit)`
    fn limit(&self, function: &str, value: &TokenStream) -> TokenStream {
        let Writer { span, rt, .. } = self;
        let is_unlimited = matches!(self.given_attempts(), Some(Attempts::Unlimited));
        let function = match is_unlimited {
            true => Ident::new(&format!("sure_{function}"), *span),
            false => Ident::new(function, *span),
        };
        let value = self.values.value(value);
        quote_spanned!(*span=> #rt::key::#function(#value))
    }

    /// Input: `self.shutdown.cancelled()`, and what is to run
    /// Output:
    /// ```text
    /// match (rt::key::cancel)(INPUT) {
    ///     __retry_cancel => {
    ///         let mut __retry_cancel = (__retry_cancel.1, rt::pin!(rt::signal(__retry_cancel)));
    ///         RUN
    ///     }
    /// }
    /// ```
    ///
    /// Evaluated in the function itself, so that `self.shutdown.clone().cancelled_owned()`
    /// borrows nothing; and by a `match`, whose temporaries live as long as the call, so
    /// that `receiver.clone().wait_for(..)` can borrow its own.
    pub(super) fn cancellable(&self, value: &TokenStream, run: &TokenStream) -> TokenStream {
        let Writer { span, rt, cancel, .. } = self;
        let value = self.values.cancel(value);
        quote_spanned! {*span=>
            match #value {
                #cancel => {
                    let mut #cancel = (#cancel.1, #rt::pin!(#rt::signal(#cancel)));
                    #run
                }
            }
        }
    }

    /// Polls the cancellation before the first attempt, which lets it wake this task.
    pub(super) fn give_up_at_first(&self) -> TokenStream {
        let Writer { span, rt, call, cancel, .. } = self;
        quote_spanned! {*span=>
            if #rt::begins_cancelled(&mut #cancel).await {
                #call.give_up();
            }
        }
    }

    /// Polls the cancellation after an attempt that asks for another.
    /// `budget` is the variable that holds it, which a function that blocks does not need.
    pub(super) fn give_up(&self, budget: Option<&Ident>) -> TokenStream {
        let Writer { plan, span, rt, call, cancel, outcome, .. } = self;
        if let Some(cancelled) = plan.cancel.as_ref().filter(|_| self.is_blocking()) {
            let cancelled = self.values.value(cancelled);
            let asked = self.values.called("is_given_up", &cancelled, &cancelled);
            return quote_spanned! {*span=>
                if #outcome.asks_again() && #asked {
                    #call.give_up();
                }
            };
        }
        quote_spanned! {*span=>
            if #outcome.asks_again()
                && #rt::is_cancelled(&mut #cancel, #outcome, #budget).await
            {
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
    ///     rt::Option::None => rt::key::classify(&(__retry_result), &classify_http),
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

    /// The outcome that the classifier gives: that of a key, or of the retrier.
    pub(super) fn classify(&self) -> TokenStream {
        let Writer { plan, result, .. } = self;
        // In parentheses at the return type, where rustc says what is wrong with it.
        let at = match &plan.result {
            Some(ty) => self.names.at(first_span(ty)),
            None => self.names.at(plan.header.signature.ident.span()),
        };
        let result = quote_spanned!(at=> &(#result));
        let classify = match &plan.source {
            Source::Keys { classify, .. }
            | Source::Policy { classify, .. }
            | Source::Retrier { classify: Some(classify), .. } => classify,
            Source::Retrier { retrier, classify: None, .. } => {
                return self.values.of_retrier(retrier, "classify", Some(result));
            }
        };
        self.values.classify(classify, &result)
    }

    pub(super) fn decide(&self, budget: &TokenStream) -> TokenStream {
        let Writer { plan, span, outcome, .. } = self;
        let (site, schedule) = (self.site(), self.schedule());
        let call = self.telling();
        match &plan.observe {
            None => quote_spanned! {*span=> #call.decide(#outcome, #budget, #site, #schedule) },
            Some(observe) => {
                let observe = self.values.observe(observe);
                quote_spanned! {*span=>
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
                return self.values.of_retrier(retrier, "budget", None);
            }
        };
        let Budget::Shared(Shared { value, is_static }) = budget else {
            return quote_spanned!(*span=> #rt::Option::None);
        };
        let value = self.values.reference(value);
        match is_static {
            true => quote_spanned!(*span=> #rt::key::of_static::budget(#value)),
            false => quote_spanned!(*span=> #rt::key::of_shared::budget(#value)),
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
            Some(label) => self.values.name(label),
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
            Some(label) => self.values.name(label),
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

    /// A function of the step and the server's floor, asked only after a retry.
    pub(super) fn schedule(&self) -> TokenStream {
        let Writer { plan, span, rt, policy, .. } = self;
        let asked = match (&plan.schedule, &plan.source) {
            (None, Source::Keys { .. }) => return quote_spanned!(*span=> #rt::default_delay),
            (None, Source::Policy { .. } | Source::Retrier { .. }) => {
                quote_spanned!(*span=> #rt::key::schedule(&#policy.schedule(), step, floor))
            }
            (Some(schedule), _) => {
                self.values.schedule(schedule, &quote_spanned!(*span=> step, floor))
            }
        };
        quote_spanned!(*span=> |step, floor| #asked)
    }
}
