//! The kind of each error of sqlx.

use std::borrow::Cow;
use std::fmt;
use std::io;

use retry_runtime::sql::{Access, ErrorKind};
use retry_runtime::{Classify, Outcome};
use retry_sqlx::{Classifier, SqlxError, error_kind};
use sqlx::Error;
use sqlx::error::DatabaseError;

use crate::LedgerError;

fn boxed(text: &str) -> Box<dyn std::error::Error + Send + Sync> {
    text.into()
}

/// An error of a driver that is not sqlx's own.
#[derive(Debug)]
struct Foreign(Option<&'static str>);

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("foreign")
    }
}

impl std::error::Error for Foreign {}

impl DatabaseError for Foreign {
    fn message(&self) -> &str {
        "foreign"
    }

    fn code(&self) -> Option<Cow<'_, str>> {
        self.0.map(Cow::Borrowed)
    }

    fn as_error(&self) -> &(dyn std::error::Error + Send + Sync + 'static) {
        self
    }

    fn as_error_mut(&mut self) -> &mut (dyn std::error::Error + Send + Sync + 'static) {
        self
    }

    fn into_error(self: Box<Self>) -> Box<dyn std::error::Error + Send + Sync + 'static> {
        self
    }

    fn kind(&self) -> sqlx::error::ErrorKind {
        sqlx::error::ErrorKind::Other
    }
}

fn foreign(code: Option<&'static str>) -> Error {
    Error::Database(Box::new(Foreign(code)))
}

fn io_error(kind: io::ErrorKind) -> Error {
    Error::Io(kind.into())
}

#[test]
fn every_error_of_sqlx_has_its_kind() {
    for (error, kind) in [
        (Error::PoolTimedOut, ErrorKind::OutOfConnections),
        (Error::Tls(boxed("handshake")), ErrorKind::Refused),
        (Error::BeginFailed, ErrorKind::Refused),
        (io_error(io::ErrorKind::ConnectionRefused), ErrorKind::Refused),
        (io_error(io::ErrorKind::NotFound), ErrorKind::Refused),
        (io_error(io::ErrorKind::AddrNotAvailable), ErrorKind::Refused),
        (io_error(io::ErrorKind::UnexpectedEof), ErrorKind::PerhapsCommitted),
        (io_error(io::ErrorKind::ConnectionReset), ErrorKind::PerhapsCommitted),
        (io_error(io::ErrorKind::BrokenPipe), ErrorKind::PerhapsCommitted),
        (io_error(io::ErrorKind::TimedOut), ErrorKind::PerhapsCommitted),
        (Error::Io(io::Error::other("name not found")), ErrorKind::PerhapsCommitted),
        (Error::Protocol("not the protocol".into()), ErrorKind::PerhapsCommitted),
        (Error::WorkerCrashed, ErrorKind::PerhapsCommitted),
        (Error::Configuration(boxed("url")), ErrorKind::Caller),
        (Error::InvalidArgument("argument".into()), ErrorKind::Caller),
        (Error::RowNotFound, ErrorKind::Caller),
        (Error::ColumnNotFound("cents".into()), ErrorKind::Caller),
        (Error::Decode(boxed("null")), ErrorKind::Caller),
        (Error::Encode(boxed("too large")), ErrorKind::Caller),
        (Error::PoolClosed, ErrorKind::Caller),
        (Error::InvalidSavePointStatement, ErrorKind::Caller),
        (Error::AnyDriverError(boxed("other")), ErrorKind::Unrecognised),
        (foreign(Some("40001")), ErrorKind::Conflict),
        (foreign(Some("5")), ErrorKind::Locked),
        (foreign(Some("")), ErrorKind::Unrecognised),
        (foreign(Some("1205")), ErrorKind::Unrecognised),
        (foreign(None), ErrorKind::Unrecognised),
    ] {
        assert_eq!(error_kind(&error), kind, "{error:?}");
    }
}

#[test]
fn what_an_error_means_depends_on_the_access() {
    let lost = io_error(io::ErrorKind::ConnectionReset);
    assert_eq!(Classifier::READ.classify_error(&lost), Outcome::Retry);
    assert_eq!(Classifier::WRITE.classify_error(&lost), Outcome::Fail);
    assert_eq!(Classifier::IDEMPOTENT_WRITE.classify_error(&lost), Outcome::Retry);
    assert_eq!(Classifier::TRANSACTION.classify_error(&lost), Outcome::Fail);
    assert_eq!(Classifier::IDEMPOTENT_TRANSACTION.classify_error(&lost), Outcome::Retry);
    let conflict = foreign(Some("40P01"));
    assert_eq!(Classifier::WRITE.classify_error(&conflict), Outcome::Repeat);
    assert_eq!(Classifier::READ.classify(&Ok::<u8, Error>(1)), Outcome::Success);
    assert_eq!(Classifier::new(Access::Write), Classifier::WRITE);
}

/// The text of an event's error.
fn explained<T, E: SqlxError>(result: &Result<T, E>) -> String {
    std::fmt::from_fn(|f| Classifier::TRANSACTION.explain(result, f)).to_string()
}

#[test]
fn an_event_says_code_and_kind_and_quotes_nothing() {
    assert_eq!(explained(&Err::<(), _>(foreign(Some("40001")))), "40001, conflict");
    assert_eq!(explained(&Err::<(), _>(Error::PoolTimedOut)), "out_of_connections");
    let text = explained(&Err::<(), _>(foreign(Some("25P02"))));
    assert!(text.starts_with("25P02, failed_transaction: an earlier statement"), "{text}");
    assert_eq!(explained(&Ok::<_, Error>(1)), "");
    assert_eq!(explained(&Err::<(), _>(LedgerError::Overdrawn)), "");
}
