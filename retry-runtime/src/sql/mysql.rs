//! Error numbers of MySQL (Error Message Reference, "Server Error Message Reference") and
//! of MariaDB ("MariaDB Error Code Reference"). `tables.md` has the same rows for the
//! reader, and a test compares them.

use super::ErrorKind::{
    self, Caller, Cancelled, Conflict, Internal, Locked, NotReady, OutOfConnections,
    OutOfResources, PerhapsCommitted, Refused, Terminated,
};
use super::sqlstate;

pub(super) const fn kind(number: u16, state: &str) -> ErrorKind {
    match number {
        1020 | 1213 | 1614 | 3101 => Conflict,
        1205 | 1412 | 3058 | 3572 => Locked,
        1042 | 1043 | 1129 | 1290 | 1836 => Refused,
        1047 => NotReady,
        1040 | 1203 | 1226 => OutOfConnections,
        1021 | 1037 | 1038 | 1041 | 1114 | 1135 | 1206 => OutOfResources,
        1028 | 1317 | 1613 | 1969 | 3024 => Cancelled,
        1053 | 1077 | 1079 | 1927 => Terminated,
        1152 | 1158 | 1159 | 1160 | 1161 | 1180 | 1184 => PerhapsCommitted,
        1026 | 1030 | 1105 | 3100 => Internal,
        // They have a state of a class that says otherwise, or HY000, which says nothing.
        1130 | 1153 | 1364 | 1366 | 1418 | 1419 | 1526 | 1792 | 3819 => Caller,
        // A number of MySQL's in another sense.
        4025 if matches!(state.as_bytes(), b"23000") => Caller,
        _ => by_state(state),
    }
}

/// MySQL has classes that PostgreSQL and the standard lack.
const fn by_state(state: &str) -> ErrorKind {
    match state.as_bytes() {
        // Out of memory (1037, 1038, 1041), and only that.
        b"HY001" => OutOfResources,
        [b'0', b'1', _, _, _] => Caller,
        // Interrupted.
        [b'7', b'0', _, _, _] => Cancelled,
        // XA: rolled back, in doubt, or used wrongly.
        [b'X', b'A', _, _, _] => PerhapsCommitted,
        _ => sqlstate::kind(state),
    }
}
