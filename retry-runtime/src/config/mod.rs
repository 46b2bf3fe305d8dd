//! Settings types: their fields, their rules, and reading them from a configuration so that one
//! error names every mistake in it.
//!
//! Code that is derived with serde stops at the first value of a wrong type and at
//! the first unknown name. So a section is read in two steps: into a `Value`,
//! which nothing can be wrong with, and from there field by field through a
//! `Section`, which notes each mistake and goes on. It is written as a `Value` too.

#[cfg(feature = "serde")]
mod duration;
mod patch;
mod rule;
#[cfg(feature = "serde")]
mod section;
#[cfg(feature = "serde")]
mod sections;
#[cfg(feature = "serde")]
mod value;

#[cfg(feature = "serde")]
pub(crate) use duration::{duration, duration_text};
#[cfg(all(feature = "serde", any(feature = "http", feature = "process")))]
pub(crate) use patch::joined;
pub(crate) use patch::patch;
pub(crate) use rule::{Rule, valid};
#[cfg(feature = "serde")]
pub(crate) use section::{Section, Settings, deserialize, serde_as_section, serialize};
#[cfg(feature = "serde")]
pub use sections::Sections;
#[cfg(feature = "serde")]
pub(crate) use value::Value;
