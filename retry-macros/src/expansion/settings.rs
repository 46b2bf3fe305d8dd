//! The settings: where each value of a key goes in the expansion.

use proc_macro2::{Delimiter, Group, Ident, Literal, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};

use super::Writer;
use crate::duration::rewritten;
use crate::function::{BlockFuture, Form};
use crate::plan::{Attempts, Budget, Classify, Schedule, Shared, Source};
use crate::tokens::{ends, first_span, is_closure, is_punct, replaced};

impl Writer<'_> {
    /// The constant that checks `attempts` when the function is compiled.
    pub(super) fn constant(&self) -> TokenStream {
        let Some(Attempts::Constant(value)) = self.given_attempts() else {
            return TokenStream::new();
        };
        let Writer { span, .. } = self;
        let name = self.names.constant("ATTEMPTS");
        let attempts = self.called("attempts", value, &self.value(value));
        quote_spanned!(*span=> const #name: u32 = #attempts;)
    }

    pub(super) fn attempts(&self) -> TokenStream {
        let Writer { span, rt, policy, .. } = self;
        match self.given_attempts() {
            Some(Attempts::Literal(number)) => Literal::u32_unsuffixed(*number).into_token_stream(),
            Some(Attempts::Unlimited) => quote_spanned!(*span=> #rt::UNLIMITED),
            Some(Attempts::Constant(_)) => self.names.constant("ATTEMPTS").into_token_stream(),
            Some(Attempts::Generic(value)) => {
                let attempts = self.called("attempts", value, &self.value(value));
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
                let value = self.reference(policy);
                quote_spanned!(*span=> #rt::key::policy(#value))
            }
            Source::Retrier { retrier, .. } => self.of_retrier(retrier, "policy", None),
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
        let value = self.value(value);
        quote_spanned!(*span=> #rt::key::#function(#value))
    }

    /// Input: `self.shutdown.cancelled()`, and what is to run
    /// Output:
    /// ```text
    /// match rt::given(INPUT) {
    ///     __retry_cancel => {
    ///         let mut __retry_cancel =
    ///             rt::pin!(rt::cancellation(async { rt::completed((__retry_cancel).await) }));
    ///         RUN
    ///     }
    /// }
    /// ```
    ///
    /// Evaluated in the function itself, so that `self.shutdown.clone().cancelled_owned()`
    /// borrows nothing; and by a `match`, whose temporaries live as long as the call, so
    /// that `receiver.clone().wait_for(..)` can borrow its own. Without the async block, a
    /// value that is no future would be an error at each use; with it, where it is awaited.
    pub(super) fn cancellable(&self, value: &TokenStream, run: &TokenStream) -> TokenStream {
        let Writer { span, rt, cancel, .. } = self;
        let at = self.names.at(first_span(value));
        let value = self.value(value);
        let awaited = quote_spanned!(at=> (#cancel).await);
        quote_spanned! {*span=>
            match #rt::given(#value) {
                #cancel => {
                    let mut #cancel =
                        #rt::pin!(#rt::cancellation(async { #rt::completed(#awaited) }));
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
            let cancelled = self.value(cancelled);
            let asked = self.called("is_given_up", &cancelled, &cancelled);
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

    /// Input: `classify_http`
    /// Output: `rt::key::classify(&__retry_result, &classify_http)`
    ///
    /// A closure is passed by value to a function that deduces its parameter's type.
    pub(super) fn classify(&self) -> TokenStream {
        let Writer { plan, span, rt, result, .. } = self;
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
                return self.of_retrier(retrier, "classify", Some(result));
            }
        };
        let (function, given) = match classify {
            Classify::Closure(value) => ("classify_by", self.value(value)),
            Classify::Value(value) => {
                let value = self.reference(value);
                return quote_spanned!(*span=> #rt::key::classify(#result, #value));
            }
            Classify::Error(value) => ("classify_err", self.value(value)),
        };
        self.called(function, &given, &quote_spanned!(*span=> #result, #given))
    }

    /// Input: `timer`, `&self.timer` Output: `(rt::key::timer)(&self.timer)`
    ///
    /// For functions whose errors rustc reports at the call: its parentheses have the place of
    /// the value, from the first token to the last.
    pub(super) fn called(
        &self,
        function: &str,
        value: &TokenStream,
        arguments: &TokenStream,
    ) -> TokenStream {
        let Writer { span, rt, .. } = self;
        let (first, last) = ends(value);
        let function = Ident::new(function, *span);
        let function = quote_spanned!(*span=> #rt::key::#function);
        let function = quote_spanned!(self.names.at(first)=> (#function));
        let mut arguments = Group::new(Delimiter::Parenthesis, arguments.clone());
        arguments.set_span(self.names.at(last));
        quote_spanned!(*span=> #function #arguments)
    }

    /// Input: `self.retrier`, `classify`, `&result`
    /// Output: `rt::key::retrier::classify(&result, &self.retrier)`
    ///
    /// A static is returned by a function. The retrier is written more than once, and rustc
    /// says of a constant in a function's body only once that it cannot be returned.
    pub(super) fn of_retrier(
        &self,
        retrier: &Shared,
        part: &str,
        argument: Option<TokenStream>,
    ) -> TokenStream {
        let Writer { span, rt, .. } = self;
        let value = self.reference(&retrier.value);
        let part = Ident::new(part, *span);
        let argument = argument.map(|argument| quote_spanned!(*span=> #argument,));
        let retrier = match retrier.is_static {
            true => {
                let bars = quote_spanned!(self.names.at(first_span(&retrier.value))=> ||);
                quote_spanned!(*span=> #rt::key::of_static::retrier(#bars #value))
            }
            false => value,
        };
        quote_spanned!(*span=> #rt::key::retrier::#part(#argument #retrier))
    }

    pub(super) fn decide(&self) -> TokenStream {
        let Writer { plan, span, outcome, .. } = self;
        let (budget, site, schedule) = (self.budget(), self.site(), self.schedule());
        let call = self.telling();
        match &plan.observe {
            None => quote_spanned! {*span=> #call.decide(#outcome, #budget, #site, #schedule) },
            Some(observe) => {
                let observe = self.observe(observe);
                quote_spanned! {*span=>
                    #call.decide_observed(#outcome, #budget, #site, #schedule, #observe)
                }
            }
        }
    }

    /// Input: `log_event` Output: `rt::key::observe(log_event)`
    pub(super) fn observe(&self, value: &TokenStream) -> TokenStream {
        let Writer { span, rt, .. } = self;
        let value = self.value(value);
        quote_spanned!(*span=> #rt::key::observe(#value))
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
        let value = self.reference(value);
        match is_static {
            true => quote_spanned!(*span=> #rt::key::of_static::budget(#value)),
            false => quote_spanned!(*span=> #rt::key::budget(#value)),
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

    /// A function of the step and the server's floor, asked only after a retry.
    pub(super) fn schedule(&self) -> TokenStream {
        let Writer { plan, span, rt, policy, .. } = self;
        let asked = match (&plan.schedule, &plan.source) {
            (None, Source::Keys { .. }) => return quote_spanned!(*span=> #rt::default_delay),
            (None, Source::Policy { .. } | Source::Retrier { .. }) => {
                quote_spanned!(*span=> #rt::key::schedule(&#policy.schedule(), step, floor))
            }
            (Some(Schedule::Closure(value)), _) => {
                let value = self.value(value);
                let arguments = quote_spanned!(*span=> #value, step, floor);
                self.called("schedule_by", &value, &arguments)
            }
            (Some(Schedule::Value(value)), _) => {
                let value = self.reference(value);
                quote_spanned!(*span=> #rt::key::schedule(#value, step, floor))
            }
        };
        quote_spanned!(*span=> |step, floor| #asked)
    }

    /// Input: `self.timer` Output: `&self.timer`
    ///
    /// What is a reference is given as one: one to it is no `Classify` and no `Schedule`.
    pub(super) fn reference(&self, value: &TokenStream) -> TokenStream {
        let given = self.value(value);
        if is_punct(value.clone().into_iter().next().as_ref(), '&') {
            return given;
        }
        let and = quote_spanned!(self.names.at(first_span(value))=> &);
        quote_spanned!(self.span=> #and #given)
    }

    /// The user's expression: durations with a unit rewritten, and `self` by the
    /// name that it has in the body. It is in parentheses if it is more than a path or a call:
    /// then it is one operand, and no lint calls parentheses or braces of its own unnecessary.
    pub(super) fn value(&self, value: &TokenStream) -> TokenStream {
        let (_, last) = ends(value);
        let value = rewritten(value.clone(), self.names);
        let value = match self.plan.body.future.as_ref().and_then(BlockFuture::renamed_self) {
            Some(name) => with_self(value, name),
            None => value,
        };
        if is_operand(&value) || is_closure(&value) {
            return value;
        }
        let mut group = Group::new(Delimiter::Parenthesis, value);
        group.set_span(self.names.at(last));
        group.into_token_stream()
    }
}

/// Whether tokens are one operand by their look: a path, a field, a call, a literal.
fn is_operand(value: &TokenStream) -> bool {
    const WORDS: &[&str] = &[
        "as", "if", "match", "loop", "while", "for", "unsafe", "async", "const", "return", "break",
        "box", "let",
    ];
    let tokens: Vec<TokenTree> = value.clone().into_iter().collect();
    !matches!(tokens.first(), Some(TokenTree::Group(_) | TokenTree::Punct(_)))
        && tokens.iter().all(|token| match token {
            TokenTree::Ident(word) => !WORDS.iter().any(|other| word == other),
            TokenTree::Punct(punct) => matches!(punct.as_char(), '.' | ':'),
            TokenTree::Group(group) => group.delimiter() == Delimiter::Parenthesis,
            TokenTree::Literal(_) => true,
        })
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
