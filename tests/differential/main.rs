//! Differential test: random functions, annotated and plain, return the same, write the
//! same to a log (drops are in it too), panic with the same text and leave the same behind
//! `&mut`. Each call ends after its first attempt.
//!
//! The functions are those of a fixed seed. For a longer run, with others:
//! `DIFFERENTIAL_SEED=7 DIFFERENTIAL_FUNCTIONS=1000 cargo test -p retry-tests --test differential`.

mod body;
mod expressions;
mod function;
mod keys;
mod parameters;
mod random;
mod returned;
mod scope;
#[path = "../scratch.rs"]
mod scratch;

use std::path::{Path, PathBuf};
use std::{env, fs};

use function::{ATTRIBUTE, Function, function};
use random::Random;

const SEED: u64 = 1;
/// Of each edition.
const FUNCTIONS: usize = 40;
const EDITIONS: [&str; 3] = ["2018", "2021", "2024"];

const IMPORTS: &str = "use crate::support::*;
    use crate::{bail, object, same};
    use async_trait::async_trait;
    use retry_runtime::{Backoff, retry};
    use std::borrow::Cow;
    use std::cell::Cell;
    use std::error::Error;
    use std::fmt::{Debug, Display};
    use std::future::Future;
    use std::pin::{Pin, pin};
    use std::sync::Arc;
    type Fallible<T> = Result<T, String>;
";

#[test]
fn an_annotated_function_does_what_the_plain_one_does() {
    let seed = setting("DIFFERENTIAL_SEED").unwrap_or(SEED);
    let count = setting("DIFFERENTIAL_FUNCTIONS").map_or(FUNCTIONS, |count| {
        usize::try_from(count).expect("a number of functions that fits in memory")
    });
    let functions = EDITIONS.map(|edition| {
        let mut random = Random::new(seed);
        (0..count).map(|number| function(&mut random, number, edition)).collect::<Vec<_>>()
    });
    let package = package(&functions);
    for (edition, functions) in EDITIONS.iter().zip(&functions) {
        let output = run(&package, edition);
        let output = output.unwrap_or_else(|says| {
            panic!("the functions of seed {seed}, edition {edition}, do not compile:\n{says}")
        });
        let mut differences = String::new();
        let lines: Vec<&str> = output.lines().collect();
        for (number, function) in functions.iter().enumerate() {
            let line = lines.get(number).copied().unwrap_or("nothing");
            if !line.starts_with(&format!("same {number} ")) {
                differences += &format!("{}\n{line}\n\n", annotated(function));
            }
        }
        assert!(
            differences.is_empty(),
            "seed {seed}, edition {edition}: annotated and plain differ\n\n{differences}"
        );
    }
}

fn setting(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is a number, not `{text}`")))
}

fn annotated(function: &Function) -> String {
    function.source.replace(ATTRIBUTE, "")
}

/// What stands between two marks is an attribute.
fn plain(function: &Function) -> String {
    function.source.split(ATTRIBUTE).step_by(2).collect()
}

fn program(functions: &[Function]) -> String {
    let mut text =
        format!("#![allow(warnings)]\nmod support {{\n{}\n}}\n", include_str!("support.rs"));
    for (name, is_annotated) in [("plain", false), ("annotated", true)] {
        let form = if is_annotated { annotated } else { plain };
        let functions: String = functions.iter().map(form).collect();
        text += &format!(
            "mod {name} {{\n{IMPORTS}\ntype Service = crate::support::Service<{is_annotated}>;\n{functions}}}\n"
        );
    }
    let cases: String = (0..functions.len())
        .map(|number| format!("(plain::drive_{number}, annotated::drive_{number}),\n"))
        .collect();
    text + &format!("fn main() {{\nsupport::compare(&[\n{cases}]);\n}}\n")
}

/// A package with a program for each edition.
fn package(functions: &[Vec<Function>]) -> PathBuf {
    let folder = scratch::folder("differential");
    let mut targets = String::new();
    for (edition, functions) in EDITIONS.iter().zip(functions) {
        targets += &format!(
            "[[example]]\nname = \"of_{edition}\"\npath = \"of_{edition}.rs\"\nedition = {edition:?}\n"
        );
        fs::write(folder.join(format!("of_{edition}.rs")), program(functions))
            .expect("the program can be written");
    }
    scratch::write_manifest(&folder, &targets);
    folder
}

/// What the program prints, or what cargo says.
fn run(package: &Path, edition: &str) -> Result<String, String> {
    let output = scratch::cargo(package, "run")
        .args(["--example", &format!("of_{edition}")])
        .output()
        .expect("cargo runs");
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}
