//! What the expansion is to do: the arguments and the function after every rule
//! has been checked. It holds the user's tokens, and none of ours.

use proc_macro2::{Ident, TokenStream};
use syn::Type;

use crate::function::Function;
use crate::names::Names;
use crate::parameters::Binding;

pub struct Plan {
    pub function: Function,
    pub names: Names,
    /// Where the settings that no key gives come from.
    pub policy: Option<PolicySource>,
    pub attempts: Attempts,
    pub budget: Budget,
    /// Whether the retrier, if there is one, is named like a static.
    pub retrier_is_static: bool,
    pub classify: Classify,
    pub schedule: Schedule,
    pub within: Option<TokenStream>,
    pub deadline: Option<TokenStream>,
    pub cancel: Option<TokenStream>,
    pub observe: Option<TokenStream>,
    /// The clock and sleep of another executor.
    pub timer: Option<TokenStream>,
    pub timeout: Option<Timeout>,
    /// The name that the body calls its attempt by.
    pub attempt: Option<Ident>,
    /// The label of events.
    pub label: Option<TokenStream>,
    /// Each name that a parameter binds, and how an attempt uses it.
    pub bindings: Vec<(Binding, Passing)>,
    /// How an attempt uses the receiver.
    pub receiver: Passing,
    /// The type of an attempt's result; `None` for `()`.
    pub result: Option<Type>,
}

pub enum PolicySource {
    /// An expression that is a policy.
    Policy(TokenStream),
    /// An expression that is a retrier.
    Retrier(TokenStream),
}

pub enum Attempts {
    Literal(u32),
    Unlimited,
    /// A constant that can be checked where it stands.
    Constant(TokenStream),
    /// One that may name a generic parameter.
    Generic(TokenStream),
    /// What the policy says when the call begins.
    Policy,
}

pub enum Budget {
    None,
    /// `is_static`: it is named like a static.
    Shared {
        budget: TokenStream,
        is_static: bool,
    },
    Retrier(TokenStream),
}

pub enum Classify {
    Result(TokenStream),
    Error(TokenStream),
    Retrier(TokenStream),
}

pub enum Schedule {
    Default,
    Closure(TokenStream),
    Value(TokenStream),
    Policy,
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
