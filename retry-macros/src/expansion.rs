//! Writes a plan as tokens.
//!
//! Input:
//! ```text
//! async fn charge(&self, request: &Charge) -> Result<Receipt, Error> { BODY }
//! ```
//! Output (`rt` stands for `::retry_runtime::__private`):
//! ```text
//! async fn charge(&self, request: &Charge) -> Result<Receipt, Error> {
//!     let mut __retry_call = rt::Attempts::new();
//!     loop {
//!         let __retry_delay = {
//!             let __retry_result: Result<Receipt, Error> = async {
//!                 if let rt::Option::Some(result) = rt::Option::None::<Result<Receipt, Error>> {
//!                     return result;
//!                 }
//!                 match () { () => { BODY } }
//!             }.await;
//!             let __retry_outcome = rt::classify(&__retry_result, CLASSIFY);
//!             let __retry_site = rt::Site { name: "..", attempts: 4 };
//!             match __retry_call.decide(__retry_outcome, rt::budget(&BUDGET), __retry_site, SCHEDULE) {
//!                 rt::Decision::Again { delay } => delay,
//!                 _ => return __retry_result,
//!             }
//!         };
//!         rt::wait(__retry_delay).await;
//!     }
//! }
//! ```
//!
//! Why it has this shape. The async block is not `move`, so an attempt borrows the
//! parameters, and `return` and `?` end the attempt. The loop ends by `return`, not
//! `break`, which Clippy's `implicit_return` would report to the user. The result is out of scope
//! before the wait, so that the future is `Send` whatever the error is. The first
//! statement of the block tells inference the return type before it sees the body.
//! The body keeps its own braces as the arm of a `match`: there they are neither
//! "unnecessary" to a lint nor a block of this crate's edition, which decides when
//! the temporaries of a tail expression are dropped.

use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};

use crate::duration::rewritten;
use crate::function::Body;
use crate::instrumented::borrowing;
use crate::names::{Names, first_span};
use crate::parameters::{Binding, Edit};
use crate::plan::{Attempts, Budget, Classify, Passing, Plan, PolicySource, Schedule};
use crate::return_type::annotation;

pub fn write(mut plan: Plan) -> TokenStream {
    edit_mutability(&mut plan);
    let mut tokens = plan.function.header(|_| true);
    let block = match &plan.function.body {
        Body::Async(block) | Body::Block { block, .. } | Body::Sync(block) => block.clone(),
        Body::None(_) => return tokens,
    };
    let mut body = Group::new(Delimiter::Brace, Writer::new(&plan).call(&block));
    body.set_span(block.span());
    if let Body::Block { surroundings, bindings, .. } = plan.function.body {
        let bindings = bindings.iter().map(ToTokens::to_token_stream).collect();
        body = surroundings.around(body, bindings);
    }
    body.to_tokens(&mut tokens);
    tokens
}

/// A binding's `mut` goes to the copy that an attempt makes; and a binding that is
/// borrowed uniquely needs one.
fn edit_mutability(plan: &mut Plan) {
    let bindings = &plan.bindings;
    plan.function.edit_bindings(&|ident| {
        let found = bindings.iter().find(|(binding, _)| binding.ident == *ident);
        match found.map(|(_, passing)| passing) {
            Some(Passing::Cloned | Passing::Reborrowed | Passing::Copied) => Edit::Remove,
            Some(Passing::BorrowedUniquely) => Edit::Add(ident.span()),
            _ => Edit::Keep,
        }
    });
}

struct Writer<'p> {
    plan: &'p Plan,
    names: &'p Names,
    /// Where our own tokens are.
    span: Span,
    rt: TokenStream,
    call: Ident,
    cancel: Ident,
    policy: Ident,
    result: Ident,
    outcome: Ident,
    delay: Ident,
}

impl<'p> Writer<'p> {
    fn new(plan: &'p Plan) -> Self {
        let names = &plan.names;
        let span = Span::mixed_site();
        Writer {
            plan,
            names,
            span,
            rt: names.runtime(span),
            call: names.local("call"),
            cancel: names.local("cancel"),
            policy: names.local("policy"),
            result: names.local("result"),
            outcome: names.local("outcome"),
            delay: names.local("delay"),
        }
    }

    /// The whole body: what is made once for a call, then the loop.
    fn call(&self, block: &Group) -> TokenStream {
        let Writer { plan, span, call, .. } = self;
        let constant = self.constant();
        let policy = self.policy();
        let cancel = plan.cancel.as_ref().map(|cancel| self.cancel(cancel));
        let limits = self.limits();
        let given_up = plan.cancel.as_ref().map(|_| self.give_up(&quote_spanned!(*span=> )));
        let attempt = self.attempt(block);
        quote_spanned! {*span=>
            #constant
            #policy
            #cancel
            let mut #call = #limits;
            #given_up
            loop { #attempt }
        }
    }

    /// One turn of the loop: the attempt, the decision and the wait.
    fn attempt(&self, block: &Group) -> TokenStream {
        let Writer { plan, span, rt, call, cancel, result, outcome, delay, .. } = self;
        let handle =
            plan.attempt.as_ref().map(|name| quote_spanned!(*span=> let #name = #call.attempt();));
        let usable = self.usable();
        let clones = self.clones();
        let run = self.run(block);
        let classify = self.classify();
        let decide = self.decide();
        let judged = quote_spanned! {*span=>
            let #outcome = #classify;
        };
        let decided = quote_spanned! {*span=>
            match #decide {
                #rt::Decision::Again { delay } => delay,
                _ => return #result,
            }
        };
        let once = quote_spanned! {*span=> #handle #usable #clones };
        if plan.cancel.is_none() {
            return quote_spanned! {*span=>
                let #delay = { #once #run #judged #decided };
                #rt::wait(#delay).await;
            };
        }
        // A wait that is cut short returns the result, so it is kept until then.
        let give_up = self.give_up(&quote_spanned!(*span=> #outcome.is_retry() &&));
        let cut = plan.observe.as_ref().map(|observe| {
            let (budget, site, observe) = (self.budget(), self.site(), self.value(observe));
            quote_spanned!(*span=> #call.cut(#outcome, #budget, #site, #observe);)
        });
        quote_spanned! {*span=>
            #once #run #judged
            #give_up
            let #delay = #decided;
            if !#rt::wait_unless(#cancel.as_mut(), #delay).await {
                #cut
                return #result;
            }
        }
    }

    /// Input: `{ BODY }`
    /// Output: `let __retry_result: R = async { hint; bindings; match () { () => { BODY } } }.await;`
    fn run(&self, block: &Group) -> TokenStream {
        let Writer { plan, span, rt, result, .. } = self;
        let (ty, hint) = match &plan.result {
            None => (quote_spanned!(*span=> ()), TokenStream::new()),
            Some(ty) => {
                let ty = annotation(ty, *span).into_token_stream();
                let hint = quote_spanned! {*span=>
                    if let #rt::Option::Some(#result) = #rt::Option::None::<#ty> {
                        return #result;
                    }
                };
                (ty, hint)
            }
        };
        let bindings: TokenStream =
            plan.bindings.iter().map(|(binding, passing)| self.bind(binding, *passing)).collect();
        let body = TokenTree::Group(borrowing(block));
        quote_spanned! {*span=>
            let #result: #ty = async {
                #hint
                #bindings
                match () { () => #body }
            }.await;
        }
    }

    /// What binds a parameter inside the attempt.
    fn bind(&self, binding: &Binding, passing: Passing) -> TokenStream {
        let Binding { ident, cfgs, mutability, .. } = binding;
        let span = self.names.at(ident.span());
        let rt = self.names.runtime(span);
        // `name @ _` binds what `name` does, in a pattern that is not the user's
        // token alone: Clippy's lints on shadowing know it for generated code.
        let rebind = |value: TokenStream| {
            quote_spanned! {span=>
                #(#cfgs)*
                let #mutability #ident @ _ = #value;
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

    /// The clones are made outside the attempt and moved in: a clone made inside
    /// would need the original to be `Sync`.
    fn clones(&self) -> TokenStream {
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
    fn usable(&self) -> TokenStream {
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
        if let Some(receiver) =
            self.plan.function.signature.receiver().filter(|_| self.plan.borrows_self)
        {
            let token = receiver.self_token;
            let span = self.names.at(token.span);
            let rt = self.names.runtime(span);
            tokens.extend(quote_spanned!(span=> #rt::usable(&#token);));
        }
        tokens
    }

    /// The constant that checks `attempts` when the function is compiled.
    fn constant(&self) -> TokenStream {
        let Attempts::Constant(value) = &self.plan.attempts else { return TokenStream::new() };
        let span = self.names.at(first_span(value));
        let rt = self.names.runtime(span);
        let name = self.names.constant("ATTEMPTS");
        quote_spanned!(span=> const #name: u32 = #rt::attempts(#value);)
    }

    fn attempts(&self) -> TokenStream {
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
    fn policy(&self) -> TokenStream {
        let Writer { plan, policy, .. } = self;
        let used = matches!(plan.attempts, Attempts::Policy)
            || matches!(plan.schedule, Schedule::Policy)
            || plan.within.is_none();
        let Some(source) = plan.policy.as_ref().filter(|_| used) else { return TokenStream::new() };
        let (PolicySource::Policy(value) | PolicySource::Retrier(value)) = source;
        let span = self.names.at(first_span(value));
        let rt = self.names.runtime(span);
        let value = match source {
            PolicySource::Policy(value) => {
                let value = self.value(value);
                quote_spanned!(span=> &#value)
            }
            PolicySource::Retrier(value) => {
                let retrier = self.retrier(value);
                quote_spanned!(span=> #retrier.policy())
            }
        };
        quote_spanned!(span=> let #policy = #rt::policy(#value);)
    }

    /// The state of the call: `rt::Attempts::new()`, with what limits it.
    fn limits(&self) -> TokenStream {
        let Writer { plan, span, rt, policy, .. } = self;
        let mut limits = quote_spanned!(*span=> #rt::Attempts::new());
        if plan.observe.is_some() {
            limits.extend(quote_spanned!(*span=> .observed()));
        }
        if let Some(within) = &plan.within {
            let (span, within) = (self.names.at(first_span(within)), self.value(within));
            limits.extend(quote_spanned!(span=> .within(#within)));
        } else if plan.policy.is_some() {
            limits.extend(quote_spanned!(*span=> .within_option(#policy.time_limit())));
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

    fn cancel(&self, value: &TokenStream) -> TokenStream {
        let Writer { span, rt, cancel, .. } = self;
        let at = self.names.at(first_span(value));
        let (value, here) = (self.value(value), self.names.runtime(at));
        let future = quote_spanned!(at=> #here::cancel(#value));
        quote_spanned!(*span=> let mut #cancel = #rt::pin!(#future);)
    }

    /// Polls the cancellation, which also lets it wake this task.
    fn give_up(&self, condition: &TokenStream) -> TokenStream {
        let Writer { span, rt, call, cancel, .. } = self;
        quote_spanned! {*span=>
            if #condition #rt::is_cancelled(#cancel.as_mut()).await {
                #call.give_up();
            }
        }
    }

    fn classify(&self) -> TokenStream {
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
    fn retrier(&self, value: &TokenStream) -> TokenStream {
        self.shared("retrier", value, self.plan.retrier_is_static)
    }

    /// A reference to a budget or a retrier. What is named like a static must be
    /// one: a constant would be made anew at each use, and has no place for a
    /// `'static` reference to point to.
    fn shared(&self, function: &str, value: &TokenStream, is_static: bool) -> TokenStream {
        let span = self.names.at(first_span(value));
        let (rt, value) = (self.names.runtime(span), self.value(value));
        if is_static {
            let function = Ident::new(&format!("static_{function}"), span);
            return quote_spanned!(span=> #rt::#function(|| &#value));
        }
        let function = Ident::new(function, span);
        quote_spanned!(span=> #rt::#function(&#value))
    }

    fn decide(&self) -> TokenStream {
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

    fn budget(&self) -> TokenStream {
        let Writer { plan, span, rt, .. } = self;
        match &plan.budget {
            Budget::None => quote_spanned!(*span=> #rt::Option::None),
            Budget::Shared { budget, is_static } => self.shared("budget", budget, *is_static),
            Budget::Retrier(retrier) => {
                let at = self.names.at(first_span(retrier));
                let retrier = self.retrier(retrier);
                quote_spanned!(at=> #retrier.budget())
            }
        }
    }

    /// What events and decisions need to know of the function.
    fn site(&self) -> TokenStream {
        let Writer { plan, span, rt, .. } = self;
        let name = match &plan.label {
            Some(label) => self.value(label),
            None => {
                let function = plan.function.signature.ident.to_string();
                let function = Literal::string(function.trim_start_matches("r#"));
                quote_spanned!(*span=> #rt::concat!(#rt::module_path!(), "::", #function))
            }
        };
        let attempts = self.attempts();
        quote_spanned!(*span=> #rt::Site { name: #name, attempts: #attempts })
    }

    /// A function of the attempt and the server's floor, asked only after a retry.
    fn schedule(&self) -> TokenStream {
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
                let (at, value) = (at(value), self.value(value));
                let rt = self.names.runtime(at);
                quote_spanned!(at=> |attempt, floor| #rt::delay(&#value, attempt, floor))
            }
        }
    }

    /// The user's expression: durations with a unit rewritten, and `self` by the
    /// name that it has in the body.
    fn value(&self, value: &TokenStream) -> TokenStream {
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
