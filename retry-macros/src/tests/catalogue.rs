//! Every sentence of the catalogue of messages is shown by a test of a misuse, whose
//! output a user can look up.

use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};

/// The sentences in tokens: the string literals that are more than a word or two.
fn sentences(tokens: TokenStream) -> Vec<String> {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Group(group) => sentences(group.stream()),
            TokenTree::Literal(literal) => {
                let text = syn::parse_str::<syn::LitStr>(&literal.to_string());
                text.into_iter()
                    .map(|text| text.value())
                    .filter(|text| text.split(' ').count() > 3)
                    .collect()
            }
            _ => Vec::new(),
        })
        .collect()
}

/// Whether `line` is `sentence`, or part of it, with something for each `{..}`.
fn says(line: &str, sentence: &str) -> bool {
    let mut rest = line;
    sentence.split('{').enumerate().all(|(index, part)| {
        let part =
            if index == 0 { part } else { part.split_once('}').map_or(part, |(_, end)| end) };
        match rest.split_once(part) {
            Some((_, after)) => {
                rest = after;
                true
            }
            None => false,
        }
    })
}

#[test]
fn every_message_of_the_catalogue_is_shown_by_a_test_of_a_misuse() {
    let outputs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/ui/fail");
    let mut shown = String::new();
    for entry in fs::read_dir(outputs).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "stderr") {
            shown.push_str(&fs::read_to_string(path).expect("an output"));
        }
    }
    let lines: Vec<&str> = shown.lines().filter(|line| line.starts_with("error")).collect();
    let catalogue: TokenStream =
        include_str!("../messages.rs").parse().expect("it is made of tokens");
    let all: Vec<String> =
        sentences(catalogue).into_iter().filter(|text| !text.starts_with(' ')).collect();
    assert!(all.len() > 80, "only {} sentences were found", all.len());
    let unshown: Vec<&String> =
        all.iter().filter(|sentence| !lines.iter().any(|line| says(line, sentence))).collect();
    assert!(unshown.is_empty(), "no test in tests/ui/fail shows {unshown:#?}");
}
