//! The lists of modules in ARCHITECTURE.md are what the sources say: each module is in one,
//! and uses only modules that are above it. So there is no cycle.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::repository;

/// What a module is called in paths, and its file.
struct Module {
    name: String,
    file: PathBuf,
}

pub(crate) fn architecture() -> String {
    fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("it is there")
}

pub(crate) fn tokens(file: &Path) -> TokenStream {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{file:?}: {error}"));
    text.parse().unwrap_or_else(|error| panic!("{file:?}: {error}"))
}

fn is_ident(tree: Option<&TokenTree>, text: &str) -> bool {
    matches!(tree, Some(TokenTree::Ident(ident)) if ident == text)
}

fn is_punct(tree: Option<&TokenTree>, char: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == char)
}

fn ident(tree: Option<&TokenTree>) -> Option<String> {
    match tree {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        _ => None,
    }
}

/// The modules of `lib.rs`, without its tests.
fn modules(sources: &Path) -> Vec<Module> {
    let tokens: Vec<TokenTree> = tokens(&sources.join("lib.rs")).into_iter().collect();
    let mut path = None;
    let mut modules: Vec<Module> = Vec::new();
    for (at, tree) in tokens.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => {
                let attribute: Vec<TokenTree> = group.stream().into_iter().collect();
                if let [TokenTree::Ident(key), _, TokenTree::Literal(value)] = &attribute[..] {
                    if key == "path" {
                        path = Some(value.to_string().trim_matches('"').to_owned());
                    }
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' => path = None,
            _ => {}
        }
        if is_ident(Some(tree), "mod") && is_punct(tokens.get(at + 2), ';') {
            let name = ident(tokens.get(at + 1)).expect("a name");
            // One of the two that `cfg` chooses from.
            if name != "tests" && modules.iter().all(|module| module.name != name) {
                let file = match &path {
                    Some(path) => sources.join(path),
                    None => file_of(sources, &name),
                };
                modules.push(Module { name, file });
            }
        }
    }
    modules
}

fn file_of(folder: &Path, module: &str) -> PathBuf {
    let file = folder.join(module).with_extension("rs");
    if file.exists() { file } else { folder.join(module).join("mod.rs") }
}

/// The files of a module and their depth below the root of the crate.
fn files(module: &Module) -> Vec<(PathBuf, usize)> {
    fn below(folder: &Path, depth: usize, files: &mut Vec<(PathBuf, usize)>) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                below(&path, depth + 1, files);
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && !path.ends_with("mod.rs")
            {
                files.push((path, depth));
            } else if path.ends_with("mod.rs") {
                files.push((path, depth - 1));
            }
        }
    }
    let mut files = Vec::new();
    if module.file.ends_with("mod.rs") {
        below(module.file.parent().expect("a folder"), 2, &mut files);
    } else {
        files.push((module.file.clone(), 1));
        below(&module.file.with_extension(""), 2, &mut files);
    }
    files
}

/// The first names of the paths that start at the root of the crate.
fn names_from_the_root(tokens: TokenStream, depth: usize, names: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let follows_path =
        |at: usize| is_punct(tokens.get(at), ':') && is_punct(tokens.get(at + 1), ':');
    let mut at = 0;
    while at < tokens.len() {
        // `crate::`, or as many `super::` as lead there.
        let mut next = at;
        let mut above = 0;
        while is_ident(tokens.get(next), "super") && follows_path(next + 1) {
            above += 1;
            next += 3;
        }
        let is_root = ["crate", "retry_runtime"]
            .iter()
            .any(|root| is_ident(tokens.get(at), root) && follows_path(at + 1));
        if is_root {
            next = at + 3;
        }
        if is_root || (above > 0 && above == depth) {
            match tokens.get(next) {
                Some(TokenTree::Group(group)) => first_of_each(group.stream(), names),
                other => names.extend(ident(other)),
            }
        }
        // A module in the file is one deeper; tests may use what they like.
        let is_test = |tree: &TokenTree| {
            matches!(tree, TokenTree::Group(group)
            if group.stream().to_string().replace(' ', "") == "cfg(test)")
        };
        let is_tests =
            is_ident(tokens.get(at), "mod") && tokens[..at].iter().rev().take(2).any(is_test);
        let deeper = is_ident(tokens.get(at), "mod")
            && matches!(tokens.get(at + 2), Some(TokenTree::Group(_)));
        match tokens.get(at + 2) {
            Some(TokenTree::Group(body)) if deeper => {
                if !is_tests {
                    names_from_the_root(body.stream(), depth + 1, names);
                }
                at += 3;
                continue;
            }
            _ => {}
        }
        if let TokenTree::Group(group) = &tokens[at] {
            names_from_the_root(group.stream(), depth, names);
        }
        at = next.max(at + 1);
    }
}

/// The first names of `{a::B, c}`.
fn first_of_each(list: TokenStream, names: &mut Vec<String>) {
    let mut is_first = true;
    for tree in list {
        match &tree {
            TokenTree::Punct(punct) if punct.as_char() == ',' => is_first = true,
            TokenTree::Ident(ident) if is_first => {
                names.push(ident.to_string());
                is_first = false;
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {}
            _ => {}
        }
    }
}

/// The list of a folder in ARCHITECTURE.md, from the lowest module to the highest.
fn listed(folder: &str) -> Vec<String> {
    let text = architecture();
    let list = text.lines().skip_while(|line| *line != folder).skip(1);
    // A line that goes on with a description is indented further.
    let is_row = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let names = list
        .take_while(|line| !line.is_empty())
        .filter(is_row)
        .filter(|line| !line.contains("---"));
    names
        .flat_map(|line| line.trim().split("  ").next().unwrap_or_default().split(", "))
        .map(|name| name.trim_end_matches('/').to_owned())
        .collect()
}

/// What is wrong with the arrows among the modules of a folder, and with its list.
fn mistakes(folder: &str) -> Vec<String> {
    let sources = repository().join(folder);
    let listed = listed(folder);
    let modules = modules(&sources);
    assert!(modules.len() > 15, "the modules were not found");
    // The file or folder, which a path attribute may call otherwise than the module.
    let listed_as = |module: &Module| {
        let file = module.file.strip_prefix(&sources).expect("a source");
        let first = file.iter().next().expect("a name");
        first.to_string_lossy().trim_end_matches(".rs").to_owned()
    };
    let place: BTreeMap<String, usize> =
        listed.iter().enumerate().map(|(place, name)| (name.clone(), place)).collect();
    let mut wrong = Vec::new();
    for module in &modules {
        let name = listed_as(module);
        let Some(own) = place.get(&name) else {
            wrong.push(format!("ARCHITECTURE.md does not list `{name}`"));
            continue;
        };
        for (file, depth) in files(module) {
            let mut used = Vec::new();
            names_from_the_root(tokens(&file), depth, &mut used);
            let shown = file.strip_prefix(&sources).expect("a source").display().to_string();
            for used in used {
                let Some(module) = modules.iter().find(|module| module.name == used) else {
                    wrong
                        .push(format!("{shown} takes `{used}` from the root, not from its module"));
                    continue;
                };
                if place.get(&listed_as(module)).is_some_and(|place| place > own) {
                    wrong.push(format!("{shown} uses `{used}`, which is below `{name}`"));
                }
            }
        }
    }
    for name in &listed {
        if modules.iter().all(|module| listed_as(module) != *name) {
            wrong.push(format!("ARCHITECTURE.md lists `{name}`, which is no module"));
        }
    }
    wrong.sort();
    wrong.dedup();
    wrong
}

#[test]
fn each_module_of_the_runtime_uses_only_modules_that_are_above_it_in_the_list() {
    let wrong = mistakes("retry-runtime/src");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_module_of_the_macros_uses_only_modules_that_are_above_it_in_the_list() {
    let wrong = mistakes("retry-macros/src");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_expansion_knows_no_rules() {
    let sources = repository().join("retry-macros/src");
    let is_expansion = |module: &Module| module.name == "expansion";
    let expansion = modules(&sources).into_iter().find(is_expansion).expect("it is a module");
    for (file, depth) in files(&expansion) {
        let mut used = Vec::new();
        names_from_the_root(tokens(&file), depth, &mut used);
        assert!(!used.contains(&"rules".to_owned()), "{file:?}");
    }
}
