//! The tables of kinds in `tests/KINDS.md` and `integrations/KINDS.md` name tests that exist.

use std::fs;
use std::path::Path;

#[test]
fn every_kind_of_fault_has_a_test() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = fs::read_to_string(tests.join("KINDS.md")).expect("the table is there");
    let rows = table.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| kind |"));
    let mut count = 0;
    for row in rows {
        count += 1;
        let named = row.rsplit('`').nth(1).unwrap_or_else(|| panic!("no test is named in: {row}"));
        let (file, function) = named.split_once("::").unwrap_or((named, ""));
        let source = fs::read_to_string(tests.join(file))
            .unwrap_or_else(|error| panic!("{file} cannot be read ({error}): {row}"));
        if function.is_empty() {
            assert!(tests.join(file).with_extension("stderr").exists(), "no output of {file}");
            continue;
        }
        // As a function, or as one that a macro makes.
        let spelt = [format!("fn {function}("), format!("fn {function}<"), format!("!({function}")];
        assert!(
            spelt.iter().any(|text| source.contains(text)),
            "{file} has no `{function}`: {row}"
        );
        // A shape is run by the test of its file; an unsafe one is compiled alone.
        let is_test = source.contains(&format!("#[test]\n    fn {function}("));
        if file.starts_with("shapes/") && !is_test && function != "unsafe_function" {
            assert!(source.matches(function).count() > 1, "no test runs `{function}`: {row}");
        }
    }
    assert!(count >= 96, "{count} kinds are left");
}

#[test]
fn every_kind_of_fault_of_a_client_has_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let table = fs::read_to_string(root.join("integrations/KINDS.md")).expect("the table is there");
    let rows = table.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| kind |"));
    let mut count = 0;
    for row in rows {
        count += 1;
        let named = row.rsplit('`').nth(1).unwrap_or_else(|| panic!("no test is named in: {row}"));
        let (file, function) = named.split_once("::").expect("a file and a function");
        let source = fs::read_to_string(root.join(file))
            .unwrap_or_else(|error| panic!("{file} cannot be read ({error}): {row}"));
        assert!(source.contains(&format!("fn {function}(")), "{file} has no `{function}`: {row}");
    }
    assert!(count >= 75, "{count} kinds are left");
}
