//! Writes a plan as tokens.
//!
//! Input:
//! ```text
//! async fn charge(&self, request: &Charge) -> Result<Receipt, Error> { BODY }
//! ```
//! Output (`rt` stands for `::retry_runtime::__private`):
//! ```text
//! async fn charge(&self, request: &Charge) -> Result<Receipt, Error> {
//!     let mut __retry_call = rt::RetryLoop::new(rt::DefaultTimer, LABEL);
//!     loop {
//!         let __retry_delay = {
//!             let __retry_result = async {
//!                 if let rt::Option::Some(result) = rt::Option::None::<Result<Receipt, Error>> {
//!                     return result;
//!                 }
//!                 ({ BODY })
//!             }.await;
//!             let __retry_outcome = rt::key::classify(&(__retry_result), &CLASSIFY);
//!             match __retry_call.decide(__retry_outcome, BUDGET, SITE, SCHEDULE) {
//!                 rt::Decision::Again { delay } => delay,
//!                 _ => return __retry_result,
//!             }
//!         };
//!         rt::wait(rt::DefaultTimer, __retry_delay).await;
//!     }
//! }
//! ```
//! with `"payments::charge"` for `LABEL`, `rt::key::of_static::budget(&PAYMENTS)` for `BUDGET` and
//! `rt::Site { name: LABEL, attempts: 4, timer: rt::DefaultTimer }` for `SITE`.
//!
//! Why it has this shape. The async block is not `move`, so an attempt borrows the
//! parameters, and `return` and `?` end the attempt. The loop ends by `return`, not
//! `break`, which Clippy's `implicit_return` would report to the user. The result is out of scope
//! before the wait, so that the future is `Send` whatever the error is. The first
//! statement of the block tells inference the return type before it sees the body.
//! The body keeps its own braces, so it is a block of the user's edition, which decides
//! when the temporaries of its tail are dropped; in our parentheses they are not
//! "unnecessary" to a lint. The async block's own braces stand where the user's do:
//! Clippy's lints on the end of a function look for it there.

mod attempt;
mod beside_errors;
mod reasons;
mod settings;
mod time;
mod values;

use std::collections::HashMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{FnArg, Token};

use crate::attributes::EXPANDED;
use crate::function::{BlockFuture, Form, edit_bindings};
use crate::marks::is_ours;
use crate::names::Names;
use crate::parameters::{Binding, Edit};
use crate::plan::{Parameter, Passing, Plan};
use crate::tokens::regrouped;
use values::Values;

pub use beside_errors::write as write_beside_errors;

/// `site` is where our own tokens are.
pub fn write(mut plan: Plan, site: Span) -> TokenStream {
    let names = Names::new(plan.krate.take(), site);
    edit_parameters(&mut plan, &names);
    let call = Writer::new(&plan, &names).call();
    plan.body.block = regrouped(&plan.body.block, call);
    if let Form::Block(keyword) = plan.form {
        let keyword = Ident::new("async", keyword);
        let block = plan.body.block;
        return quote_spanned!(keyword.span()=> #keyword #block);
    }
    // An attribute that is left may be a second one of ours, under another name.
    let mut tokens = match plan.header.has_only_inert_attributes() {
        true => TokenStream::new(),
        false => {
            let expanded = Ident::new(EXPANDED, site);
            quote_spanned!(site=> #[rustfmt::#expanded])
        }
    };
    tokens.extend(plan.header.tokens(|attribute| !is_ours(attribute)));
    plan.body.body().to_tokens(&mut tokens);
    tokens
}

/// Changes how the parameters are bound. What an attempt borrows uniquely needs a `mut`. What
/// it binds anew is bound once by the user's tokens, inside the attempt. So the parameter is a
/// variable of ours; or, where a key needs the name, it gets a `mut` of ours, which makes it
/// generated code to Clippy's lints on shadowing.
fn edit_parameters(plan: &mut Plan, names: &Names) {
    let Plan { header, body, parameters, receiver: passing, .. } = plan;
    let ours = Token![mut](names.site);
    let parameters: HashMap<&Ident, &Parameter> =
        parameters.iter().map(|parameter| (&parameter.binding.ident, parameter)).collect();
    edit_bindings(header, body.future.as_mut(), &|ident| {
        let Some(parameter) = parameters.get(ident) else { return Edit::Keep };
        match parameter.passing {
            Passing::AsIs | Passing::Borrowed => Edit::Keep,
            // rustc's errors name the parameter only if this is the user's, and an editor shows
            // `mut` for the parameter if it is there: so it is at the colon.
            Passing::BorrowedUniquely | Passing::AssignedUniquely => {
                let Binding { ident, colon, .. } = &parameter.binding;
                Edit::Mut(Token![mut](colon.unwrap_or_else(|| ident.span())))
            }
            passing if parameter.has_lookalike() => {
                let token = (passing == Passing::ReborrowedPinned).then_some(ours);
                Edit::Rename(token, names.lookalike(ident))
            }
            Passing::ReborrowedPinned | Passing::Cloned | Passing::Reborrowed | Passing::Copied => {
                Edit::Mut(ours)
            }
        }
    });
    if let (Passing::BorrowedUniquely, Some(FnArg::Receiver(receiver))) =
        (passing, header.signature.inputs.first_mut())
    {
        receiver.mutability = Some(ours);
    }
}

struct Writer<'p> {
    plan: &'p Plan,
    names: &'p Names,
    values: Values<'p>,
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
    fn new(plan: &'p Plan, names: &'p Names) -> Self {
        let span = names.site;
        let renamed_self = plan.body.future.as_ref().and_then(BlockFuture::renamed_self);
        Writer {
            plan,
            names,
            values: Values::new(names, span, renamed_self),
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

    fn is_blocking(&self) -> bool {
        matches!(self.plan.form, Form::Blocking)
    }

    /// The whole body: what is made once for a call, then the loop.
    fn call(&self) -> TokenStream {
        let Writer { plan, span, call, .. } = self;
        let constant = self.constant();
        let policy = self.policy();
        let limits = self.limits();
        let awaited = plan.cancel.as_ref().filter(|_| !self.is_blocking());
        let given_up = awaited.map(|_| self.give_up_at_first());
        let turn = self.turn();
        let looped = quote_spanned! {*span=>
            #given_up
            loop { #turn }
        };
        let looped = match awaited {
            None => looped,
            Some(cancel) => self.cancellable(cancel, &looped),
        };
        quote_spanned! {*span=>
            #constant
            #policy
            let mut #call = #limits;
            #looped
        }
    }

    /// One turn of the loop: the attempt, the decision and the wait.
    fn turn(&self) -> TokenStream {
        let Writer { plan, span, rt, cancel, result, outcome, delay, .. } = self;
        let handle = plan.attempt.as_ref().map(|handle| self.handle(handle));
        let timer = self.timer();
        let usable = self.usable();
        let attempt = self.attempt();
        let classify = self.verdict();
        // Evaluated once, where a call that is dropped before the decision has to pay.
        let evaluated = plan.cancel.as_ref().filter(|_| !self.is_blocking());
        let evaluated = evaluated.map(|_| self.names.local("budget"));
        let decide = match &evaluated {
            None => self.decide(&self.budget()),
            Some(evaluated) => self.decide(&evaluated.to_token_stream()),
        };
        let still_usable = self.still_usable();
        let judged = quote_spanned! {*span=>
            #still_usable
            let #outcome = #classify;
        };
        let taken = self.taken().filter(|taken| !taken.is_empty());
        let end = match taken {
            Some(taken) => quote_spanned!(*span=> { #taken return #result }),
            None => quote_spanned!(*span=> return #result),
        };
        let decided = quote_spanned! {*span=>
            match #decide {
                #rt::Decision::Again { delay } => delay,
                _ => #end,
            }
        };
        let once = quote_spanned! {*span=> #handle #usable };
        let Some(cancelled) = &plan.cancel else {
            let wait = match self.is_blocking() {
                true => quote_spanned!(*span=> #rt::block(#delay)),
                false => quote_spanned!(*span=> #rt::wait(#timer, #delay).await),
            };
            return quote_spanned! {*span=>
                let #delay = { #once #attempt #judged #decided };
                #wait;
            };
        };
        // A wait that is cut short returns the result, so it is kept until then.
        let give_up = self.give_up(evaluated.as_ref());
        let cut = match &plan.observe {
            None => {
                let site = self.site();
                let call = self.telling();
                quote_spanned!(*span=> #call.cut_unobserved(#site);)
            }
            Some(observe) => {
                let (budget, site, observe) =
                    (self.budget(), self.site(), self.values.observe(observe));
                let call = self.telling();
                quote_spanned!(*span=> #call.cut(#outcome, #budget, #site, #observe);)
            }
        };
        let waited = match self.is_blocking() {
            true => {
                let cancelled = self.values.value(cancelled);
                let arguments = quote_spanned!(*span=> #delay, #cancelled);
                self.values.called("block_unless", &cancelled, &arguments)
            }
            false => {
                quote_spanned!(*span=> #rt::wait_unless(#timer, &mut #cancel, #delay).await)
            }
        };
        let decided = match evaluated {
            None => quote_spanned!(*span=> #give_up let #delay = #decided;),
            Some(evaluated) => {
                let budget = self.budget();
                quote_spanned! {*span=>
                    let #delay = match #budget {
                        #evaluated => {
                            #give_up
                            #decided
                        }
                    };
                }
            }
        };
        quote_spanned! {*span=>
            #once #attempt #judged
            #decided
            if !#waited {
                #cut
                return #result;
            }
        }
    }
}
