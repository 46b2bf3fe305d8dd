//! The warnings of a user's crate are those of the plain functions: the attribute
//! adds none and hides none.
//!
//! `tests/warnings/sample.rs`, and a function for each kind of parameter, are compiled with
//! their attributes and without them, in both editions, by Clippy where it is installed and else
//! by rustc alone.

#[path = "warnings/kinds.rs"]
mod kinds;
mod scratch;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use serde_json::Value;

/// Lints that the sample must bring out, so that there is something to compare.
const OF_RUSTC: [&str; 15] = [
    "dead_code",
    "deprecated",
    "improper_ctypes_definitions",
    "missing_docs",
    "unfulfilled_lint_expectations",
    "ungated_async_fn_track_caller",
    "unreachable_code",
    "unused_assignments",
    "unused_braces",
    "unused_imports",
    "unused_labels",
    "unused_must_use",
    "unused_mut",
    "unused_qualifications",
    "unused_variables",
];

const OF_CLIPPY: [&str; 23] = [
    "clippy::absolute_paths",
    "clippy::as_conversions",
    "clippy::box_collection",
    "clippy::clone_on_ref_ptr",
    "clippy::collapsible_if",
    "clippy::expect_used",
    "clippy::implicit_return",
    "clippy::indexing_slicing",
    "clippy::let_underscore_untyped",
    "clippy::missing_errors_doc",
    "clippy::needless_pass_by_ref_mut",
    "clippy::needless_return",
    "clippy::ptr_arg",
    "clippy::question_mark_used",
    "clippy::redundant_clone",
    "clippy::shadow_reuse",
    "clippy::shadow_same",
    "clippy::shadow_unrelated",
    "clippy::too_many_arguments",
    "clippy::unused_async",
    "clippy::needless_range_loop",
    "clippy::unwrap_used",
    "clippy::used_underscore_binding",
];

/// Lints whose advice would be wrong for a retried function: it waits, so it is async
/// in earnest, and each attempt borrows a `&mut` parameter anew.
const OF_THE_PLAIN_FUNCTION: [&str; 2] =
    ["clippy::needless_pass_by_ref_mut", "clippy::unused_async"];

/// Lints whose advice would be wrong, or that are not to be known, at one place of the sample.
const LOST: &str = "// lost: ";

const SAMPLE: &str = include_str!("warnings/sample.rs");

/// A warning, and where it points.
type Warning = (String, String, Vec<(u64, u64, u64, u64)>);

#[test]
fn the_attribute_adds_no_warning_and_hides_none() {
    let has_clippy = clippy_is_installed();
    let found = warnings(if has_clippy { "clippy" } else { "check" });
    for edition in ["2021", "2024"] {
        let with = &found[&format!("with_{edition}")];
        let mut without = found[&format!("without_{edition}")].clone();
        let lints = OF_RUSTC.iter().chain(OF_CLIPPY.iter().filter(|_| has_clippy));
        let missing: Vec<_> = lints.filter(|lint| !names(&without, lint)).collect();
        assert!(missing.is_empty(), "edition {edition}: nothing brings out {missing:?}");
        without.retain(|(code, ..)| !OF_THE_PLAIN_FUNCTION.contains(&code.as_str()));
        let list = |only: &mut dyn Iterator<Item = &Warning>| {
            only.map(|warning| format!("{warning:?}\n")).collect::<String>()
        };
        let added = list(&mut with.difference(&without));
        let (lost, hidden): (Vec<&Warning>, Vec<_>) =
            without.difference(with).partition(|warning| is_lost(warning));
        let hidden = list(&mut hidden.into_iter());
        assert!(
            added.is_empty() && hidden.is_empty(),
            "edition {edition}: added\n{added}hidden\n{hidden}"
        );
        if has_clippy {
            assert_eq!(lost.len(), SAMPLE.matches(LOST).count(), "edition {edition}: {lost:?}");
        }
    }
}

/// Whether the sample says at its place that this lint is lost there.
fn is_lost((code, _, places): &Warning) -> bool {
    let line = places.first().and_then(|place| usize::try_from(place.0).ok());
    let line = line.and_then(|number| SAMPLE.lines().nth(number.checked_sub(1)?));
    line.is_some_and(|line| line.ends_with(&format!("{LOST}{code}")))
}

fn names(warnings: &BTreeSet<Warning>, lint: &str) -> bool {
    warnings.iter().any(|(code, ..)| code == lint)
}

fn clippy_is_installed() -> bool {
    let version = Command::new(env!("CARGO")).args(["clippy", "--version"]).output();
    version.is_ok_and(|output| output.status.success())
}

/// Compiles the sample as four libraries of one scratch package.
fn warnings(subcommand: &str) -> BTreeMap<String, BTreeSet<Warning>> {
    let folder = scratch::folder("warnings");
    let mut targets = String::new();
    let with = SAMPLE.to_owned() + &kinds::module();
    let without: String = with.lines().map(without_attribute).collect();
    let mut found = BTreeMap::new();
    for (name, text) in [("with", &with), ("without", &without)] {
        for edition in ["2021", "2024"] {
            let name = format!("{name}_{edition}");
            targets += &format!(
                "[[example]]\nname = {name:?}\npath = \"{name}.rs\"\nedition = {edition:?}\n\
                 crate-type = [\"lib\"]\n"
            );
            // A file that is new is compiled anew, so its warnings are there.
            fs::write(folder.join(format!("{name}.rs")), text).expect("it can be written");
            found.insert(name, BTreeSet::new());
        }
    }
    scratch::write_manifest(&folder, &targets);
    let output = scratch::cargo(&folder, subcommand)
        .args(["--examples", "--message-format=json"])
        .output()
        .expect("cargo runs");
    let messages: Vec<Value> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("cargo writes JSON"))
        .collect();
    let errors: String = messages
        .iter()
        .filter(|message| message["message"]["level"] == "error")
        .filter_map(|message| message["message"]["rendered"].as_str())
        .collect();
    let says = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the sample should compile:\n{says}\n{errors}");
    for message in messages {
        let target = message["target"]["name"].as_str().unwrap_or_default();
        if let Some(warnings) = found.get_mut(target) {
            warnings.extend(warning(&message["message"]));
        }
    }
    found
}

/// The line of an attribute becomes a comment of the same length, so that nothing
/// moves.
fn without_attribute(line: &str) -> String {
    let is_attribute = ["#[crate::retry(", "#[$crate::retry("]
        .iter()
        .any(|start| line.trim_start().starts_with(start));
    let line = if is_attribute { line.replacen("#[", "//", 1) } else { line.to_owned() };
    line + "\n"
}

/// `None` for what is no warning, such as an artifact.
fn warning(message: &Value) -> Option<Warning> {
    let text = message["message"].as_str()?;
    let spans = message["spans"].as_array()?;
    let number = |span: &Value, key: &str| span[key].as_u64().unwrap_or_default();
    let places = spans.iter().filter(|span| span["is_primary"] == true).map(|span| {
        (
            number(span, "line_start"),
            number(span, "column_start"),
            number(span, "line_end"),
            number(span, "column_end"),
        )
    });
    // The summary at the end, which counts the warnings, has no code.
    let code = message["code"]["code"].as_str()?;
    Some((code.to_owned(), text.to_owned(), places.collect()))
}
