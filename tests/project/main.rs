//! What the project's own files say about each other.

mod architecture;
mod compile_errors;
mod documentation;
mod formatting;
mod kinds;
