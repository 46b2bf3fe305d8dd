//! The picture that the README shows is the one that the program draws.

use std::path::Path;

use retry_storm::{Budgets, Record, Scenario, picture, run, table};

#[test]
fn the_committed_picture_is_the_one_of_the_default_scenario() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/storm.svg");
    let scenario = Scenario::default();
    let rows = table::comparison(&scenario, Budgets::new(10, 0.1));
    let records: Vec<Record> = rows.iter().map(|row| run(&row.scenario, |_| {})).collect();
    let lines: Vec<picture::Line<'_>> =
        rows.iter().map(|row| row.remark.as_str()).zip(&records).collect();
    let drawn = picture::draw(&scenario, &lines).unwrap();
    if std::env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite") {
        std::fs::write(&path, &drawn).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap();
    assert!(
        drawn == committed,
        "docs/storm.svg is out of date: SNAPSHOTS=overwrite cargo test -p retry-storm --test picture"
    );
}
