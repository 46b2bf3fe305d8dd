//! Result codes of SQLite (<https://sqlite.org/rescode.html>). `tables.md` has the same
//! rows for the reader, and a test compares them.

use super::ErrorKind::{
    self, Caller, Cancelled, Internal, Locked, OutOfResources, Refused, Unrecognised,
};

pub(super) const fn kind(code: i32) -> ErrorKind {
    match code {
        // Extended codes whose primary code says something else.
        1032 => Internal,
        526 => Caller,
        3082 => OutOfResources,
        _ => primary(code & 0xff),
    }
}

const fn primary(code: i32) -> ErrorKind {
    match code {
        5 | 6 | 15 => Locked,
        14 | 17 => Refused,
        7 | 13 => OutOfResources,
        9 => Cancelled,
        2 | 10 | 11 | 26 => Internal,
        1 | 3 | 4 | 8 | 12 | 16 | 18..=25 => Caller,
        _ => Unrecognised,
    }
}
