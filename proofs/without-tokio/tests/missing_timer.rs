//! The error of a function without `timer`, and the proof that nothing here has tokio
//! after all.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// The page of compile errors quotes the message. Whatever the version of rustc,
/// each function without a timer has this one error and no other.
#[test]
fn a_function_without_a_timer_has_one_error_which_says_what_to_do() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("../../docs/compile-errors.md")).expect("the page");
    let row = page.lines().find(|line| line.ends_with("(`no_timer`) |")).expect("a row");
    let message = row.trim_start_matches("| ").split(" | ").next().expect("a message");
    let message = message.strip_prefix("E0277: ").expect("rustc's code");

    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no_timer");
    fs::create_dir_all(scratch.join("src")).expect("the scratch package can be made");
    let runtime = root.join("../../retry-runtime");
    let manifest = format!(
        "[package]\nname = \"no-timer\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
         retry-runtime = {{ path = {runtime:?}, default-features = false, features = [\"macros\"] }}\n"
    );
    fs::write(scratch.join("Cargo.toml"), manifest).expect("the manifest can be written");
    fs::copy(root.join("Cargo.lock"), scratch.join("Cargo.lock")).expect("there is a lock file");
    fs::copy(root.join("tests/fail/no_timer.rs"), scratch.join("src/main.rs")).expect("a copy");
    let output = Command::new(env!("CARGO"))
        .args(["check", "--quiet", "--offline"])
        .current_dir(&scratch)
        .env("CARGO_TARGET_DIR", scratch.join("target"))
        .output()
        .expect("cargo runs");
    let output = String::from_utf8_lossy(&output.stderr);
    let is_summary = |line: &str| line.starts_with("error: could not compile");
    let errors: Vec<&str> =
        output.lines().filter(|line| line.starts_with("error") && !is_summary(line)).collect();
    let expected = format!("error[E0277]: {message}");
    assert_eq!(errors, [&expected, &expected], "{output}");
}

#[test]
fn tokio_is_not_among_the_dependencies() {
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock");
    let lock = fs::read_to_string(lock).expect("there is a lock file");
    assert!(lock.contains("name = \"smol\""));
    assert!(!lock.contains("name = \"tokio\""));
}
