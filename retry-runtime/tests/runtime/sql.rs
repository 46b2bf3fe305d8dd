//! SQL error codes: the tables of the documentation, row by row, and what a kind means for
//! a read, a write and a whole transaction.

use std::collections::BTreeMap;

use retry_runtime::Outcome;
use retry_runtime::sql::{Access, ErrorKind};

const TABLES: &str = include_str!("../../src/sql/tables.md");

const KINDS: [ErrorKind; 13] = [
    ErrorKind::Conflict,
    ErrorKind::Locked,
    ErrorKind::Refused,
    ErrorKind::NotReady,
    ErrorKind::OutOfConnections,
    ErrorKind::OutOfResources,
    ErrorKind::Cancelled,
    ErrorKind::Terminated,
    ErrorKind::PerhapsCommitted,
    ErrorKind::Internal,
    ErrorKind::FailedTransaction,
    ErrorKind::Caller,
    ErrorKind::Unrecognised,
];

/// The codes and kinds of one section of the documentation.
fn rows(section: &str) -> Vec<(String, String)> {
    let (_, after) = TABLES.split_once(&format!("# {section}\n")).expect("the section");
    let section = after.split("\n# ").next().unwrap_or_default();
    let mut rows = Vec::new();
    for line in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.split(" | ").collect();
        let [codes, _, kind, source] = cells[..] else { panic!("four cells: {line}") };
        assert!(source.trim_end_matches(" |").len() > 3, "a source: {line}");
        for code in codes.trim_start_matches("| ").split(", ") {
            rows.push((code.trim_matches('`').to_owned(), kind.trim_matches('`').to_owned()));
        }
    }
    rows
}

fn of_mysql(code: &str) -> ErrorKind {
    match code.parse() {
        Ok(number) => ErrorKind::mysql(number, "HY000"),
        // A number that no table has, so that the state decides.
        Err(_) => ErrorKind::mysql(65_000, code),
    }
}

#[test]
fn every_row_of_the_documentation_is_what_the_code_says() {
    let mut counted = BTreeMap::new();
    for (section, kind_of) in [
        ("PostgreSQL", ErrorKind::postgres as fn(&str) -> ErrorKind),
        ("MySQL and MariaDB", of_mysql),
        ("SQLite", |code| ErrorKind::sqlite(code.parse().unwrap())),
    ] {
        for (code, kind) in rows(section) {
            let class = code.replace("***", "*99");
            let example = if code.ends_with("***") { class.replace('*', "Z") } else { code };
            assert_eq!(format!("{:?}", kind_of(&example)), kind, "{example} in {section}");
            *counted.entry(section).or_insert(0) += 1;
        }
    }
    assert_eq!(counted["PostgreSQL"], 62);
    assert_eq!(counted["MySQL and MariaDB"], 57);
    assert_eq!(counted["SQLite"], 29);
}

/// What has no row is found by trying everything: no code is of a kind that its table
/// does not say.
#[test]
fn no_code_is_judged_without_a_row() {
    let in_table: Vec<String> = rows("PostgreSQL").into_iter().map(|(code, _)| code).collect();
    let digits = || (b'0'..=b'9').chain(b'A'..=b'Z').map(char::from);
    for (first, second) in digits().flat_map(|first| digits().map(move |second| (first, second))) {
        let class = format!("{first}{second}");
        let has_row = in_table.contains(&format!("{class}***"));
        let kind = ErrorKind::postgres(&format!("{class}Z99"));
        assert_eq!(kind != ErrorKind::Unrecognised, has_row, "{class}");
    }
    let in_table: Vec<String> =
        rows("MySQL and MariaDB").into_iter().map(|(code, _)| code).collect();
    for number in 0..=u16::MAX {
        let has_row = in_table.contains(&number.to_string());
        let kind = ErrorKind::mysql(number, "HY000");
        assert_eq!(kind != ErrorKind::Unrecognised, has_row, "{number}");
    }
    let in_table: Vec<String> = rows("SQLite").into_iter().map(|(code, _)| code).collect();
    for code in 0..256 {
        let has_row = in_table.contains(&code.to_string());
        assert_eq!(ErrorKind::sqlite(code) != ErrorKind::Unrecognised, has_row, "{code}");
    }
}

#[test]
fn what_is_no_code_is_unrecognised_and_does_not_panic() {
    for text in ["", "4", "4000", "400010", "40-01\u{1F4A5}", "ÄÖÜ", "\0\0\0\0\0", "  40001"] {
        assert_eq!(ErrorKind::postgres(text), ErrorKind::Unrecognised, "{text:?}");
        assert_eq!(ErrorKind::mysql(0, text), ErrorKind::Unrecognised, "{text:?}");
    }
    // Five bytes of another alphabet, and codes in lower case.
    assert_eq!(ErrorKind::postgres("éé0"), ErrorKind::Unrecognised);
    assert_eq!(ErrorKind::postgres("40p01"), ErrorKind::Conflict, "by its class");
    for code in [i32::MIN, -1, 0, 100, 101, i32::MAX] {
        assert_eq!(ErrorKind::sqlite(code), ErrorKind::Unrecognised, "{code}");
    }
}

#[test]
fn an_extended_code_of_sqlite_has_the_kind_of_its_primary_code() {
    for snapshot_recovery_or_timeout in [517, 261, 773] {
        assert_eq!(ErrorKind::sqlite(snapshot_recovery_or_timeout), ErrorKind::Locked);
    }
    assert_eq!(ErrorKind::sqlite(19 | 8 << 8), ErrorKind::Caller, "SQLITE_CONSTRAINT_UNIQUE");
    assert_eq!(ErrorKind::sqlite(10 | 4 << 8), ErrorKind::Internal, "SQLITE_IOERR_FSYNC");
}

#[test]
fn the_number_of_mysql_wins_over_its_state() {
    // Each state of 08S01 that is no lost connection, and HY000, which says nothing.
    assert_eq!(ErrorKind::mysql(1047, "08S01"), ErrorKind::NotReady);
    assert_eq!(ErrorKind::mysql(1053, "08S01"), ErrorKind::Terminated);
    assert_eq!(ErrorKind::mysql(1153, "08S01"), ErrorKind::Caller);
    assert_eq!(ErrorKind::mysql(1158, "08S01"), ErrorKind::PerhapsCommitted);
    assert_eq!(ErrorKind::mysql(1205, "HY000"), ErrorKind::Locked);
    assert_eq!(ErrorKind::mysql(1203, "42000"), ErrorKind::OutOfConnections);
    assert_eq!(ErrorKind::mysql(1062, "23000"), ErrorKind::Caller);
    // Another error of MySQL has the number that MariaDB gives to a constraint.
    assert_eq!(ErrorKind::mysql(4025, "23000"), ErrorKind::Caller);
    assert_eq!(ErrorKind::mysql(4025, "HY000"), ErrorKind::Unrecognised);
}

#[test]
fn nothing_that_may_have_been_carried_out_is_repeated_unless_that_is_harmless() {
    let unsure = [
        ErrorKind::Terminated,
        ErrorKind::PerhapsCommitted,
        ErrorKind::Internal,
        ErrorKind::Unrecognised,
    ];
    for kind in unsure {
        assert_eq!(kind.outcome(Access::Write), Outcome::Fail, "{kind}");
        assert_eq!(kind.outcome(Access::Transaction), Outcome::Fail, "{kind}");
    }
    for kind in &unsure[..3] {
        assert_eq!(kind.outcome(Access::Read), Outcome::Retry, "{kind}");
        assert_eq!(kind.outcome(Access::IdempotentWrite), Outcome::Retry, "{kind}");
        assert_eq!(kind.outcome(Access::IdempotentTransaction), Outcome::Retry, "{kind}");
        assert_eq!(kind.outcome_before_commit(), Outcome::Retry, "{kind}");
    }
    assert_eq!(ErrorKind::Unrecognised.outcome(Access::Read), Outcome::Fail);
}

#[test]
fn only_a_conflict_and_the_callers_mistake_are_free() {
    for kind in KINDS {
        for access in [
            Access::Read,
            Access::Write,
            Access::IdempotentWrite,
            Access::Transaction,
            Access::IdempotentTransaction,
        ] {
            let outcome = kind.outcome(access);
            let whole = matches!(access, Access::Transaction | Access::IdempotentTransaction);
            let expected = match kind {
                ErrorKind::Conflict => Outcome::Repeat,
                ErrorKind::Locked if whole => Outcome::Repeat,
                ErrorKind::FailedTransaction | ErrorKind::Caller => Outcome::Stop,
                _ => {
                    assert!(outcome.is_failure(), "{kind} of {access:?} is free: {outcome}");
                    continue;
                }
            };
            assert_eq!(outcome, expected, "{kind} of {access:?}");
        }
    }
}

#[test]
fn a_step_that_is_repeated_in_a_failed_transaction_is_explained() {
    let kind = ErrorKind::postgres("25P02");
    assert_eq!(kind.outcome(Access::Transaction), Outcome::Stop);
    let advice = kind.advice().unwrap();
    assert!(advice.contains("repeat the whole transaction, not a step of it"), "{advice}");
    assert!(ErrorKind::PerhapsCommitted.advice().unwrap().contains("idempotency key"));
    assert_eq!(ErrorKind::Conflict.advice(), None);
}

#[test]
fn labels_are_snake_case_and_differ() {
    let mut labels: Vec<&str> = KINDS.iter().map(|kind| kind.as_str()).collect();
    labels.sort_unstable();
    labels.dedup();
    assert_eq!(labels.len(), KINDS.len());
    assert!(labels.iter().all(|label| label.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')));
    assert_eq!(ErrorKind::NotReady.to_string(), "not_ready");
}
