//! The use of `self` in an attempt.

use proc_macro2::{Ident, Span};
use syn::{ReceiverKind, Type, TypePath};

use super::Uses;
use crate::function::Function;
use crate::parameters::ungrouped;
use crate::plan::Passing;

/// A capture by shared reference would need `Sync` of what `self` holds. So the
/// capture is made unique, where the receiver is not shared anyway.
pub fn passing(function: &Function, uses: &Uses) -> Passing {
    let Some(receiver) = function.header.signature.receiver() else { return Passing::AsIs };
    let name = Ident::new("self", Span::call_site());
    if !(function.is_async_fn() && uses.body.has(&name)) {
        return Passing::AsIs;
    }
    let is_held = uses.held.has(&name);
    let unique = |unique, otherwise| if is_held { otherwise } else { unique };
    match &receiver.kind {
        ReceiverKind::Reference(_, _, Some(_)) => unique(Passing::Reborrowed, Passing::AsIs),
        ReceiverKind::Typed(_, ty) => match ungrouped(ty) {
            Type::Reference(reference) if reference.mutability.is_some() => {
                unique(Passing::Reborrowed, Passing::AsIs)
            }
            Type::Reference(_) => Passing::AsIs,
            ty if is_shared(ty) => Passing::Borrowed,
            _ => unique(Passing::BorrowedUniquely, Passing::Borrowed),
        },
        _ => Passing::AsIs,
    }
}

/// `Arc<..>` is `Send` only if it is `Sync`, and `Rc<..>` is neither.
fn is_shared(ty: &Type) -> bool {
    let Type::Path(TypePath { path, .. }) = ty else { return false };
    path.segments.last().is_some_and(|last| last.ident == "Arc" || last.ident == "Rc")
}
