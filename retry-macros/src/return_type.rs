//! The type that an attempt gives: what it says to inference, and what it borrows.

use proc_macro2::Span;
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{
    AngleBracketedGenericArguments, GenericArgument, Path, PathArguments, ReturnType, Token, Type,
    TypeInfer, TypeParamBound,
};

use crate::parameters::ungrouped;

/// The type as an annotation in the body has it: `impl Trait`, which may stand
/// only in a signature, becomes `_`.
pub fn annotation(ty: &Type, span: Span) -> Type {
    let mut ty = ty.clone();
    erase(&mut ty, span);
    ty
}

fn erase(ty: &mut Type, span: Span) {
    match ty {
        Type::ImplTrait(_) => {
            *ty = Type::Infer(TypeInfer { attrs: Vec::new(), underscore_token: Token![_](span) });
        }
        Type::Array(array) => erase(&mut array.elem, span),
        Type::Group(group) => erase(&mut group.elem, span),
        Type::Paren(paren) => erase(&mut paren.elem, span),
        Type::Ptr(pointer) => erase(&mut pointer.elem, span),
        Type::Reference(reference) => erase(&mut reference.elem, span),
        Type::Slice(slice) => erase(&mut slice.elem, span),
        Type::Tuple(tuple) => tuple.elems.iter_mut().for_each(|element| erase(element, span)),
        Type::Path(path) => erase_in_path(&mut path.path, span),
        Type::TraitObject(object) => {
            for bound in &mut object.bounds {
                if let TypeParamBound::Trait(bound) = bound {
                    erase_in_path(&mut bound.path, span);
                }
            }
        }
        _ => {}
    }
}

fn erase_in_path(path: &mut Path, span: Span) {
    for segment in &mut path.segments {
        if let PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
            for argument in &mut arguments.args {
                match argument {
                    GenericArgument::Type(ty) => erase(ty, span),
                    GenericArgument::AssocType(assigned) => erase(&mut assigned.ty, span),
                    _ => {}
                }
            }
        }
    }
}

/// Whether a type looks like a future.
pub fn may_be_future(ty: &Type) -> bool {
    let names_one = |ty: &Type| ty.to_token_stream().to_string().contains("Fut");
    match ungrouped(ty) {
        Type::ImplTrait(_) => names_one(ty),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| {
            let is_pointer = last.ident == "Pin" || last.ident == "Box";
            last.ident.to_string().contains("Fut") || (is_pointer && names_one(ty))
        }),
        _ => false,
    }
}

/// The output of the future that a function without `async` returns: `R` of
/// `impl Future<Output = R>`, `Pin<Box<dyn Future<Output = R> + ..>>`,
/// `BoxFuture<'_, R>` and the like.
pub fn output_of_future(output: &ReturnType) -> Option<&Type> {
    match output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => output_in(ty),
    }
}

fn output_in(ty: &Type) -> Option<&Type> {
    match ungrouped(ty) {
        Type::ImplTrait(bounds) => output_in_bounds(&bounds.bounds),
        Type::TraitObject(bounds) => output_in_bounds(&bounds.bounds),
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
            let mut types = arguments.args.iter().filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            });
            let first = types.next()?;
            match last.ident.to_string().as_str() {
                "BoxFuture" | "LocalBoxFuture" => Some(first),
                "Pin" | "Box" => output_in(first),
                _ => None,
            }
        }
        _ => None,
    }
}

fn output_in_bounds(bounds: &Punctuated<TypeParamBound, Token![+]>) -> Option<&Type> {
    bounds.iter().find_map(|bound| match bound {
        TypeParamBound::Trait(bound) => output_in_path(&bound.path),
        _ => None,
    })
}

fn output_in_path(path: &Path) -> Option<&Type> {
    let last = path.segments.last().filter(|segment| segment.ident == "Future")?;
    let PathArguments::AngleBracketed(AngleBracketedGenericArguments { args, .. }) =
        &last.arguments
    else {
        return None;
    };
    args.iter().find_map(|argument| match argument {
        GenericArgument::AssocType(output) if output.ident == "Output" => Some(&output.ty),
        _ => None,
    })
}
