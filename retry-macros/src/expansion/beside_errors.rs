//! The item beside errors: as it came, with the values of the keys in front of its body, where
//! nothing runs them. So rustc resolves their names, and an editor knows what they are.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::parse::Parser;
use syn::{Block, Path, Type};

use super::values::Values;
use crate::arguments::{Argument, Arguments};
use crate::diagnostics::Errors;
use crate::function::{Body, Form, Function};
use crate::keys::{Key, means_unlimited};
use crate::names::Names;
use crate::plan::{Classify, Reason, Schedule, Shared, Text};
use crate::return_type::annotation;
use crate::tokens::{is_closure, regrouped, squeezed};

/// Input: `attempts = 0, classify = |r| judge(r)`, and
/// ```text
/// async fn charge(cents: u32) -> Result<Receipt, Error> { BODY }
/// ```
/// Output, with the errors beside it:
/// ```text
/// async fn charge(cents: u32) -> Result<Receipt, Error> {
///     if false {
///         let __retry_result: Result<Receipt, Error> = rt::never_made();
///         _ = rt::key::classify_by(&__retry_result, |r| judge(r));
///         loop {}
///     }
///     BODY
/// }
/// ```
/// The loop ends the block without an end, so that what a value moves is not moved for the body.
pub fn write(
    arguments: &Arguments,
    mut function: Function,
    mut errors: Errors,
    site: Span,
) -> TokenStream {
    let krate = arguments.get(Key::Crate).map(|argument| argument.value.clone());
    let names = Names::new(krate.filter(|path| syn::parse2::<Path>(path.clone()).is_ok()), site);
    // A constant function could not even have them where nothing runs.
    let is_const = function.header.signature.constness.is_some();
    if !is_const && function.block_mut().is_some() {
        let values = Beside::new(&names, &function).all(arguments, &mut errors);
        if let Some(block) = function.block_mut() {
            let body = block.stream();
            *block = regrouped(block, values.into_iter().chain(body).collect());
        }
    }
    if let (Form::Block(keyword), Body::Async(attempt)) = (function.form, &function.body) {
        let keyword = Ident::new("async", keyword);
        let block = &attempt.block;
        return errors.before(quote_spanned!(keyword.span()=> #keyword #block));
    }
    errors.beside(function.without_what_was_reported())
}

struct Beside<'p> {
    values: Values<'p>,
    span: Span,
    rt: TokenStream,
    result: Ident,
    /// The type of an attempt's result, where it is written whole.
    ty: Option<TokenStream>,
    is_blocking: bool,
}

impl<'p> Beside<'p> {
    fn new(names: &'p Names, function: &'p Function) -> Self {
        let span = names.site;
        let ty = match (function.form, function.result_type()) {
            (Form::Block(_), _) | (_, Some(Type::Never(_))) => None,
            (_, Some(ty)) => whole(ty, span),
            (_, None) => function.is_async_fn().then(|| quote_spanned!(span=> ())),
        };
        Beside {
            values: Values::new(names, span, function.renamed_self()),
            span,
            rt: names.runtime(span),
            result: names.local("result"),
            ty,
            is_blocking: matches!(function.form, Form::Blocking),
        }
    }

    /// The statements in front of the body.
    fn all(&self, arguments: &Arguments, errors: &mut Errors) -> TokenStream {
        let Beside { span, rt, result, .. } = self;
        let mut known = TokenStream::new();
        let mut unknown = TokenStream::new();
        for (key, argument) in arguments.iter().filter(|(key, argument)| has_value(*key, argument))
        {
            match self.statement(*key, argument).filter(|_| !errors.are_in(*key)) {
                Some(statement) => known.extend(Some(statement).filter(parse)),
                None => unknown.extend(Some(self.of_any_type(&argument.value)).filter(parse)),
            }
        }
        // Not a word alone, which may be one of another library's.
        let is_word = |value: &TokenStream| syn::parse2::<Ident>(value.clone()).is_ok();
        for value in arguments.unused().iter().filter(|v| has_word((*v).clone()) && !is_word(v)) {
            unknown.extend(Some(self.of_any_type(value)).filter(parse));
        }
        let handle = arguments
            .get(Key::Attempt)
            .filter(|_| !errors.are_in(Key::Attempt))
            .map(|argument| argument.value.clone());
        let handle = handle.and_then(|name| syn::parse2::<Ident>(name).ok());
        let for_keys = handle.as_ref().map(
            |name| quote_spanned!(*span=> let #name: #rt::Attempt = #rt::never_made(); _ = &#name;),
        );
        let for_body = handle.as_ref().map(|name| {
            quote_spanned! {*span=>
                let #name: &mut #rt::RunningAttempt = #rt::never_made();
                _ = &#name;
            }
        });
        // rustc does not ask for a type where there is an error of ours.
        let error = (!unknown.is_empty()).then(|| errors.take_first()).flatten();
        if error.is_none() {
            unknown = TokenStream::new();
        }
        if known.is_empty() && unknown.is_empty() {
            return for_body.unwrap_or_default();
        }
        let result = self
            .ty
            .as_ref()
            .map(|ty| quote_spanned!(*span=> let #result: #ty = #rt::never_made(); _ = &#result;));
        quote_spanned! {*span=>
            if false { #error #for_keys #result #known #unknown loop {} }
            #for_body
        }
    }

    /// What uses the value of a key as the key does; `None` where that takes a type which is
    /// not seen.
    fn statement(&self, key: Key, argument: &Argument) -> Option<TokenStream> {
        let Beside { values, span, rt, result, .. } = self;
        let value = &argument.value;
        let reference = || values.reference(value);
        let result = || {
            let whole = self.ty.is_some();
            whole.then(|| quote_spanned!(*span=> &#result))
        };
        let used = match key {
            Key::Attempts => {
                let value = values.value(value);
                return Some(quote_spanned!(*span=> let _: u32 = #value;));
            }
            Key::Name => {
                let value = values.value(value);
                return Some(quote_spanned!(*span=> let _: &'static str = #value;));
            }
            Key::OnTimeout => {
                let (ty, value) = (self.ty.as_ref()?, values.value(value));
                return Some(quote_spanned!(*span=> let _: #ty = #value;));
            }
            Key::Budget => {
                let value = reference();
                quote_spanned!(*span=> #rt::key::of_shared::budget(#value))
            }
            Key::Policy => {
                let value = reference();
                quote_spanned!(*span=> #rt::key::policy(#value))
            }
            Key::Classify if is_closure(value) => {
                values.classify(&Classify::Closure(value.clone()), &result()?)
            }
            Key::Classify => values.classify(&Classify::Value(value.clone()), &result()?),
            Key::ClassifyErr => values.classify(&Classify::Error(value.clone()), &result()?),
            // It was reported.
            Key::Retrier if is_closure(value) => return None,
            Key::Retrier => {
                let retrier = Shared { value: value.clone(), is_static: false };
                values.of_retrier(&retrier, "classify", Some(result()?))
            }
            Key::Schedule => {
                let schedule = match is_closure(value) {
                    true => Schedule::Closure(value.clone()),
                    false => Schedule::Value(value.clone()),
                };
                values.schedule(&schedule, &quote_spanned!(*span=> 1, #rt::Option::None))
            }
            Key::Within | Key::AttemptTimeout => {
                let value = values.value(value);
                quote_spanned!(*span=> #rt::key::time_limit(#value))
            }
            Key::Deadline => {
                let value = values.value(value);
                quote_spanned!(*span=> #rt::key::deadline(#value))
            }
            Key::Cancel if self.is_blocking => {
                let value = values.value(value);
                values.called("is_given_up", &value, &value)
            }
            Key::Cancel => values.cancel(value),
            Key::Observe => values.observe(value),
            Key::Timer => {
                let value = reference();
                values.called("timer", &value, &value)
            }
            Key::Err => {
                result()?;
                let text = Text::Function(value.clone());
                values.reason(&Reason { key: argument.key.span(), text }, &self.result)
            }
            Key::Clone | Key::Attempt | Key::Blocking | Key::Crate => return None,
        };
        Some(quote_spanned!(*span=> _ = #used;))
    }

    /// What uses a value that no key can use, or that leaves where it stands.
    fn of_any_type(&self, value: &TokenStream) -> TokenStream {
        let Beside { values, span, rt, .. } = self;
        let value = values.value(value);
        quote_spanned!(*span=> _ = || { loop { _ = #value; break; } #rt::never_made() };)
    }
}

/// Whether an argument has an expression with names in it.
fn has_value(key: Key, argument: &Argument) -> bool {
    let value = &argument.value;
    let word = syn::parse2::<Ident>(value.clone()).ok();
    let is_no_value = match key {
        Key::Clone | Key::Attempt | Key::Blocking | Key::Crate => true,
        Key::Err => argument.is_list || value.is_empty(),
        Key::Attempts => word.is_some_and(|word| word == "unlimited" || means_unlimited(&word)),
        Key::Budget => word.is_some_and(|word| word == "none" || word == "None"),
        _ => false,
    };
    !is_no_value && has_word(value.clone())
}

/// Whether statements hold an expression: a value may be anything.
fn parse(statements: &TokenStream) -> bool {
    Block::parse_within.parse2(statements.clone()).is_ok()
}

fn has_word(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(_) => true,
        TokenTree::Group(group) => has_word(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// The type, unless `impl Trait` hides a part of it.
fn whole(ty: &Type, span: Span) -> Option<TokenStream> {
    let written = ty.to_token_stream();
    let erased = annotation(ty, span).to_token_stream();
    (squeezed(&erased) == squeezed(&written)).then_some(written)
}
