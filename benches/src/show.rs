//! Tables, as Markdown, and progress on the standard error.

use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};

/// Prints a table under its title. All columns but the first are numbers.
pub fn table<const N: usize>(title: &str, header: [&str; N], rows: Vec<[String; N]>) {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN).set_header(header).add_rows(rows);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    println!("\n{title}\n\n{table}");
}

/// A bar for work whose steps are counted.
///
/// # Panics
///
/// Never: the template is a constant.
pub fn bar(what: &'static str, steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}, {eta} left")
        .expect("a constant template");
    ProgressBar::new(steps as u64).with_style(style).with_message(what)
}

/// A spinner for work whose length is not known.
pub fn spinner(what: String) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message(what);
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}
