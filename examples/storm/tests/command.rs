//! The program itself: what it prints and writes, and what it says of mistakes.

use std::path::PathBuf;
use std::process::{Command, Output};

/// `cargo test` builds the example beside this test. If it was told to build this test
/// only, the example is built here.
fn storm(arguments: &[&str]) -> Output {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().unwrap().parent().unwrap().join("examples/storm");
    if !path.exists() {
        let built = Command::new(env!("CARGO")).args(["build", "--example", "storm"]).status();
        assert!(built.unwrap().success());
    }
    Command::new(path).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn picture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn a_service_of_ones_own_is_compared_and_drawn() {
    let picture = picture("own.svg");
    let path = picture.to_str().unwrap();
    let options = ["--load", "90", "--capacity", "100", "--attempts", "4", "--seconds", "100"];
    let budget = ["--max-tokens", "20", "--token-ratio", "0.2", "--clients", "2"];
    let output = storm(&[&options[..], &budget, &["--output", path]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    for expected in [
        "90/s",
        "(20, 0.2)",
        "retries stop when more than 16.7 % of the attempts fail",
        "costs 2 clients at most 18 retries in all",
        // Three layers of four attempts.
        "64.000",
    ] {
        assert!(printed.contains(expected), "{expected} is not in:\n{printed}");
    }
    assert!(!printed.contains("280/s"), "the published table is for the published scenario");
    let svg = std::fs::read_to_string(picture).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("with the budget (20, 0.2)"));
}

#[test]
fn the_published_scenario_comes_with_the_whole_table() {
    let picture = picture("published.svg");
    let output = storm(&["--output", picture.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    for expected in ["never", "132 s", "without retries after 126 s", "27.000", "1.009", "840/s"] {
        assert!(printed.contains(expected), "{expected} is not in:\n{printed}");
    }
}

#[test]
fn every_mistake_is_named() {
    let options = ["--load", "x", "--attempts", "0", "--max-tokens", "2", "--token-ratio", "nan"];
    let output = storm(&[&options[..], &["--colour", "extra"]].concat());
    assert_eq!(output.status.code(), Some(64));
    let said = text(&output.stderr);
    for expected in [
        "`--load` is `x`: it must be a whole number from 1 to 100000",
        "`--attempts` is `0`: it must be a whole number from 1 to 100",
        "`--max-tokens` is `2`: it must be a whole number from 3 to 65536",
        "`--token-ratio` is `nan`: it must be a number from 0.001 to 65536",
        "there is no option `--colour`",
        "unexpected argument \"extra\"",
    ] {
        assert!(said.contains(expected), "{expected} is not in:\n{said}");
    }
}

#[test]
fn a_value_that_is_missing_is_a_mistake() {
    let output = storm(&["--load"]);
    assert_eq!(output.status.code(), Some(64));
    assert!(text(&output.stderr).contains("--load"));
}

#[test]
fn help_lists_every_option() {
    let output = storm(&["--help"]);
    assert!(output.status.success());
    let help = text(&output.stdout);
    for option in [
        "load",
        "capacity",
        "attempts",
        "max-tokens",
        "token-ratio",
        "clients",
        "seconds",
        "output",
    ] {
        assert!(help.contains(&format!("--{option} ")), "{option}");
    }
}
