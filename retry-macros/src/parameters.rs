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
    /// The place of the `:` after the pattern of a parameter.
    pub colon: Option<Span>,
    /// The attributes of the parameter that hold for what is made of it: `cfg`s, and the
    /// levels of lints.
    pub attributes: Vec<Attribute>,
    pub mutability: Option<Token![mut]>,
    /// `ref mut`.
    pub is_ref_mut: bool,
    pub kind: Kind,
    /// Whether adding `mut` to the binding changes nothing but its mutability: it
    /// surely binds by move.
    pub can_be_mut: bool,
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
    /// A value, or a reference: a pattern inside another one, over a type that is not seen.
    Unknown,
}

/// The bindings of a parameter's pattern.
pub fn bindings(pattern: &Pat, ty: Option<&Type>, attributes: &[Attribute]) -> Vec<Binding> {
    let mut found = Vec::new();
    collect(pattern, ty, Mode::Moves, attributes, &mut found);
    found
}

/// How a pattern binds what it finds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Moves,
    /// By reference, as under the pattern of a reference.
    Borrows,
    /// One of the two, by a type that is not seen.
    Unknown,
}

fn collect(
    pattern: &Pat,
    ty: Option<&Type>,
    mode: Mode,
    attributes: &[Attribute],
    found: &mut Vec<Binding>,
) {
    let ty = ty.map(ungrouped);
    // Under a reference, the default binding mode makes references.
    let is_reference = matches!(ty, Some(Type::Reference(_)));
    let mode = match mode {
        Mode::Moves if is_reference && !is_ident(pattern) => Mode::Borrows,
        mode => mode,
    };
    // The mode of a pattern inside this one. A name binds what it is given; inside another
    // pattern, the type decides.
    let within = |pattern: &Pat, ty: Option<&Type>| match mode {
        Mode::Moves if ty.is_some() || is_ident(pattern) => Mode::Moves,
        Mode::Moves | Mode::Unknown => Mode::Unknown,
        Mode::Borrows => Mode::Borrows,
    };
    let mut inner = |pattern: &Pat, ty: Option<&Type>, mode: Mode| {
        collect(pattern, ty, mode, attributes, found);
    };
    match pattern {
        Pat::Ident(PatIdent { by_ref, mutability, ident, subpat, .. }) => {
            // A `mut` binds by move, wherever it is.
            let moves = mode == Mode::Moves || (mode == Mode::Unknown && mutability.is_some());
            let kind = match (by_ref, mode) {
                (Some(_), _) | (None, Mode::Borrows) => Kind::ByReference,
                (None, _) if moves => kind_of(ty),
                (None, _) => Kind::Unknown,
            };
            found.push(Binding {
                ident: ident.clone(),
                colon: None,
                attributes: attributes.to_vec(),
                mutability: mutability.filter(|_| by_ref.is_none()),
                is_ref_mut: by_ref.is_some() && mutability.is_some(),
                kind,
                can_be_mut: moves && subpat.is_none() && by_ref.is_none(),
            });
        }
        Pat::Paren(paren) => inner(&paren.pat, ty, mode),
        Pat::Type(typed) => inner(&typed.pat, Some(&typed.ty), mode),
        // Each case binds the same names.
        Pat::Or(or) => or.cases.iter().take(1).for_each(|case| inner(case, ty, mode)),
        Pat::Tuple(tuple) => {
            let types = match ty {
                Some(Type::Tuple(types)) if types.elems.len() == tuple.elems.len() => {
                    types.elems.iter().map(Some).collect()
                }
                _ => vec![None; tuple.elems.len()],
            };
            for (element, ty) in tuple.elems.iter().zip(types) {
                inner(element, ty, within(element, ty));
            }
        }
        Pat::TupleStruct(tuple) => {
            tuple.elems.iter().for_each(|element| inner(element, None, within(element, None)));
        }
        Pat::Struct(fields) => {
            fields.fields.iter().for_each(|f| inner(&f.pat, None, within(&f.pat, None)));
        }
        Pat::Slice(slice) => {
            let is_array = matches!(ty, Some(Type::Array(_)));
            let mode = |element: &Pat| if is_array { within(element, None) } else { Mode::Unknown };
            slice.elems.iter().for_each(|element| inner(element, None, mode(element)));
        }
        Pat::Reference(reference) => inner(&reference.pat, None, Mode::Unknown),
        _ => {}
    }
}

fn is_ident(pattern: &Pat) -> bool {
    matches!(pattern, Pat::Ident(_))
}

/// What to do to a binding.
pub enum Edit {
    Keep,
    /// This `mut` instead of what it has.
    Mut(Token![mut]),
    /// Bind this name instead, with this `mut`.
    Rename(Option<Token![mut]>, Ident),
}

/// Changes the bindings in a pattern.
pub fn edit(pattern: &mut Pat, change: &dyn Fn(&Ident) -> Edit) {
    match pattern {
        Pat::Ident(pattern) => match change(&pattern.ident) {
            Edit::Keep => {}
            Edit::Mut(token) => pattern.mutability = Some(token),
            Edit::Rename(token, ident) => {
                pattern.mutability = token;
                pattern.ident = ident;
            }
        },
        Pat::Paren(paren) => edit(&mut paren.pat, change),
        Pat::Type(typed) => edit(&mut typed.pat, change),
        Pat::Or(or) => or.cases.iter_mut().for_each(|case| edit(case, change)),
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

/// The attributes of a parameter that hold for what is made of it.
pub fn kept(attributes: &[Attribute]) -> Vec<Attribute> {
    const KEPT: &[&str] = &["cfg", "cfg_attr", "allow", "warn", "deny", "forbid", "expect"];
    let is_kept = |attribute: &&Attribute| KEPT.iter().any(|kept| attribute.path().is_ident(kept));
    attributes.iter().filter(is_kept).cloned().collect()
}

/// The bindings of all parameters but the receiver.
pub fn of_inputs<'a>(inputs: impl Iterator<Item = &'a FnArg>) -> Vec<Binding> {
    inputs
        .filter_map(|input| match input {
            FnArg::Typed(typed) => {
                let colon = Some(typed.colon_token.span);
                let found = bindings(&typed.pat, Some(&typed.ty), &kept(&typed.attrs));
                Some(found.into_iter().map(move |binding| Binding { colon, ..binding }))
            }
            FnArg::Receiver(_) => None,
        })
        .flatten()
        .collect()
}
