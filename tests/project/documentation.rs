//! The README and the guide agree with the rest of the documentation.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::repository;

/// The keys in the first column of the table under `head`.
fn keys(text: &str, head: &str) -> BTreeSet<String> {
    let rows = text.lines().skip_while(|line| *line != head).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    // `a = 1`, `b(c)`: what stands before the value, of each piece of code.
    let cells = rows.map(|row| row.split('|').nth(1).unwrap_or_default());
    let codes = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    codes.map(|code| code.split([' ', '(']).next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn the_keys_are_the_same_in_the_readme_and_in_the_documentation_of_the_attribute() {
    let readme = keys(include_str!("../../README.md"), "| key | meaning |");
    let attribute = include_str!("../../retry-macros/src/attribute.md");
    let attribute = keys(attribute, "| key,&nbsp;by&nbsp;an&nbsp;example | value | meaning |");
    assert!(readme.len() > 15, "the README's table was not found");
    assert_eq!(readme, attribute);
}

#[test]
fn the_readme_is_read_in_three_minutes() {
    let length = include_str!("../../README.md").len();
    assert!(length <= 9_000, "the README has {length} bytes: move text to the guide");
}

/// What the README links to in this repository is there, and each page of the guide that
/// it links to is one.
#[test]
fn the_links_of_the_readme_lead_somewhere() {
    let readme = include_str!("../../README.md");
    let links = readme.split("](").skip(1).map(|rest| rest.split(')').next().unwrap_or_default());
    let mut pages = 0;
    for link in links {
        let page = link.split("/guide/").nth(1).and_then(|rest| rest.strip_suffix("/index.html"));
        if let Some(page) = page {
            let file = repository().join(format!("retry-runtime/guide/{page}.md"));
            assert!(file.exists(), "{link}");
            pages += 1;
        } else if !link.starts_with("https://") {
            assert!(repository().join(link).exists(), "{link}");
        }
    }
    assert!(pages > 3, "the links to the guide were not found");
}

/// A page that nobody declared would be in no documentation.
#[test]
fn each_page_of_the_guide_is_a_module() {
    let declared = include_str!("../../retry-runtime/src/guide.rs");
    for entry in fs::read_dir(repository().join("retry-runtime/guide")).expect("the folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let included = format!("#[doc = include_str!(\"../guide/{name}.md\")]");
        let is_declared =
            declared.lines().any(|line| [&name, &included].contains(&&line.trim().to_owned()));
        assert!(is_declared, "guide.rs does not declare {name}");
    }
}

/// The queries of the guide ask for measurements that there are.
#[test]
fn the_queries_of_the_guide_name_measurements() {
    let source = include_str!("../../retry-runtime/src/telemetry/measurements.rs");
    let names = source.split('"').filter(|text| text.starts_with("retry."));
    let known: BTreeSet<String> = names.map(|name| name.replace('.', "_")).collect();
    let page = include_str!("../../retry-runtime/guide/alerts.md");
    let words = page.split(|char: char| !char.is_alphanumeric() && char != '_');
    let asked = words.filter(|word| word.starts_with("retry_") && *word != "retry_runtime");
    let asked: BTreeSet<&str> = asked.map(|word| word.trim_end_matches("_total")).collect();
    assert!(asked.len() >= 3, "the queries were not found");
    for name in asked {
        assert!(known.contains(name), "{name} is none of {known:?}");
    }
}

/// The texts that a source maps something to, or names a constant.
fn texts<'s>(source: &'s str, before: &'s str) -> impl Iterator<Item = &'s str> {
    source.lines().filter_map(move |line| {
        let (_, text) = line.trim().split_once(before)?;
        text.split('"').next()
    })
}

/// Who adds a decision, an outcome or a measurement adds it to what is known of telemetry.
#[test]
fn the_documentation_of_telemetry_has_every_label_and_every_measurement() {
    let read = |file: &str| {
        let path = repository().join("retry-runtime/src").join(file);
        fs::read_to_string(path).expect("it is there")
    };
    let documentation = read("telemetry/mod.rs");
    let (decisions, outcomes) = (read("decision.rs"), read("outcome.rs"));
    let labels = texts(&decisions, "=> \"").chain(texts(&outcomes, "=> \""));
    let labels: Vec<&str> = labels.collect();
    assert!(labels.len() > 14, "{labels:?}");
    // No event tells of a success's outcome: its decision says it.
    for label in labels.into_iter().filter(|label| *label != "success") {
        assert!(documentation.contains(&format!("`{label}`")), "no `{label}` in its tables");
    }
    let measurements = read("telemetry/measurements.rs");
    let names: Vec<&str> = texts(&measurements, ": &str = \"").collect();
    assert!(names.len() > 4, "{names:?}");
    for name in names {
        assert!(documentation.contains(&format!("| `{name}` (`")), "no `{name}` in its table");
    }
    let described = measurements.matches("Unit::").count();
    assert_eq!(described, measurements.matches("\npub const ").count(), "`describe_metrics`");
}

/// The lines of code that a page shows: `text` is Markdown.
fn shown_code(text: &str) -> Vec<&str> {
    let mut is_code = false;
    let mut shown = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if is_code && !line.trim_start().starts_with("# ") {
            shown.push(line);
        }
    }
    shown
}

/// Markdown in files of its own, and the documentation of items.
fn pages(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            pages(&path, found);
            continue;
        }
        let read = || fs::read_to_string(&path).expect("a text");
        let text = match path.extension().and_then(|extension| extension.to_str()) {
            Some("md") => read(),
            Some("rs") => {
                let comment = |line: &str| {
                    let line = line.trim_start();
                    let text = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))?;
                    Some(text.strip_prefix(' ').unwrap_or(text).to_owned())
                };
                read().lines().filter_map(comment).collect::<Vec<_>>().join("\n")
            }
            _ => continue,
        };
        found.push((path.display().to_string(), text));
    }
}

/// A longer line has to be scrolled on a page of documentation, even on a wide screen.
#[test]
fn the_code_of_the_documentation_fits_its_page() {
    const WIDTH: usize = 95;
    let mut found = Vec::new();
    for folder in ["retry-runtime/guide", "retry-runtime/src", "retry-macros/src"] {
        pages(&repository().join(folder), &mut found);
    }
    for client in ["hyper", "redis", "reqwest", "sqlx", "tonic"] {
        pages(&repository().join(format!("integrations/retry-{client}/src")), &mut found);
    }
    let mut lines = 0;
    let mut long = Vec::new();
    for (path, text) in &found {
        let code = shown_code(text);
        lines += code.len();
        let wide = code.into_iter().filter(|line| line.chars().count() > WIDTH);
        long.extend(wide.map(|line| format!("{path}: {line}")));
    }
    assert!(lines > 1_500, "only {lines} lines of code were found");
    assert!(long.is_empty(), "{}", long.join("\n"));
}
