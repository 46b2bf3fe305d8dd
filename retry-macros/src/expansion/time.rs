//! Time: the clock, and the end of an attempt that may not take longer.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};

use super::Writer;
use crate::plan::{Handle, Timeout};

impl Writer<'_> {
    /// What tells the time. Evaluated at each use, so that nothing is borrowed
    /// while an attempt runs.
    ///
    /// Input: `self.timer` Output: `rt::key::timer(&self.timer)`
    pub(super) fn timer(&self) -> TokenStream {
        let Writer { plan, span, rt, .. } = self;
        match &plan.timer {
            _ if self.is_blocking() => quote_spanned!(*span=> #rt::ThreadTimer),
            None => quote_spanned!(*span=> #rt::DefaultTimer),
            Some(timer) => {
                let timer = self.values.reference(timer);
                self.values.called("timer", &timer, &timer)
            }
        }
    }

    /// Makes what the keys and the body call their attempt by. It reads the clock, so
    /// it borrows the timer, which may be a temporary.
    ///
    /// Output, for a name that both use:
    /// ```text
    /// let attempt = __retry_call.attempt(rt::DefaultTimer, 4);
    /// _ = &attempt;
    /// let mut __retry_handle = rt::RunningAttempt::new(attempt);
    /// ```
    pub(super) fn handle(&self, handle: &Handle) -> TokenStream {
        let Writer { plan, span, rt, call, .. } = self;
        let attempts = self.attempts();
        let (clock, made) = match &plan.timer {
            _ if self.is_blocking() => {
                (None, quote_spanned!(*span=> #call.attempt_of_thread(#attempts)))
            }
            None => (None, quote_spanned!(*span=> #call.attempt(#rt::DefaultTimer, #attempts))),
            Some(timer) => {
                let (timer, clock) = (self.values.reference(timer), self.names.local("clock"));
                let made =
                    quote_spanned!(*span=> #call.attempt(#rt::key::timer(#clock), #attempts));
                (Some(quote_spanned!(*span=> let #clock = #timer;)), made)
            }
        };
        let Handle { name, is_for_keys, is_for_body } = handle;
        let running = self.names.local("handle");
        let (for_keys, made) = match is_for_keys {
            false => (None, made),
            true => {
                let used = self.borrow(name);
                (Some(quote_spanned!(*span=> let #name = #made; #used)), name.to_token_stream())
            }
        };
        let for_body = is_for_body
            .then(|| quote_spanned!(*span=> let mut #running = #rt::RunningAttempt::new(#made);));
        quote_spanned!(*span=> #clock #for_keys #for_body)
    }

    /// Runs an attempt until its time is over. The end comes first, because it may
    /// be made of what the attempt borrows. What the attempt held is dropped at the
    /// end of the third statement, before its result is made and judged.
    ///
    /// Input: `async { .. }`, `attempt_timeout = 2s`, `on_timeout = Err(Timeout)`
    /// Output:
    /// ```text
    /// let __retry_end = rt::sleep(rt::DefaultTimer, rt::key::time_limit(2s));
    /// let __retry_ended = {
    ///     let __retry_attempt = async { .. };
    ///     rt::bounded(rt::pin!(__retry_end), rt::pin!(__retry_attempt)).await
    /// };
    /// let __retry_result = rt::in_time(__retry_ended, || Err(Timeout));
    /// ```
    pub(super) fn bounded(
        &self,
        timeout: &Timeout,
        clones: &TokenStream,
        attempt: &TokenStream,
        ty: &TokenStream,
    ) -> TokenStream {
        let Writer { plan, span, rt, result, .. } = self;
        let [end, running, ended] = ["end", "attempt", "ended"].map(|name| self.names.local(name));
        let (timer, limit, otherwise) =
            (self.timer(), self.values.value(&timeout.limit), self.values.value(&timeout.result));
        // An attempt that was cut short has said nothing.
        let judges = plan.attempt.as_ref().is_some_and(|handle| handle.is_for_body);
        let handle = self.names.local("handle");
        let lost =
            judges.then(|| quote_spanned!(*span=> if #ended.is_none() { #handle.lose_verdict(); }));
        quote_spanned! {*span=>
            let #end = #rt::sleep(#timer, #rt::key::time_limit(#limit));
            let #ended = {
                #clones
                let #running = #attempt;
                #rt::bounded(#rt::pin!(#end), #rt::pin!(#running)).await
            };
            #lost
            let #result #ty = #rt::in_time(#ended, || #otherwise);
        }
    }
}
