//! The packages that ARCHITECTURE.md lists, and files that are longer than others.

use std::fs;
use std::path::{Path, PathBuf};

use crate::architecture::architecture;
use crate::repository;

#[test]
fn each_package_is_in_the_list() {
    let text = architecture();
    let folders = ["examples", "integrations", "proofs"];
    let mut packages: Vec<String> = ["benches", "tests"].map(str::to_owned).to_vec();
    for folder in folders {
        for entry in fs::read_dir(repository().join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.join("Cargo.toml").exists() {
                packages.push(path.file_name().expect("a name").to_string_lossy().into_owned());
            }
        }
    }
    assert!(packages.len() > 15, "the packages were not found");
    // The two lists, of packages and of modules, are the one block before the text.
    let list = text.split("```").nth(1).expect("the list");
    let words: Vec<&str> =
        list.split(|char: char| !char.is_alphanumeric() && char != '-').collect();
    let missing: Vec<_> = packages.iter().filter(|name| !words.contains(&name.as_str())).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md does not list {missing:?}");
}

#[test]
fn a_long_file_says_why_it_is_one() {
    fn long(folder: &Path, without_reason: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                long(&path, without_reason);
            } else if name.ends_with(".rs") {
                let text = fs::read_to_string(&path).expect("a source");
                let mut comment = text.lines().take_while(|line| line.starts_with("//"));
                let is_long = text.lines().count() > 300;
                if is_long && !comment.any(|line| line.to_lowercase().contains("one file")) {
                    without_reason.push(path);
                }
            }
        }
    }
    let mut without_reason = Vec::new();
    long(&repository(), &mut without_reason);
    assert!(without_reason.is_empty(), "{without_reason:#?}");
}
