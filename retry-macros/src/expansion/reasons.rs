//! Reasons: what the events say of an error.

use proc_macro2::TokenStream;
use quote::quote_spanned;

use super::Writer;
use crate::plan::{Classify, Source};

impl Writer<'_> {
    /// The call, with the text of its events if anything gives one: the key `err`, or for an
    /// observer the classifier.
    ///
    /// Input: `err`
    /// Output:
    /// ```text
    /// __retry_call.because({
    ///     use rt::key::{ByItself as _, WithSources as _, WithSourcesBehind as _};
    ///     (&&(rt::key::err)(&(__retry_result))).reason()
    /// })
    /// ```
    pub(super) fn telling(&self) -> TokenStream {
        let Writer { plan, span, call, .. } = self;
        let reason = match &plan.reason {
            Some(reason) => Some(self.values.reason(reason, &self.result)),
            None if plan.observe.is_some() => self.explanation(),
            None => None,
        };
        match reason {
            Some(reason) => quote_spanned!(*span=> #call.because(#reason)),
            None => quote_spanned!(*span=> #call),
        }
    }

    /// What the classifier says. It is asked only where an attempt did not succeed, and its
    /// expression is evaluated once more then.
    fn explanation(&self) -> Option<TokenStream> {
        let Writer { plan, span, rt, result, .. } = self;
        let classifier = match &plan.source {
            Source::Keys { classify, .. }
            | Source::Policy { classify, .. }
            | Source::Retrier { classify: Some(classify), .. } => match classify {
                Classify::Value(value) => self.values.reference(value),
                Classify::Closure(_) | Classify::Error(_) => return None,
            },
            Source::Retrier { retrier, classify: None, .. } => {
                self.values.of_retrier(retrier, "classifier", None)
            }
        };
        Some(quote_spanned! {*span=>
            #rt::key::unasked(|told| {
                use #rt::key::{Explains as _, SaysNothing as _};
                (&#rt::key::OfClassifier(&#result, #classifier)).explain(told);
            })
        })
    }
}
