//! The README shows what the program prints.

#[test]
fn the_table_of_the_readme_is_what_the_crates_do() {
    let readme = include_str!("../../../README.md");
    let table = retry_comparison::table();
    assert!(readme.contains(&table), "the README should show:\n{table}");
}
