//! The input of the expansion: the arguments and the function after every rule has
//! been checked. It holds the user's tokens, and none of ours.

use proc_macro2::{Ident, Span, TokenStream};
use syn::Type;

use crate::function::{Attempt, Form, Header};
use crate::parameters::Binding;

pub struct Plan {
    pub header: Header,
    pub form: Form,
    /// What runs as an attempt.
    pub body: Attempt,
    /// The path of the runtime crate, where the user gave one.
    pub krate: Option<TokenStream>,
    pub source: Source,
    /// `None` for that of the policy, or the default.
    pub schedule: Option<Schedule>,
    pub within: Option<TokenStream>,
    pub deadline: Option<TokenStream>,
    pub cancel: Option<TokenStream>,
    pub observe: Option<TokenStream>,
    /// The text of the events.
    pub reason: Option<Reason>,
    /// The clock and sleep of another executor.
    pub timer: Option<TokenStream>,
    pub timeout: Option<Timeout>,
    pub attempt: Option<Handle>,
    /// The label of events.
    pub label: Option<TokenStream>,
    /// Each name that a parameter binds.
    pub parameters: Vec<Parameter>,
    /// How an attempt uses the receiver.
    pub receiver: Passing,
    /// The type of an attempt's result; `None` for `()`, or that of a block.
    pub result: Option<Type>,
}

/// A name that a parameter binds.
pub struct Parameter {
    pub binding: Binding,
    /// How an attempt uses it.
    pub passing: Passing,
    /// Whether nothing but the body can look its name up.
    pub is_for_body_alone: bool,
}

impl Parameter {
    /// Whether the parameter itself is a variable of ours, so that the name that the body sees
    /// is bound once, by the user's tokens.
    pub fn has_lookalike(&self) -> bool {
        let is_bound_anew = matches!(
            self.passing,
            Passing::Copied | Passing::Reborrowed | Passing::ReborrowedPinned | Passing::Cloned
        );
        is_bound_anew && self.is_for_body_alone
    }
}

/// Where the settings come from. What is `None` comes from the policy or the retrier.
pub enum Source {
    Keys {
        attempts: Attempts,
        budget: Budget,
        classify: Classify,
    },
    Policy {
        policy: TokenStream,
        attempts: Option<Attempts>,
        budget: Budget,
        classify: Classify,
    },
    Retrier {
        retrier: Shared,
        attempts: Option<Attempts>,
        budget: Option<Budget>,
        classify: Option<Classify>,
    },
}

/// An expression for what all calls share: a budget, or a retrier.
pub struct Shared {
    pub value: TokenStream,
    /// Whether it is named like a static.
    pub is_static: bool,
}

pub enum Attempts {
    Literal(u32),
    Unlimited,
    /// A constant that can be checked where it stands.
    Constant(TokenStream),
    /// One that may name a generic parameter.
    Generic(TokenStream),
}

pub enum Budget {
    None,
    Shared(Shared),
}

pub enum Classify {
    /// A closure over the result, whose parameter needs no type.
    Closure(TokenStream),
    /// A function of the result, or a value that implements `Classify`.
    Value(TokenStream),
    /// A function of the error.
    Error(TokenStream),
}

pub enum Schedule {
    Closure(TokenStream),
    Value(TokenStream),
}

/// What the events say of an error: the key `err`, and what it asks for.
pub struct Reason {
    pub key: Span,
    pub text: Text,
}

pub enum Text {
    Display,
    Debug,
    /// A function of the result.
    Function(TokenStream),
}

/// The name of an attempt, and who uses it: the keys get a copy, the body a handle that
/// takes its verdict.
pub struct Handle {
    pub name: Ident,
    pub is_for_keys: bool,
    pub is_for_body: bool,
}

/// How long an attempt may take, and its result if it takes longer.
pub struct Timeout {
    pub limit: TokenStream,
    pub result: TokenStream,
}

/// How an attempt gets at a name that a parameter binds, or at `self`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// As it is: borrowed by the attempt, or not used at all.
    AsIs,
    /// Borrowed, after a check that an earlier attempt did not consume it.
    Borrowed,
    /// As `Borrowed`, by a unique borrow, which needs no `Sync`.
    BorrowedUniquely,
    /// As `BorrowedUniquely`, by what is no use of the name: an assignment that is
    /// never reached.
    AssignedUniquely,
    /// A shared reference, copied for each attempt, because the body changes it.
    Copied,
    /// A unique reference, reborrowed for each attempt; `self`, which cannot be
    /// bound anew, is borrowed through it.
    Reborrowed,
    /// A pinned unique reference, reborrowed for each attempt.
    ReborrowedPinned,
    /// A value, cloned for each attempt.
    Cloned,
}
