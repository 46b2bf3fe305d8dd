//! What is known of the other attributes on the function.

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

pub fn is_retry(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|segment| segment.ident == "retry")
}
