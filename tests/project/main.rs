//! What the project's own files say about each other.

mod documentation;
mod kinds;
