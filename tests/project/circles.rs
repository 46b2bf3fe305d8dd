//! The files of each published crate use each other without a circle, inside of their folders
//! too. A file and the files of its own folder are one: it holds them together and names them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::architecture::tokens;
use crate::repository;

/// A file as its module: `["tower", "layer"]`.
type Name = Vec<String>;

fn files(folder: &Path, above: &[String], found: &mut BTreeMap<Name, PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let mut name = above.to_vec();
        if stem != "mod" && stem != "lib" {
            name.push(stem);
        }
        if path.is_dir() {
            if !path.ends_with("tests") {
                files(&path, &name, found);
            }
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.insert(name, path);
        }
    }
}

/// Every path that begins with `crate`, `self` or `super`.
fn paths(tokens: TokenStream, found: &mut Vec<Name>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => paths(group.stream(), found),
            TokenTree::Ident(word) if word == "crate" || word == "self" || word == "super" => {
                path(&tokens[at..], Vec::new(), found);
            }
            _ => {}
        }
    }
}

/// The path that begins here, after what stands before its braces.
fn path(tokens: &[TokenTree], mut before: Name, found: &mut Vec<Name>) {
    for token in tokens {
        match token {
            TokenTree::Ident(word) => before.push(word.to_string()),
            TokenTree::Punct(punct) if punct.as_char() == ':' => {}
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let list: Vec<TokenTree> = group.stream().into_iter().collect();
                let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
                for one in list.split(is_comma) {
                    path(one, before.clone(), found);
                }
                return;
            }
            _ => break,
        }
    }
    found.push(before);
}

/// The file that a path in the file `own` leads to.
fn file_of(path: &[String], own: &[String], files: &BTreeMap<Name, PathBuf>) -> Option<Name> {
    let mut name = match path.first()?.as_str() {
        "crate" => Vec::new(),
        "self" => own.to_vec(),
        _ => own[..own.len().checked_sub(1)?].to_vec(),
    };
    for word in &path[1..] {
        match word.as_str() {
            "super" => drop(name.pop()?),
            word => name.push(word.to_owned()),
        }
    }
    while !name.is_empty() && !files.contains_key(&name) {
        name.pop();
    }
    (!name.is_empty()).then_some(name)
}

/// One circle of files, if there is any.
fn circle(sources: &Path) -> Option<Vec<Name>> {
    let mut all = BTreeMap::new();
    files(sources, &[], &mut all);
    let mut uses: BTreeMap<Name, BTreeSet<Name>> = BTreeMap::new();
    for (name, file) in &all {
        let mut written = Vec::new();
        paths(tokens(file), &mut written);
        let used = written.iter().filter_map(|path| file_of(path, name, &all));
        let used = used.filter(|used| !used.starts_with(name) && !name.starts_with(used));
        uses.insert(name.clone(), used.collect());
    }
    let mut done = BTreeSet::new();
    all.keys().find_map(|name| circle_from(name, &uses, &mut Vec::new(), &mut done))
}

fn circle_from(
    name: &Name,
    uses: &BTreeMap<Name, BTreeSet<Name>>,
    way: &mut Vec<Name>,
    done: &mut BTreeSet<Name>,
) -> Option<Vec<Name>> {
    if let Some(start) = way.iter().position(|one| one == name) {
        return Some(way[start..].to_vec());
    }
    if done.contains(name) {
        return None;
    }
    way.push(name.clone());
    let found = uses[name].iter().find_map(|used| circle_from(used, uses, way, done));
    way.pop();
    done.insert(name.clone());
    found
}

#[test]
fn no_files_of_a_crate_use_each_other_in_a_circle() {
    let integrations = fs::read_dir(repository().join("integrations")).expect("a folder");
    let integrations = integrations.map(|entry| entry.expect("an entry").path());
    let crates = ["retry-runtime", "retry-macros"].map(|name| repository().join(name));
    let mut looked_at = 0;
    for folder in crates.into_iter().chain(integrations) {
        let sources = folder.join("src");
        if sources.is_dir() {
            looked_at += 1;
            assert_eq!(circle(&sources), None, "{}", sources.display());
        }
    }
    assert!(looked_at > 6, "{looked_at} crates");
}
