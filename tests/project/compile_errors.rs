//! The page of compile errors is made of the tests of misuse: each message, why, and the test.
//! To make it anew: `DOCS=overwrite cargo test --test project`.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

const HEAD: &str = "# Compile errors

Each mistake that the attribute or the compiler reports, by its message: search this page for the
words that you were given. Every one of them is a file in `tests/ui/fail`, named in brackets,
whose comment says why it is wrong; its `.stderr` is the whole output. Messages with a code (E0382)
are rustc's, at the user's own expression. (`tests/project/compile_errors.rs` makes this page of
those files.)
";

/// The sections in their order; a file in `tests/ui/fail` names its own in its last line.
const SECTIONS: &[&str] = &[
    "What is missing",
    "Without tokio",
    "Keys",
    "attempts",
    "Durations",
    "budget and retrier",
    "Classifiers",
    "The text of an error",
    "Schedules, policies, deadlines and cancellation",
    "The time of an attempt, and timers",
    "Parameters and clone",
    "Values",
    "Where the attribute stands",
    "Functions that block their thread",
    "Keys shared by an impl",
    "A block in the middle of a function",
    "Running a call",
    "The body",
];

/// The one message whose test is a package: it needs a runtime without tokio.
const WITHOUT_TOKIO: &str = "| E0277: there is no timer to wait with: enable the feature `tokio` of `retry-runtime` (in a browser `wasm`), or give a `Timer` of another executor (the key `timer = ..`, or `call.timer(&timer)`) | `retry-runtime` is built with `default-features = false`, and the function has no `timer`. Its test is in `proofs/without-tokio`. (`no_timer`) |\n";

#[test]
fn the_page_of_compile_errors_is_what_the_tests_of_misuse_say() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut rows: BTreeMap<&str, String> = BTreeMap::new();
    rows.insert("Without tokio", WITHOUT_TOKIO.to_owned());
    let folder = fs::read_dir(tests.join("ui/fail")).expect("the folder is there");
    let mut files: Vec<_> = folder.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    for path in files.iter().filter(|path| path.extension().is_some_and(|end| end == "rs")) {
        let name = path.file_stem().expect("a name").to_string_lossy();
        let source = fs::read_to_string(path).expect("a file");
        let output = fs::read_to_string(path.with_extension("stderr")).expect("an output");
        let section = source.lines().last().and_then(|line| line.strip_prefix("// Section: "));
        let section = SECTIONS.iter().find(|known| Some(**known) == section);
        let section = section.unwrap_or_else(|| panic!("{name} should end in `// Section: ..`"));
        for message in messages(&output) {
            let row =
                format!("| {} | {} (`{name}`) |\n", escaped(&message), escaped(&why(&source)));
            rows.entry(section).or_default().push_str(&row);
        }
    }
    let mut page = HEAD.to_owned();
    for section in SECTIONS {
        if let Some(rows) = rows.get(section) {
            page += &format!("\n## {section}\n\n| message | why (test) |\n|---|---|\n{rows}");
        }
    }
    let file = tests.join("../docs/compile-errors.md");
    if env::var("DOCS").is_ok_and(|wish| wish == "overwrite") {
        fs::write(&file, &page).expect("the page can be written");
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(found == page, "make the page anew: DOCS=overwrite cargo test --test project");
}

/// The first message, and each other one that is the attribute's own: it has no code.
fn messages(output: &str) -> Vec<String> {
    let errors = output.lines().filter(|line| line.starts_with("error"));
    let mut found: Vec<String> = Vec::new();
    for (index, error) in errors.enumerate() {
        let (kind, message) = error.split_once(": ").expect("a message");
        let is_ours = kind == "error";
        let message = match kind.strip_prefix("error[").and_then(|kind| kind.strip_suffix(']')) {
            Some(code) => format!("{code}: {message}"),
            None => message.to_owned(),
        };
        if (index == 0 || is_ours) && !found.contains(&message) {
            found.push(message);
        }
    }
    found
}

/// The comment at the top of a file.
fn why(source: &str) -> String {
    let lines: Vec<&str> = source.lines().map_while(|line| line.strip_prefix("//!")).collect();
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}

/// The values of the keys are there beside an error, so what only they use is not unused.
#[test]
fn no_error_of_ours_has_a_warning_beside_it() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = fs::read_dir(tests.join("ui/fail")).expect("the folder is there");
    for path in folder.map(|entry| entry.expect("an entry").path()) {
        if path.extension().is_some_and(|end| end == "stderr") {
            let output = fs::read_to_string(&path).expect("an output");
            let warning = output.lines().find(|line| line.starts_with("warning"));
            assert_eq!(warning, None, "{}", path.display());
        }
    }
}

/// A user can do nothing with the name of an item that is not public.
#[test]
fn no_message_names_a_private_item() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = fs::read_dir(tests.join("ui/fail")).expect("the folder is there");
    for path in folder.map(|entry| entry.expect("an entry").path()) {
        if path.extension().is_some_and(|end| end == "stderr") {
            let output = fs::read_to_string(&path).expect("an output");
            let named = output.lines().find(|line| {
                ["__private", "__retry", "__RETRY", "RetryLoop", "TimerRef"]
                    .iter()
                    .any(|name| line.contains(name))
            });
            // The test that is about the reserved prefix shows it in the user's own line; and of
            // a constant rustc says which one it evaluates.
            let is_theirs = path.ends_with("static_of_the_reserved_prefix.stderr")
                || path.ends_with("zero_attempts_constant.stderr");
            assert!(named.is_none() || is_theirs, "{}: {named:?}", path.display());
        }
    }
}
