//! Errors of redis that need no server: the lines that a server sends, and those of the
//! client itself.

use std::io;

use redis::{ErrorKind as Redis, RedisError, ServerErrorKind, parse_redis_value};
use retry_redis::{Classifier, ErrorKind, error_kind};
use retry_runtime::{Classify, Outcome};

/// The error of a line that a server sends.
fn answer(line: &str) -> RedisError {
    let value = parse_redis_value(format!("-{line}\r\n").as_bytes()).expect("a line of RESP");
    value.extract_error().expect_err("an error")
}

#[test]
fn every_code_of_a_server_has_its_kind() {
    for (line, kind) in [
        ("LOADING Redis is loading the dataset in memory", ErrorKind::Refused),
        ("BUSY Redis is busy running a script.", ErrorKind::Refused),
        ("TRYAGAIN Multiple keys request during rehashing of slot", ErrorKind::Refused),
        ("MOVED 3999 127.0.0.1:6381", ErrorKind::Refused),
        ("ASK 3999 127.0.0.1:6381", ErrorKind::Refused),
        ("REDIRECT 127.0.0.1:6381", ErrorKind::Refused),
        ("CLUSTERDOWN The cluster is down", ErrorKind::Refused),
        ("MASTERDOWN Link with MASTER is down", ErrorKind::Refused),
        ("READONLY You can't write against a read only replica.", ErrorKind::Refused),
        ("OOM command not allowed when used memory > 'maxmemory'.", ErrorKind::Refused),
        ("MISCONF Redis is configured to save RDB snapshots", ErrorKind::Refused),
        ("NOREPLICAS Not enough good replicas to write.", ErrorKind::Refused),
        ("ERR max number of clients reached", ErrorKind::Refused),
        ("READONLY You can't write. script: f1, on @user_script:1.", ErrorKind::PerhapsRun),
        ("OOM command not allowed. script: f1, on @user_script:1.", ErrorKind::PerhapsRun),
        ("IOERR error or timeout reading from target instance", ErrorKind::PerhapsRun),
        ("ERR unknown command 'GTE'", ErrorKind::Caller),
        ("ERR Error running script, on @user_script:1.", ErrorKind::Caller),
        ("WRONGTYPE Operation against a key of the wrong kind", ErrorKind::Caller),
        ("NOSCRIPT No matching script.", ErrorKind::Caller),
        ("CROSSSLOT Keys in request don't hash to the same slot", ErrorKind::Caller),
        ("NOPERM this user has no permissions", ErrorKind::Caller),
        ("NOAUTH Authentication required.", ErrorKind::Caller),
        ("WRONGPASS invalid username-password pair", ErrorKind::Caller),
        ("BUSYGROUP Consumer Group name already exists", ErrorKind::Caller),
        ("BUSYKEY Target key name already exists.", ErrorKind::Caller),
        ("NOTBUSY No scripts in execution right now.", ErrorKind::Caller),
        ("UNBLOCKED client unblocked via CLIENT UNBLOCK", ErrorKind::Caller),
        ("EXECABORT Transaction discarded", ErrorKind::Caller),
        ("MYMODULE something of its own", ErrorKind::Unrecognised),
        ("", ErrorKind::Unrecognised),
    ] {
        let error = answer(line);
        assert_eq!(error_kind(&error), kind, "{line}: {error}");
    }
}

#[test]
fn errors_of_the_client_have_their_kinds() {
    let of = |kind: io::ErrorKind| error_kind(&RedisError::from(io::Error::from(kind)));
    assert_eq!(of(io::ErrorKind::ConnectionRefused), ErrorKind::Refused);
    assert_eq!(of(io::ErrorKind::NotFound), ErrorKind::Refused);
    for kind in [
        io::ErrorKind::BrokenPipe,
        io::ErrorKind::ConnectionReset,
        io::ErrorKind::ConnectionAborted,
        io::ErrorKind::UnexpectedEof,
        io::ErrorKind::TimedOut,
        io::ErrorKind::Other,
    ] {
        assert_eq!(of(kind), ErrorKind::PerhapsRun, "{kind:?}");
    }
    for (kind, expected) in [
        (Redis::Io, ErrorKind::PerhapsRun),
        (Redis::ClusterConnectionNotFound, ErrorKind::Refused),
        (Redis::MasterNameNotFoundBySentinel, ErrorKind::Refused),
        (Redis::NoValidReplicasFoundBySentinel, ErrorKind::Refused),
        (Redis::AuthenticationFailed, ErrorKind::Caller),
        (Redis::InvalidClientConfig, ErrorKind::Caller),
        (Redis::UnexpectedReturnType, ErrorKind::Caller),
        (Redis::Parse, ErrorKind::Unrecognised),
        (Redis::Client, ErrorKind::Unrecognised),
        (Redis::Extension, ErrorKind::Unrecognised),
        (ServerErrorKind::TryAgain.into(), ErrorKind::Refused),
        (ServerErrorKind::NoPerm.into(), ErrorKind::Caller),
    ] {
        assert_eq!(error_kind(&RedisError::from((kind, "made here"))), expected, "{kind:?}");
    }
}

#[test]
fn a_command_that_may_have_run_is_repeated_only_if_that_is_harmless() {
    let lost: RedisError = io::Error::from(io::ErrorKind::BrokenPipe).into();
    assert_eq!(Classifier::READ.classify_error(&lost), Outcome::Retry);
    assert_eq!(Classifier::IDEMPOTENT_WRITE.classify_error(&lost), Outcome::Retry);
    assert_eq!(Classifier::WRITE.classify_error(&lost), Outcome::Fail);
    let refused = answer("READONLY You can't write against a read only replica.");
    assert_eq!(Classifier::WRITE.classify_error(&refused), Outcome::Retry);
    let unknown = answer("MYMODULE what it means is unknown");
    assert_eq!(Classifier::READ.classify_error(&unknown), Outcome::Fail, "never free");
    assert_eq!(Classifier::READ.classify_error(&answer("ERR syntax error")), Outcome::Stop);
    assert_eq!(Classifier::READ.classify(&Ok::<u8, RedisError>(1)), Outcome::Success);
}

#[test]
fn an_event_says_code_and_kind_and_quotes_nothing() {
    struct Explained(Result<(), RedisError>);
    impl std::fmt::Display for Explained {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            Classifier::WRITE.explain(&self.0, f)
        }
    }
    let explained = |error| Explained(Err(error)).to_string();
    let refused = answer("READONLY You can't write against a read only replica.");
    assert_eq!(explained(refused), "READONLY, refused");
    assert_eq!(explained(answer("OOM command not allowed")), "OOM, refused");
    assert_eq!(explained(io::Error::from(io::ErrorKind::BrokenPipe).into()), "perhaps_run");
}
