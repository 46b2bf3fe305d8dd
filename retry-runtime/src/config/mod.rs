//! Reading a configuration so that one error names every mistake in it.
//!
//! Code that is derived with serde stops at the first value of a wrong type and at
//! the first unknown name. So a section is read in two steps: into a [`Value`],
//! which nothing can be wrong with, and from there field by field through a
//! [`Section`], which notes each mistake and goes on.

mod duration;
mod section;
mod sections;
mod value;

pub(crate) use duration::{duration, duration_text};
pub(crate) use section::{FromSection, Section, deserialize};
pub use sections::Sections;
pub(crate) use value::Value;
