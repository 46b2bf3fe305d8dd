//! Consistency of the project's own files.

mod architecture;
mod circles;
mod compile_errors;
mod documentation;
mod formatting;
mod kinds;
mod layout;

use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
