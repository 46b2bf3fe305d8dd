//! SQLSTATEs: the classes of ISO/IEC 9075-2 (clause 24.1) and the codes of PostgreSQL
//! (Appendix A). `tables.md` has the same rows for the reader, and a test compares them.

use super::ErrorKind;
use super::ErrorKind::{
    Caller, Cancelled, Conflict, FailedTransaction, Internal, Locked, NotReady, OutOfConnections,
    OutOfResources, PerhapsCommitted, Refused, Terminated, Unrecognised,
};

pub(super) const fn kind(sqlstate: &str) -> ErrorKind {
    match sqlstate.as_bytes() {
        b"08001" | b"08003" | b"08004" | b"25006" | b"57P05" => Refused,
        b"25P02" => FailedTransaction,
        b"25P03" | b"25P04" | b"57014" => Cancelled,
        b"40002" => Caller,
        b"40003" => PerhapsCommitted,
        b"53300" => OutOfConnections,
        b"55006" | b"55P03" => Locked,
        b"57P01" | b"57P02" => Terminated,
        b"57P03" => NotReady,
        [first, second, _, _, _] => class([*first, *second]),
        _ => Unrecognised,
    }
}

const fn class(class: [u8; 2]) -> ErrorKind {
    match &class {
        b"08" => PerhapsCommitted,
        b"40" => Conflict,
        b"53" => OutOfResources,
        b"57" => PerhapsCommitted,
        b"58" | b"F0" | b"HV" | b"XX" => Internal,
        b"72" => Cancelled,
        b"02" | b"03" | b"07" | b"09" | b"0A" | b"0B" | b"0F" | b"0L" | b"0P" | b"0Z" | b"10"
        | b"20" | b"21" | b"22" | b"23" | b"24" | b"25" | b"26" | b"27" | b"28" | b"2B" | b"2D"
        | b"2F" | b"34" | b"38" | b"39" | b"3B" | b"3D" | b"3F" | b"42" | b"44" | b"54" | b"55"
        | b"P0" => Caller,
        _ => Unrecognised,
    }
}
