//! The values of keys as expressions of the expansion: in the user's tokens, with the units of
//! durations rewritten, in the function that is named like the key.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};

use crate::duration::rewritten;
use crate::names::Names;
use crate::plan::{Classify, Reason, Schedule, Shared, Text};
use crate::tokens::{ends, first_span, is_closure, is_punct, replaced};

pub(super) struct Values<'p> {
    names: &'p Names,
    /// Where our own tokens are.
    span: Span,
    rt: TokenStream,
    /// What `self` is called in the body.
    renamed_self: Option<&'p Ident>,
}

impl<'p> Values<'p> {
    pub(super) fn new(names: &'p Names, span: Span, renamed_self: Option<&'p Ident>) -> Self {
        Values { names, span, rt: names.runtime(span), renamed_self }
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
        let value = match self.renamed_self {
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
        self.called_at(function, ends(value), arguments)
    }

    /// The same, with the place of the call from its first token to its last.
    fn called_at(
        &self,
        function: &str,
        (first, last): (Span, Span),
        arguments: &TokenStream,
    ) -> TokenStream {
        let Values { span, rt, .. } = self;
        let function = Ident::new(function, *span);
        let function = quote_spanned!(*span=> #rt::key::#function);
        let function = quote_spanned!(self.names.at(first)=> (#function));
        let mut arguments = Group::new(Delimiter::Parenthesis, arguments.clone());
        arguments.set_span(self.names.at(last));
        quote_spanned!(*span=> #function #arguments)
    }

    /// Input: `classify_http`, `&__retry_result`
    /// Output: `rt::key::classify(&__retry_result, &classify_http)`
    ///
    /// A closure is passed by value to a function that deduces its parameter's type.
    pub(super) fn classify(&self, classify: &Classify, result: &TokenStream) -> TokenStream {
        let Values { span, rt, .. } = self;
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

    /// Input: `Backoff::none()`, `step, floor`
    /// Output:
    /// ```text
    /// {
    ///     use rt::key::{NoSchedule as _, ScheduleBehind as _, ScheduleItself as _};
    ///     rt::key::schedule((&&rt::key::ScheduleOf(&Backoff::none())).found(), step, floor)
    /// }
    /// ```
    pub(super) fn schedule(&self, schedule: &Schedule, arguments: &TokenStream) -> TokenStream {
        let Values { span, rt, .. } = self;
        match schedule {
            Schedule::Closure(value) => {
                let value = self.value(value);
                let arguments = quote_spanned!(*span=> #value, #arguments);
                self.called("schedule_by", &value, &arguments)
            }
            Schedule::Value(value) => {
                let schedule = self.found_schedule(value);
                quote_spanned! {*span=>
                    {
                        use #rt::key::{NoSchedule as _, ScheduleBehind as _, ScheduleItself as _};
                        #rt::key::schedule(#schedule, #arguments)
                    }
                }
            }
        }
    }

    /// Input: `self.waits` Output: `(&&rt::key::ScheduleOf(&self.waits)).found()`
    ///
    /// From its first token to its last it has the place of the value.
    fn found_schedule(&self, value: &TokenStream) -> TokenStream {
        let Values { span, rt, .. } = self;
        let (first, last) = ends(value);
        let value = self.reference(value);
        let of_value = quote_spanned!(*span=> &&#rt::key::ScheduleOf(#value));
        let mut receiver = Group::new(Delimiter::Parenthesis, of_value);
        receiver.set_span(self.names.at(first));
        let mut nothing = Group::new(Delimiter::Parenthesis, TokenStream::new());
        nothing.set_span(self.names.at(last));
        quote_spanned!(*span=> #receiver.found #nothing)
    }

    /// The text of events that a key asks for, of the variable `result`.
    ///
    /// Input: `err`
    /// Output:
    /// ```text
    /// {
    ///     use rt::key::{ByItself as _, WithSources as _, WithSourcesBehind as _};
    ///     (&&(rt::key::err)(&(__retry_result))).reason()
    /// }
    /// ```
    pub(super) fn reason(&self, reason: &Reason, result: &Ident) -> TokenStream {
        let Values { span, rt, .. } = self;
        let Reason { key, text } = reason;
        // What the result lacks is said at the key.
        let given = quote_spanned!(self.names.at(*key)=> &(#result));
        match text {
            Text::Display => {
                let error = self.called_at("err", (*key, *key), &given);
                quote_spanned! {*span=>
                    {
                        use #rt::key::{ByItself as _, WithSources as _, WithSourcesBehind as _};
                        (&&#error).reason()
                    }
                }
            }
            Text::Debug => self.called_at("err_debug", (*key, *key), &given),
            Text::Function(function) => self.text_of(function, result),
        }
    }

    /// Input: `|result| describe(result)`
    /// Output:
    /// ```text
    /// rt::key::err_by(&__retry_result, |result, told| {
    ///     use rt::key::{Always as _, Optional as _};
    ///     let text = (rt::key::text_of)(result, |result| describe(result));
    ///     (rt::key::tell)(told, (&rt::key::Returned(&text)).optional());
    /// })
    /// ```
    fn text_of(&self, function: &TokenStream, result: &Ident) -> TokenStream {
        let Values { span, rt, .. } = self;
        let (first, last) = ends(function);
        let value = self.value(function);
        let of_text = quote_spanned!(*span=> &#rt::key::Returned(&text));
        let mut receiver = Group::new(Delimiter::Parenthesis, of_text);
        receiver.set_span(self.names.at(first));
        let mut nothing = Group::new(Delimiter::Parenthesis, TokenStream::new());
        nothing.set_span(self.names.at(first));
        let text = quote_spanned!(*span=> told, #receiver.optional #nothing);
        let told = self.called_at("tell", (first, last), &text);
        let text =
            self.called_at("text_of", (first, last), &quote_spanned!(*span=> result, #value));
        quote_spanned! {*span=>
            #rt::key::err_by(&#result, |result, told| {
                use #rt::key::{Always as _, Optional as _};
                let text = #text;
                #told;
            })
        }
    }

    /// Input: `"charge"` Output: `rt::key::name("charge")`
    ///
    /// It is written twice: rustc says the same of both, and so once.
    pub(super) fn name(&self, value: &TokenStream) -> TokenStream {
        let Values { span, rt, .. } = self;
        let value = self.value(value);
        quote_spanned!(*span=> #rt::key::name(#value))
    }

    /// Input: `shutdown.cancelled()` Output: `(rt::key::cancel)(shutdown.cancelled())`
    pub(super) fn cancel(&self, value: &TokenStream) -> TokenStream {
        self.called("cancel", value, &self.value(value))
    }

    /// Input: `log_event` Output: `(rt::key::observe)(log_event)`
    pub(super) fn observe(&self, value: &TokenStream) -> TokenStream {
        self.called("observe", value, &self.value(value))
    }

    /// Input: `self.retrier`, `classify`, `&result`
    /// Output: `rt::key::retrier::classify(&result, &self.retrier)`
    ///
    /// A static is returned by a function. The retrier is written more than once, and rustc
    /// says of a constant in a function's body only once that it cannot be returned. In braces
    /// at the place of the user's value, where the errors of each use are one.
    pub(super) fn of_retrier(
        &self,
        retrier: &Shared,
        part: &str,
        argument: Option<TokenStream>,
    ) -> TokenStream {
        let Values { span, rt, .. } = self;
        let value = self.reference(&retrier.value);
        let part = Ident::new(part, *span);
        let argument = argument.map(|argument| quote_spanned!(*span=> #argument,));
        let at = self.names.at(first_span(&retrier.value));
        let retrier = match retrier.is_static {
            true => {
                let bars = quote_spanned!(at=> ||);
                let value = quote_spanned!(*span=> #rt::key::of_static::retrier(#bars #value));
                quote_spanned!(at=> { #value })
            }
            false => value,
        };
        quote_spanned!(*span=> #rt::key::retrier::#part(#argument #retrier))
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
            Some(renamed.into_token_stream())
        }
        _ => None,
    })
}
