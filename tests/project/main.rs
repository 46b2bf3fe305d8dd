//! Consistency of the project's own files.

mod architecture;
mod compile_errors;
mod documentation;
mod formatting;
mod kinds;
