//! Reasons: what the events say of an error.

use proc_macro2::TokenStream;
use quote::quote_spanned;

use super::Writer;
use crate::plan::{Classify, Reason, Source, Text};
use crate::tokens::first_span;

impl Writer<'_> {
    /// The call, with the text of its events if anything gives one: the key `err`, or for an
    /// observer the classifier.
    ///
    /// Input: `err`
    /// Output:
    /// ```text
    /// __retry_call.because({
    ///     use rt::key::{ByItself as _, WithSources as _, WithSourcesBehind as _};
    ///     (&&rt::key::err(&__retry_result)).reason()
    /// })
    /// ```
    pub(super) fn telling(&self) -> TokenStream {
        let Writer { plan, span, call, .. } = self;
        let reason = match &plan.reason {
            Some(reason) => Some(self.reason(reason)),
            None if plan.observe.is_some() => self.explanation(),
            None => None,
        };
        match reason {
            Some(reason) => quote_spanned!(*span=> #call.because(#reason)),
            None => quote_spanned!(*span=> #call),
        }
    }

    fn reason(&self, Reason { key, text }: &Reason) -> TokenStream {
        let at = self.names.at(*key);
        let rt = self.names.runtime(at);
        let mut result = self.result.clone();
        result.set_span(at);
        match text {
            Text::Display => quote_spanned! {at=>
                {
                    use #rt::key::{ByItself as _, WithSources as _, WithSourcesBehind as _};
                    (&&#rt::key::err(&#result)).reason()
                }
            },
            Text::Debug => quote_spanned!(at=> #rt::key::err_debug(&#result)),
            Text::Function(function) => {
                let (at, value) = (self.names.at(first_span(function)), self.value(function));
                let rt = self.names.runtime(at);
                quote_spanned! {at=>
                    #rt::key::err_by(&#result, |result, told| {
                        use #rt::key::{Always as _, Optional as _};
                        let text = #rt::key::text_of(result, #value);
                        #rt::key::tell(told, (&#rt::key::Returned(&text)).optional());
                    })
                }
            }
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
                Classify::Value(value) => self.reference(value),
                Classify::Closure(_) | Classify::Error(_) => return None,
            },
            Source::Retrier { retrier, classify: None, .. } => {
                self.of_retrier(retrier, "classifier", None)
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
