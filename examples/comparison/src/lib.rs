//! The same scenes with this crate and with its peers, on tokio's paused clock and without
//! a network. `cargo run -p retry-comparison` prints the table of the README.

mod peers;
mod scenes;

use std::fmt::Write as _;

/// A row: the scene, then a cell for each of [`peers::NAMES`].
type Row = (&'static str, [String; 5]);

/// The table, in Markdown.
///
/// # Panics
///
/// If a crate gives up where its settings say that it must not.
#[must_use]
pub fn table() -> String {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    let rows = runtime.block_on(scenes::all());
    let mut text = format!("| | {} |\n|---|---|---|---|---|---|\n", peers::NAMES.join(" | "));
    for (scene, cells) in rows {
        let _ = writeln!(text, "| {scene} | {} |", cells.join(" | "));
    }
    text
}
