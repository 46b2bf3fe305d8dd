//! The pictures of the documentation are those that the program's code draws.

use std::path::Path;

use retry_storm::layers::Layers;
use retry_storm::table::Row;
use retry_storm::{Budgets, Record, Scenario, picture, run, table};

/// Compares with the committed picture, or renews it.
fn compare(name: &str, drawn: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    if std::env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite") {
        std::fs::write(&path, drawn).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        drawn == committed,
        "docs/{name} is out of date: SNAPSHOTS=overwrite cargo test -p retry-storm --test picture"
    );
    // In Markdown a blank line would end the picture.
    assert!(drawn.lines().all(|line| !line.trim().is_empty()));
}

fn draw(scenario: &Scenario, rows: &[Row]) -> String {
    let records: Vec<Record> = rows.iter().map(|row| run(&row.scenario, |_| {})).collect();
    let lines: Vec<picture::Line<'_>> =
        rows.iter().map(|row| row.remark.as_str()).zip(&records).collect();
    picture::draw(scenario, &lines).unwrap()
}

#[test]
fn the_committed_picture_is_the_one_of_the_default_scenario() {
    let scenario = Scenario::default();
    let rows = table::comparison(&scenario, Budgets::new(10, 0.1));
    compare("storm.svg", &draw(&scenario, &rows));
}

#[test]
fn the_committed_picture_of_the_reserve_is_the_one_of_the_default_scenario() {
    let scenario = Scenario::default();
    let rows = table::reserves(&scenario, Budgets::new(10, 0.1));
    compare("storm-reserve.svg", &draw(&scenario, &rows));
}

#[test]
fn the_committed_picture_of_layers_is_the_one_of_a_thousand_calls() {
    let points = [1, 2, 3].map(|layers| {
        let without = Layers { layers, attempts: 3, budgets: None, calls: 1000, fails_every: 1 };
        let with = Layers { budgets: Some(Budgets::new(10, 0.1)), ..without };
        (layers as u32, without.amplification(), with.amplification())
    });
    assert_eq!(points[2], (3, 27.0, 1.009));
    compare("storm-layers.svg", &picture::draw_layers(&points).unwrap());
}
