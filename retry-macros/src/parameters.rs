//! The parameters of the function, and how an attempt may use each of them.

use proc_macro2::{Ident, Span};
use syn::{
    Attribute, FnArg, GenericArgument, Pat, PatIdent, PathArguments, Token, Type, TypePath,
    TypeReference,
};

/// A name that a parameter binds.
#[derive(Clone)]
pub struct Binding {
    pub ident: Ident,
    /// The `cfg`s of the parameter: what is made of it must carry them.
    pub cfgs: Vec<Attribute>,
    pub mutability: Option<Token![mut]>,
    pub kind: Kind,
    /// Whether adding `mut` to the binding changes nothing but its mutability: it
    /// binds by move, at the top of a pattern.
    pub can_be_mut: bool,
    /// Whether the name is looked up by nothing but the body, so that the parameter
    /// itself may be a variable of ours that only looks like it.
    pub is_for_body_alone: bool,
}

/// What a binding holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A value; `surely_sync` where the type says so by itself.
    Value { surely_sync: bool },
    /// `&T`.
    Shared,
    /// `&mut T`.
    Mutable,
    /// `Pin<&mut T>`.
    PinnedMutable,
    /// A reference that a `ref` pattern, or a pattern over a reference, makes.
    ByReference,
}

/// The bindings of a parameter's pattern.
pub fn bindings(pattern: &Pat, ty: Option<&Type>, cfgs: &[Attribute]) -> Vec<Binding> {
    let mut found = Vec::new();
    collect(pattern, ty, true, cfgs, &mut found);
    found
}

fn collect(
    pattern: &Pat,
    ty: Option<&Type>,
    moves: bool,
    cfgs: &[Attribute],
    found: &mut Vec<Binding>,
) {
    let ty = ty.map(ungrouped);
    // Under a reference, the default binding mode makes references.
    let is_reference = matches!(ty, Some(Type::Reference(_)));
    let moves = moves && (is_ident(pattern) || !is_reference);
    let mut inner = |pattern: &Pat, ty: Option<&Type>, moves: bool| {
        collect(pattern, ty, moves, cfgs, found);
    };
    match pattern {
        Pat::Ident(PatIdent { by_ref, mutability, ident, subpat, .. }) => {
            let kind = match (by_ref, moves) {
                (Some(_), _) | (None, false) => Kind::ByReference,
                (None, true) => kind_of(ty),
            };
            found.push(Binding {
                ident: ident.clone(),
                cfgs: cfgs.to_vec(),
                mutability: *mutability,
                kind,
                can_be_mut: moves && subpat.is_none() && by_ref.is_none(),
                is_for_body_alone: false,
            });
        }
        Pat::Paren(paren) => inner(&paren.pat, ty, moves),
        Pat::Type(typed) => inner(&typed.pat, Some(&typed.ty), moves),
        Pat::Tuple(tuple) => {
            let types = match ty {
                Some(Type::Tuple(types)) if types.elems.len() == tuple.elems.len() => {
                    types.elems.iter().map(Some).collect()
                }
                _ => vec![None; tuple.elems.len()],
            };
            for (element, ty) in tuple.elems.iter().zip(types) {
                // Only at the top, or where the type is known, is the mode known.
                inner(element, ty, moves && (ty.is_some() || is_ident(element)));
            }
        }
        Pat::TupleStruct(tuple) => {
            tuple.elems.iter().for_each(|element| inner(element, None, moves && is_ident(element)));
        }
        Pat::Struct(fields) => {
            fields.fields.iter().for_each(|f| inner(&f.pat, None, moves && is_ident(&f.pat)));
        }
        Pat::Slice(slice) => {
            let moves = moves && matches!(ty, Some(Type::Array(_)));
            slice.elems.iter().for_each(|element| inner(element, None, moves && is_ident(element)));
        }
        Pat::Reference(reference) => inner(&reference.pat, None, false),
        _ => {}
    }
}

fn is_ident(pattern: &Pat) -> bool {
    matches!(pattern, Pat::Ident(_))
}

/// What to do to a binding.
pub enum Edit {
    Keep,
    Remove,
    Add(Span),
    /// Bind this name instead.
    Rename(Option<Token![mut]>, Ident),
}

/// Changes the bindings in a pattern.
pub fn edit(pattern: &mut Pat, change: &dyn Fn(&Ident) -> Edit) {
    match pattern {
        Pat::Ident(pattern) => match change(&pattern.ident) {
            Edit::Keep => {}
            Edit::Remove => pattern.mutability = None,
            Edit::Add(span) => {
                pattern.mutability.get_or_insert(Token![mut](span));
            }
            Edit::Rename(mutability, ident) => {
                pattern.mutability = mutability;
                pattern.ident = ident;
            }
        },
        Pat::Paren(paren) => edit(&mut paren.pat, change),
        Pat::Type(typed) => edit(&mut typed.pat, change),
        Pat::Tuple(tuple) => tuple.elems.iter_mut().for_each(|element| edit(element, change)),
        Pat::TupleStruct(tuple) => tuple.elems.iter_mut().for_each(|element| edit(element, change)),
        Pat::Slice(slice) => slice.elems.iter_mut().for_each(|element| edit(element, change)),
        Pat::Reference(reference) => edit(&mut reference.pat, change),
        Pat::Struct(fields) => fields.fields.iter_mut().for_each(|f| edit(&mut f.pat, change)),
        _ => {}
    }
}

fn kind_of(ty: Option<&Type>) -> Kind {
    match ty {
        Some(Type::Reference(reference)) if reference.mutability.is_some() => Kind::Mutable,
        Some(Type::Reference(_)) => Kind::Shared,
        Some(ty) if pinned_mutable(ty).is_some() => Kind::PinnedMutable,
        Some(ty) => Kind::Value { surely_sync: is_surely_sync(ty) },
        None => Kind::Value { surely_sync: false },
    }
}

/// The reference in `Pin<&mut T>`, under any path.
pub fn pinned_mutable(ty: &Type) -> Option<&TypeReference> {
    match single_argument(ty, "Pin").map(ungrouped) {
        Some(Type::Reference(inner)) if inner.mutability.is_some() => Some(inner),
        _ => None,
    }
}

/// The one generic argument of a path that ends in `name`.
fn single_argument<'t>(ty: &'t Type, name: &str) -> Option<&'t Type> {
    let Type::Path(TypePath { qself: None, path, .. }) = ungrouped(ty) else { return None };
    let last = path.segments.last().filter(|segment| segment.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first() {
        Some(GenericArgument::Type(ty)) if arguments.args.len() == 1 => Some(ty),
        _ => None,
    }
}

/// Types that are `Sync` whatever the program defines: an attempt may borrow
/// them without ado, and a body that changes one still gets rustc's error.
fn is_surely_sync(ty: &Type) -> bool {
    const PLAIN: &[&str] = &[
        "bool", "char", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64",
        "i128", "isize", "f32", "f64", "String", "Duration",
    ];
    match ungrouped(ty) {
        Type::Path(TypePath { qself: None, path, .. }) => {
            path.get_ident().is_some_and(|ident| PLAIN.iter().any(|plain| ident == plain))
                || ["Vec", "Option"]
                    .iter()
                    .any(|name| single_argument(ty, name).is_some_and(is_surely_sync))
        }
        Type::Tuple(tuple) => tuple.elems.iter().all(is_surely_sync),
        Type::Array(array) => is_surely_sync(&array.elem),
        _ => false,
    }
}

/// The type without the groups that a `macro_rules!` fragment or parentheses put
/// around it.
pub fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungrouped(&group.elem),
        Type::Paren(paren) => ungrouped(&paren.elem),
        other => other,
    }
}

/// The `cfg`s among the attributes of a parameter.
pub fn cfgs(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect()
}

/// The bindings of all parameters but the receiver.
pub fn of_inputs<'a>(inputs: impl Iterator<Item = &'a FnArg>) -> Vec<Binding> {
    inputs
        .filter_map(|input| match input {
            FnArg::Typed(typed) => Some(bindings(&typed.pat, Some(&typed.ty), &cfgs(&typed.attrs))),
            FnArg::Receiver(_) => None,
        })
        .flatten()
        .collect()
}
