//! The annotated item, as far as it is parsed: attributes, signature, and the
//! body as the tokens it came in. In one file: the type, and what is asked of it.

use std::collections::HashSet;

use proc_macro2::{Group, Ident, Span, TokenStream};
use quote::ToTokens;
use syn::parse::Parser;
use syn::{Attribute, FnArg, Pat, ReceiverKind, ReturnType, Signature, Stmt, Type, Visibility};

use crate::async_block::{self, Surroundings};
use crate::attributes::{is_inert, is_retry};
use crate::diagnostics::Errors;
use crate::messages;
use crate::parameters::{self, Binding, Edit};

mod parsing;

/// An annotated function.
pub struct Function {
    pub header: Header,
    pub body: Body,
    pub form: Form,
}

/// What an attempt is written as.
#[derive(Clone, Copy)]
pub enum Form {
    /// The body of a function that is async, or returns a future.
    Async,
    /// The body of a function whose waits block the thread.
    Blocking,
    /// The block of `retry_block!`, whose type is not written; its `async`.
    Block(Span),
}

/// Everything before the body.
pub struct Header {
    pub attributes: Vec<Attribute>,
    visibility: Visibility,
    /// `default`, of a specialisation.
    defaultness: Option<Ident>,
    pub signature: Signature,
}

/// The body of the function.
pub enum Body {
    /// It is async, in one of the ways that an attempt can be seen in.
    Async(Attempt),
    /// Not async, as far as can be seen.
    Sync(Group),
    /// `fn f(..);` in a trait, or a foreign function.
    None(TokenStream),
}

/// The block that runs as an attempt: that of an `async fn`, or the async block of a
/// function that returns a future.
pub struct Attempt {
    pub block: Group,
    pub future: Option<BlockFuture>,
}

/// What is around the async block of a function that returns a future.
pub struct BlockFuture {
    pub surroundings: Surroundings,
    /// What `#[async_trait]` tells inference of the type: the expansion does, too.
    hint: TokenStream,
    /// The `let`s with which `#[async_trait]` binds the parameters.
    pub bindings: Vec<Stmt>,
    /// The type of the block's value.
    output: Option<Box<Type>>,
}

impl Attempt {
    /// The whole body of the function.
    pub fn body(self) -> Group {
        let Some(BlockFuture { surroundings, bindings, .. }) = self.future else {
            return self.block;
        };
        let bindings = bindings.iter().map(ToTokens::to_token_stream).collect();
        surroundings.around(self.block, bindings)
    }

    /// The same, where no loop is written into it.
    fn plain_body(self) -> Group {
        let Some(BlockFuture { surroundings, hint, bindings, .. }) = self.future else {
            return self.block;
        };
        let bindings = bindings.iter().map(ToTokens::to_token_stream);
        surroundings.around(self.block, [hint].into_iter().chain(bindings).collect())
    }
}

impl Function {
    /// Parses the item; reports one that is no function.
    pub fn parse(item: TokenStream, errors: &mut Errors) -> Option<Function> {
        match parsing::parse.parse2(item.clone()) {
            Ok(function) => Some(function),
            Err(error) => {
                match parsing::other_item(&item) {
                    Some(keyword) => {
                        errors.at(keyword.span(), messages::not_a_function(&keyword.to_string()));
                    }
                    None => errors.at(error.span(), messages::not_understood(&error.to_string())),
                }
                None
            }
        }
    }

    /// The block of `retry_block!`, as the body of a function without parameters.
    pub fn of_block(keyword: Ident, block: Group) -> Function {
        let at = keyword.span();
        let header = Header {
            attributes: Vec::new(),
            visibility: Visibility::Inherited,
            defaultness: None,
            signature: syn::parse_quote_spanned!(at=> async fn block()),
        };
        let body = Body::Async(Attempt { block, future: None });
        Function { header, body, form: Form::Block(at) }
    }

    /// The same, with `blocking`: the body of a function that is not async is an attempt.
    pub fn blocking(mut self) -> Function {
        self.form = Form::Blocking;
        if let Body::Sync(block) = self.body {
            self.body = Body::Async(Attempt { block, future: None });
        }
        self
    }

    /// The block that the body is, or that runs as an attempt.
    pub fn block_mut(&mut self) -> Option<&mut Group> {
        match &mut self.body {
            Body::Async(attempt) => Some(&mut attempt.block),
            Body::Sync(group) => Some(group),
            Body::None(_) => None,
        }
    }

    /// The item, without what has already been reported and would be again: a second
    /// `#[retry]`, and docs on parameters.
    pub fn without_what_was_reported(self) -> TokenStream {
        let mut tokens = self.header.tokens(|attribute| !is_retry(attribute));
        match self.body {
            Body::None(rest) => tokens.extend(rest),
            Body::Sync(group) => group.to_tokens(&mut tokens),
            Body::Async(attempt) => attempt.plain_body().to_tokens(&mut tokens),
        }
        tokens
    }

    /// Whether the function is an `async fn`, whose parameters are the attempt's.
    pub fn is_async_fn(&self) -> bool {
        matches!(&self.body, Body::Async(Attempt { future: None, .. }))
    }

    /// The tokens that use the parameters.
    pub fn body_tokens(&self) -> TokenStream {
        match &self.body {
            Body::Async(attempt) => attempt.block.stream(),
            Body::Sync(group) => group.stream(),
            Body::None(tokens) => tokens.clone(),
        }
    }

    fn future(&self) -> Option<&BlockFuture> {
        match &self.body {
            Body::Async(attempt) => attempt.future.as_ref(),
            Body::Sync(_) | Body::None(_) => None,
        }
    }

    /// The type of an attempt's result; `None` for `()` that is not written.
    pub fn result_type(&self) -> Option<&Type> {
        match (self.future(), &self.header.signature.output) {
            (Some(future), _) => future.output.as_deref(),
            (None, ReturnType::Default) => None,
            (None, ReturnType::Type(_, ty)) => Some(ty),
        }
    }

    /// Every name that the parameters bind, but `self`.
    pub fn bindings(&self) -> Vec<Binding> {
        let inputs = parameters::of_inputs(self.header.signature.inputs.iter());
        let Some(future) = self.future() else { return inputs };
        // `let pattern = name;` binds a parameter anew, and has its type.
        let mut rebound: Vec<Binding> = Vec::new();
        for statement in &future.bindings {
            let Stmt::Local(local) = statement else { continue };
            let attributes = parameters::kept(&local.attrs);
            let parameter = local.init.as_ref().and_then(|init| async_block::rebound(&init.expr));
            let ty = parameter.and_then(|name| self.header.type_of(name));
            rebound.extend(parameters::bindings(&local.pat, ty.as_ref(), &attributes));
        }
        let names: HashSet<&Ident> = rebound.iter().map(|binding| &binding.ident).collect();
        let is_new = |binding: &Binding| !names.contains(&binding.ident);
        let kept: Vec<Binding> =
            inputs.into_iter().filter(is_new).filter(|b| !is_positional(&b.ident)).collect();
        kept.into_iter().chain(rebound).collect()
    }

    /// What `self` is called in the async block, where `#[async_trait]` renamed it.
    pub fn renamed_self(&self) -> Option<&Ident> {
        self.future().and_then(BlockFuture::renamed_self)
    }
}

impl Header {
    /// The tokens, with the attributes that `keep` says.
    pub fn tokens(&self, keep: impl Fn(&Attribute) -> bool) -> TokenStream {
        let mut tokens = TokenStream::new();
        self.attributes.iter().filter(|a| keep(a)).for_each(|a| a.to_tokens(&mut tokens));
        self.visibility.to_tokens(&mut tokens);
        self.defaultness.to_tokens(&mut tokens);
        let mut signature = self.signature.clone();
        for input in &mut signature.inputs {
            let attributes = match input {
                FnArg::Typed(typed) => &mut typed.attrs,
                FnArg::Receiver(receiver) => &mut receiver.attrs,
            };
            attributes.retain(|attribute| !attribute.path().is_ident("doc"));
        }
        signature.to_tokens(&mut tokens);
        tokens
    }

    /// A `#[retry]` below the one that is expanding.
    pub fn repeated_attribute(&self) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| is_retry(attribute))
    }

    /// Whether no attribute below is a macro, which would see what is made of the
    /// function, and may look for its parameters by name.
    pub fn has_only_inert_attributes(&self) -> bool {
        self.attributes.iter().all(is_inert)
    }

    /// The type of a parameter that is a plain name; for `self`, as if it were
    /// written out.
    fn type_of(&self, name: &Ident) -> Option<Type> {
        self.signature.inputs.iter().find_map(|input| match input {
            FnArg::Typed(typed) => match &*typed.pat {
                Pat::Ident(pattern) if pattern.ident == *name => Some((*typed.ty).clone()),
                _ => None,
            },
            FnArg::Receiver(receiver) if name == "self" => match &receiver.kind {
                ReceiverKind::Typed(_, ty) => Some((**ty).clone()),
                ReceiverKind::Reference(and, _, mutability) => {
                    Some(syn::parse_quote!(#and #mutability Self))
                }
                _ => None,
            },
            FnArg::Receiver(_) => None,
        })
    }
}

impl BlockFuture {
    /// What `self` is called in the block, where `#[async_trait]` renamed it.
    pub fn renamed_self(&self) -> Option<&Ident> {
        self.bindings.iter().find_map(|statement| match statement {
            Stmt::Local(local) => match &local.pat {
                Pat::Ident(pattern) if pattern.ident == "__self" => Some(&pattern.ident),
                _ => None,
            },
            _ => None,
        })
    }
}

/// Changes the parameters' bindings where they are bound: in the signature, or in the
/// `let`s that bind them anew.
pub fn edit_bindings(
    header: &mut Header,
    future: Option<&mut BlockFuture>,
    change: &dyn Fn(&Ident) -> Edit,
) {
    let mut rebound: HashSet<Ident> = HashSet::new();
    for statement in future.into_iter().flat_map(|future| &mut future.bindings) {
        if let Stmt::Local(local) = statement {
            let found = parameters::bindings(&local.pat, None, &[]);
            rebound.extend(found.into_iter().map(|binding| binding.ident));
            parameters::edit(&mut local.pat, change);
        }
    }
    let change = |ident: &Ident| match rebound.contains(ident) {
        true => Edit::Keep,
        false => change(ident),
    };
    for input in &mut header.signature.inputs {
        if let FnArg::Typed(typed) = input {
            parameters::edit(&mut typed.pat, &change);
        }
    }
}

/// `__arg1`, the name that `#[async_trait]` gives to a pattern.
fn is_positional(ident: &Ident) -> bool {
    let name = ident.to_string();
    name.strip_prefix("__arg").is_some_and(|n| n.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The span of the token that makes the function what it is: `fn`.
pub fn fn_span(function: &Function) -> Span {
    function.header.signature.fn_token.span
}
