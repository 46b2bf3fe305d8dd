//! `startup`: a dependency that comes up late, or not at all.

use std::io::{BufReader, Read};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;

use crate::{example, read_until, send, stderr, stdout};

fn startup(arguments: &[&str]) -> Child {
    Command::new(example("startup"))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// An address at which nobody listens yet.
fn free_address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

#[test]
fn startup_waits_for_a_listener_that_comes_up_late() {
    let address = free_address();
    let mut child = startup(&[&address]);
    let mut log = BufReader::new(child.stderr.take().unwrap());
    read_until(&mut log, "attempt 3");
    let listener = TcpListener::bind(&address).unwrap();
    let accepted = listener.accept().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stdout(&output), format!("connected to {address}\n"));
    drop(accepted);
}

#[test]
fn startup_without_an_address_shows_it_by_itself() {
    let output = startup(&[]).wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).starts_with("connected to 127.0.0.1:"));
    assert!(stderr(&output).contains("attempt 1: Connection refused"));
}

#[test]
fn a_signal_ends_startup_with_the_last_error_and_the_reason() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        let mut child = startup(&[&free_address()]);
        let mut log = BufReader::new(child.stderr.take().unwrap());
        read_until(&mut log, "attempt 2");
        send(&child, signal);
        let mut rest = String::new();
        log.read_to_string(&mut rest).unwrap();
        assert!(rest.contains("cancelled after attempt"), "{rest}");
        assert!(rest.contains("last error: "), "{rest}");
        assert_eq!(child.wait().unwrap().code(), Some(code));
    }
}

#[test]
fn a_deadline_ends_startup_with_the_last_error_and_the_reason() {
    let output = startup(&["--deadline", "300ms", &free_address()]).wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let log = stderr(&output);
    assert!(log.contains("expired after attempt"), "{log}");
    assert!(log.contains("last error: Connection refused"), "{log}");
}

#[test]
fn startup_does_not_wait_for_an_address_that_is_none() {
    let output = startup(&["127.0.0.1:99999"]).wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("stopped after attempt 1"));
    for arguments in [&["--deadline", "30"][..], &["a:1", "b:2"], &["--wait"]] {
        let output = startup(arguments).wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(64), "{arguments:?}");
    }
    let help = startup(&["--help"]).wait_with_output().unwrap();
    assert_eq!(help.status.code(), Some(0));
    assert!(stdout(&help).contains("--deadline"));
}
