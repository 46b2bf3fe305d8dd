//! The example programs against real scripts, signals and sockets: they do what
//! their `--help` says.
#![cfg(unix)]

mod poll;
mod run_step;
mod startup;

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Output};

use rustix::process::{Pid, Signal, kill_process};

/// The path of an example, which `cargo test` builds beside this test. It does not
/// if it is told to build one test only, so then it is built here.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().unwrap().parent().unwrap().join("examples").join(name);
    if !path.exists() {
        let built = Command::new(env!("CARGO")).args(["build", "--example", name]).status();
        assert!(built.unwrap().success());
    }
    path
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Reads the lines of a running program until one has `text`.
fn read_until(stderr: &mut BufReader<ChildStderr>, text: &str) -> String {
    let mut read = String::new();
    while !read.contains(text) {
        assert_ne!(stderr.read_line(&mut read).unwrap(), 0, "no line with {text:?} in {read}");
    }
    read
}

fn send(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}
