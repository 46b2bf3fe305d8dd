//! Misuse of the attribute, one file for each kind: its comment says why it is
//! wrong, its `.stderr` what the user is told.
//!
//! On the toolchain that the outputs were made with, they are compared in full.
//! Others word rustc's part differently: there, the number of errors and every
//! sentence of our own must be the same. To make the outputs anew, run
//! `TRYBUILD=overwrite cargo test --test ui` and read the difference.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

#[allow(dead_code)] // Its packages are those of other tests.
mod scratch;

/// The toolchain that `tests/ui/fail/*.stderr` were made with.
const TOOLCHAIN: &str = "rustc 1.95.";

#[test]
fn every_misuse_is_explained() {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().expect("rustc runs");
    if String::from_utf8_lossy(&version.stdout).starts_with(TOOLCHAIN) {
        scratch::target();
        trybuild::TestCases::new().compile_fail("ui/fail/*.rs");
    } else {
        compare_sentences();
    }
}

/// Builds every file as an example of one scratch package, and compares what is
/// ours to say.
fn compare_sentences() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ui");
    let examples = scratch.join("examples");
    fs::create_dir_all(&examples).expect("the scratch package can be made");
    fs::write(scratch.join("Cargo.toml"), manifest(root)).expect("the manifest can be written");
    fs::copy(root.join("../Cargo.lock"), scratch.join("Cargo.lock")).expect("there is a lock file");

    let mut expected = BTreeMap::new();
    for entry in fs::read_dir(root.join("ui/fail")).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if path.extension().is_some_and(|extension| extension == "rs") {
            fs::copy(&path, examples.join(format!("{name}.rs"))).expect("it can be copied");
            let output = fs::read_to_string(path.with_extension("stderr")).expect("an output");
            expected.insert(name, errors(&output));
        }
    }
    for (name, (count, sentences)) in expected {
        let output = Command::new(env!("CARGO"))
            .args(["check", "--quiet", "--offline", "--example", &name])
            .current_dir(&scratch)
            .env("CARGO_TARGET_DIR", scratch.join("target"))
            // What makes errors of a user's warnings.
            .env_remove("RUSTFLAGS")
            .output()
            .expect("cargo runs");
        let output = String::from_utf8_lossy(&output.stderr);
        let (found, _) = errors(&output);
        assert_eq!(found, count, "{name} should give {count} errors:\n{output}");
        for sentence in sentences {
            assert!(output.contains(&sentence), "{name} should say `{sentence}`:\n{output}");
        }
    }
}

fn manifest(root: &Path) -> String {
    format!(
        "[package]\nname = \"ui\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n\
         [dev-dependencies]\nretry-runtime = {{ path = {:?} }}\n\
         tokio = {{ version = \"1\", features = [\"macros\", \"rt\"] }}\n",
        root.join("../retry-runtime")
    )
}

/// The number of errors, and those whose text is ours: without one of rustc's codes.
fn errors(output: &str) -> (usize, Vec<String>) {
    let is_summary = |line: &str| line.starts_with("error: could not compile");
    let lines = output.lines().filter(|line| line.starts_with("error") && !is_summary(line));
    let ours = lines.clone().filter_map(|line| line.strip_prefix("error: "));
    (lines.count(), ours.filter(|line| line.contains('`')).map(str::to_owned).collect())
}
