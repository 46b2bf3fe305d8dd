//! The command against a server that breaks off, is busy, and goes away.

#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// What the server does with one request.
enum Answer {
    /// Sends the file from where it is asked to, at most so many bytes of it.
    File(usize),
    Status(&'static str),
}

const FILE: &[u8] = &[7; 100_000];

/// Serves one connection for each answer: the address, and the requests' `Range`s.
fn serve(answers: Vec<Answer>) -> (String, thread::JoinHandle<Vec<Option<usize>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/file", listener.local_addr().unwrap());
    let served = thread::spawn(move || {
        answers.into_iter().map(|answer| respond(listener.accept().unwrap().0, answer)).collect()
    });
    (address, served)
}

fn respond(mut stream: TcpStream, answer: Answer) -> Option<usize> {
    let mut range = None;
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    while let Some(line) = lines.next().map(Result::unwrap).filter(|line| !line.is_empty()) {
        if let Some(start) = line.to_lowercase().strip_prefix("range: bytes=") {
            range = Some(start.trim_end_matches('-').parse().unwrap());
        }
    }
    let head = match &answer {
        Answer::Status(status) => format!("HTTP/1.1 {status}\r\nContent-Length: 0"),
        Answer::File(_) => {
            let start = range.unwrap_or(0);
            let (status, end) =
                if start > 0 { ("206 Partial", FILE.len() - 1) } else { ("200 OK", 0) };
            format!(
                "HTTP/1.1 {status}\r\nETag: \"v1\"\r\nContent-Range: bytes {start}-{end}/{0}\r\n\
                 Content-Length: {1}",
                FILE.len(),
                FILE.len() - start
            )
        }
    };
    write!(stream, "{head}\r\nConnection: close\r\n\r\n").unwrap();
    if let Answer::File(most) = answer {
        let rest = &FILE[range.unwrap_or(0)..];
        stream.write_all(&rest[..most.min(rest.len())]).unwrap();
    }
    range
}

fn fetch(url: &str, directory: &Path, options: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_fetch"))
        .args(options)
        .arg(url)
        .arg(directory.join("file"))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn ended(child: Child) -> (i32, String) {
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    (status.code().unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn it_resumes_from_where_the_connection_broke() {
    let directory = tempfile::tempdir().unwrap();
    let answers = vec![
        Answer::File(30_000),
        Answer::Status("503 Busy\r\nRetry-After: 0"),
        Answer::File(FILE.len()),
    ];
    let (url, served) = serve(answers);
    let (code, said) = ended(fetch(&url, directory.path(), &["--first", "1"]));
    assert_eq!(code, 0, "{said}");
    assert_eq!(std::fs::read(directory.path().join("file")).unwrap(), FILE);
    let ranges = served.join().unwrap();
    assert_eq!(ranges, [None, Some(30_000), Some(30_000)]);
    assert!(said.contains("attempt 2 of 5 in 0.0 s\nattempt 3 of 5 in "), "{said}");
}

#[test]
fn what_another_attempt_cannot_help_is_asked_once() {
    let directory = tempfile::tempdir().unwrap();
    let (url, served) = serve(vec![Answer::Status("404 Not Found")]);
    let (code, said) = ended(fetch(&url, directory.path(), &[]));
    assert_eq!((code, said.as_str()), (1, "fetch: the server answered 404 Not Found\n"));
    assert_eq!(served.join().unwrap(), [None]);
}

#[test]
fn a_server_that_stays_away_is_given_up() {
    let directory = tempfile::tempdir().unwrap();
    let answers = (0..3).map(|_| Answer::Status("502 Bad Gateway")).collect();
    let (url, served) = serve(answers);
    let options = ["--attempts", "3", "--first", "1"];
    let (code, said) = ended(fetch(&url, directory.path(), &options));
    assert_eq!(code, 69, "{said}");
    assert_eq!(served.join().unwrap().len(), 3);
}

#[test]
fn ctrl_c_ends_a_wait() {
    let directory = tempfile::tempdir().unwrap();
    let (url, served) = serve(vec![Answer::Status("503 Busy\r\nRetry-After: 3600")]);
    let mut child = fetch(&url, directory.path(), &[]);
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    errors.read_line(&mut line).unwrap();
    assert!(line.starts_with("attempt 2 of 5 in "), "{line}");
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let mut rest = String::new();
    errors.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "fetch: interrupted\n");
    assert_eq!(served.join().unwrap(), [None]);
}

#[test]
fn a_mistake_in_the_arguments_has_its_own_code() {
    let directory = tempfile::tempdir().unwrap();
    let (code, said) = ended(fetch("http://127.0.0.1:1/", directory.path(), &["--attempts", "0"]));
    assert_eq!(code, 64, "{said}");
}
