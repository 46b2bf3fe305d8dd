//! The other attributes on the function.

use syn::Attribute;

/// Attributes of the language and its tools, which change no tokens.
pub const INERT: &[&str] = &[
    "allow",
    "clippy",
    "cold",
    "deny",
    "deprecated",
    "diagnostic",
    "doc",
    "expect",
    "export_name",
    "forbid",
    "inline",
    "link_section",
    "must_use",
    "no_mangle",
    "rustfmt",
    "target_feature",
    "track_caller",
    "warn",
];

/// Whether an attribute is no macro. One that is not known is taken for a macro.
pub fn is_inert(attribute: &Attribute) -> bool {
    let first = attribute.path().segments.first();
    first.is_some_and(|first| INERT.iter().any(|inert| first.ident == inert))
}

/// Whether an attribute is `#[retry]` by its look, and no other crate's of the same name.
pub fn is_retry(attribute: &Attribute) -> bool {
    let segments = &attribute.path().segments;
    match (segments.first(), segments.last()) {
        (Some(first), Some(last)) if segments.len() > 1 => {
            first.ident == "retry_runtime" && last.ident == "retry"
        }
        (Some(only), _) => only.ident == "retry",
        _ => false,
    }
}

/// What a function has that is expanded: an attribute of rustfmt's, for a second `#[retry]` under
/// another name.
pub const EXPANDED: &str = "retry_is_expanded";

/// Whether the function is what another `#[retry]` has made.
pub fn is_expanded(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|segment| segment.ident == EXPANDED)
}
