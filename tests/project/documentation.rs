//! What is said twice is said alike.

/// The rows of the table under `head`.
fn table<'t>(text: &'t str, head: &str) -> Vec<&'t str> {
    text.lines().skip_while(|line| *line != head).take_while(|line| line.starts_with('|')).collect()
}

#[test]
fn the_keys_are_the_same_in_the_readme_and_in_the_documentation_of_the_attribute() {
    let head = "| key | value | meaning |";
    let readme = table(include_str!("../../README.md"), head);
    let attribute = table(include_str!("../../retry-macros/src/attribute.md"), head);
    assert!(readme.len() > 15, "the README's table was not found");
    assert_eq!(readme, attribute);
}
