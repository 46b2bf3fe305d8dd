//! `run_step`: codes, signals, hints, and mistakes in its file and arguments.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::{example, read_until, send, stderr, stdout};

/// A directory with a policy file and a script, which counts its runs.
struct Step {
    directory: TempDir,
}

impl Step {
    fn new(policy: &str, script: &str) -> Step {
        let directory = tempfile::tempdir().unwrap();
        let script = format!("echo $RUN_STEP_ATTEMPT >> runs\n{script}\n");
        std::fs::write(directory.path().join("step.sh"), script).unwrap();
        std::fs::write(directory.path().join("step.toml"), policy).unwrap();
        Step { directory }
    }

    /// Through the shell, because a file that was written just now may still be
    /// open in another test's child, and then cannot be executed.
    fn command(&self) -> Command {
        let mut command = self.run_step(&["--policy", "step.toml", "--", "sh", "step.sh"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run_step(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(example("run_step"));
        command.current_dir(self.directory.path()).args(arguments).stdin(Stdio::null());
        command
    }

    fn output(&self) -> Output {
        self.command().output().unwrap()
    }

    fn runs(&self) -> usize {
        let runs = std::fs::read_to_string(self.directory.path().join("runs"));
        runs.unwrap_or_default().lines().count()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }
}

const FAST: &str = "attempts = 3\ninitial = \"1ms\"\nmax = \"1ms\"\n";

/// Longer than any test may take, so that a wait that is not ended is noticed.
const SLOW: &str = "attempts = 2\ninitial = \"1h\"\nmax = \"1h\"\n";

fn wait_for(path: &Path) {
    while !path.exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn a_step_that_succeeds_on_the_third_try_succeeds() {
    let step =
        Step::new(FAST, "echo out $RUN_STEP_ATTEMPT; echo err >&2; [ $RUN_STEP_ATTEMPT = 3 ]");
    let output = step.output();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(step.runs(), 3);
    assert_eq!(stdout(&output), "out 3\n", "the output of the last attempt alone");
    let log = stderr(&output);
    for line in [
        "run_step: attempt 1 of 3: exited with code 1: retry, again in 1.",
        "run_step: attempt 2 of 3: exited with code 1: retry, again in 1.",
        "run_step: attempt 3 of 3: exited with code 0: success, succeeded\nerr\n",
    ] {
        assert!(log.contains(line), "{line:?} is not in {log}");
    }
    assert!(!log.contains('\r'), "a progress line without a terminal: {log:?}");
}

#[test]
fn a_step_that_always_fails_gives_its_last_code() {
    let step = Step::new(FAST, "exit $((10 + RUN_STEP_ATTEMPT))");
    let output = step.output();
    assert_eq!((output.status.code(), step.runs()), (Some(13), 3));
    assert!(stderr(&output).contains("exited with code 13: retry, exhausted"));
}

#[test]
fn a_step_that_exits_78_is_run_once() {
    let step = Step::new(FAST, "echo no such setting >&2; exit 78");
    let output = step.output();
    assert_eq!((output.status.code(), step.runs()), (Some(78), 1));
    assert!(stderr(&output).contains("stop, stopped\nno such setting\n"));
}

#[test]
fn the_policy_file_says_which_codes_are_final() {
    let step = Step::new(&format!("{FAST}non_retryable_exit_codes = [5]"), "exit 5");
    assert_eq!((step.output().status.code(), step.runs()), (Some(5), 1));
    let step = Step::new(&format!("{FAST}non_retryable_exit_codes = []"), "exit 78");
    assert_eq!((step.output().status.code(), step.runs()), (Some(78), 3));
}

#[test]
fn a_step_killed_by_a_signal_gives_the_code_of_a_shell() {
    let killed = Step::new(FAST, "kill -KILL $$");
    assert_eq!((killed.output().status.code(), killed.runs()), (Some(128 + 9), 3));
    let stopped = Step::new(FAST, "kill -TERM $$");
    assert_eq!((stopped.output().status.code(), stopped.runs()), (Some(128 + 15), 1));
}

#[test]
fn a_command_that_is_not_found_or_not_executable_is_tried_once() {
    let step = Step::new(FAST, "");
    for (command, code) in
        [("./no-such-command", 127), ("no-such-command", 127), ("./step.sh", 126)]
    {
        let output = step.run_step(&["--policy", "step.toml", command]).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{command}");
        assert!(stderr(&output).contains("attempt 1 of 3: not started"), "{command}");
        assert!(!stderr(&output).contains("again"), "{command}");
    }
}

#[test]
fn a_hint_in_the_output_file_makes_the_wait_longer() {
    let policy = "attempts = 4\nbackoff = \"none\"\njitter = \"none\"\nhint_cap = \"40ms\"";
    let script = "case $RUN_STEP_ATTEMPT in
        1) echo retry-after=20ms >> $RUN_STEP_OUTPUT; exit 1;;
        2) echo retry-after=30 >> $RUN_STEP_OUTPUT; exit 1;;
        3) exit 1;;
    esac";
    let step = Step::new(policy, script);
    let output = step.output();
    assert_eq!((output.status.code(), step.runs()), (Some(0), 4));
    let log = stderr(&output);
    for line in [
        "attempt 1 of 4: exited with code 1: retry_after(20ms), again in 20.00ms",
        "attempt 2 of 4: exited with code 1: retry_after(40ms), again in 40.00ms",
        "attempt 3 of 4: exited with code 1: retry, again in 0.00ns",
    ] {
        assert!(log.contains(line), "{line:?} is not in {log}");
    }
}

#[test]
fn a_hint_makes_no_final_code_retryable() {
    let step = Step::new(FAST, "echo retry-after=1ms >> $RUN_STEP_OUTPUT; exit 78");
    assert_eq!((step.output().status.code(), step.runs()), (Some(78), 1));
}

#[test]
fn a_signal_ends_the_wait_with_the_code_that_shells_expect() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        let step = Step::new(SLOW, "echo last; exit 3");
        let mut child = step.command().spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        read_until(&mut log, "again in");
        send(&child, signal);
        read_until(&mut log, "the wait was cut short");
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), step.runs()), (Some(code), 1));
        assert_eq!(stdout(&output), "last\n");
    }
}

#[test]
fn a_signal_during_an_attempt_reaches_the_step_and_no_attempt_follows() {
    // Short sleeps, one after the other: a signal that finds the shell between `fork`
    // and `exec` of one is lost on it, and must not leave a long one behind.
    let script = "trap 'echo got it; exit 5' TERM; touch started; while :; do sleep 0.05; done";
    let step = Step::new(FAST, script);
    let child = step.command().spawn().unwrap();
    wait_for(&step.path("started"));
    send(&child, Signal::TERM);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), step.runs()), (Some(143), 1));
    assert_eq!(stdout(&output), "got it\n");
    assert!(stderr(&output).contains("exited with code 5: retry, cancelled"));
}

#[test]
fn a_step_that_ends_well_in_spite_of_a_signal_ended_well() {
    let script = "trap 'exit 0' TERM; touch started; while :; do sleep 0.05; done";
    let step = Step::new(FAST, script);
    let child = step.command().spawn().unwrap();
    wait_for(&step.path("started"));
    send(&child, Signal::TERM);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
}

#[test]
fn an_attempt_that_takes_too_long_is_killed_with_all_it_started() {
    let step = Step::new(FAST, "sleep 1000; echo never");
    let arguments = ["--timeout", "50ms", "--policy", "step.toml", "sh", "step.sh"];
    // It would not end while a grandchild holds the pipe of its output.
    let output = step.run_step(&arguments).output().unwrap();
    assert_eq!((output.status.code(), step.runs()), (Some(124), 3));
    assert!(stderr(&output).contains("attempt 1 of 3: killed, it took too long: retry, again"));
}

#[test]
fn a_step_ends_when_it_exits_although_a_child_of_it_holds_its_output() {
    let step = Step::new(FAST, "echo done; sleep 3600 & echo $! >> children; exit 5");
    let arguments = ["--timeout", "1h", "--policy", "step.toml", "sh", "step.sh"];
    let output = step.run_step(&arguments).output().unwrap();
    for child in std::fs::read_to_string(step.path("children")).unwrap().lines() {
        kill_process(Pid::from_raw(child.parse().unwrap()).unwrap(), Signal::KILL).unwrap();
    }
    assert_eq!((output.status.code(), step.runs()), (Some(5), 3));
    assert_eq!(stdout(&output), "done\n");
}

#[test]
fn mistakes_in_the_policy_file_are_named_before_anything_runs() {
    let step = Step::new("attempts = 0\ninitial = 5\nretries = 2", "");
    let output = step.output();
    assert_eq!((output.status.code(), step.runs()), (Some(78), 0));
    let log = stderr(&output);
    for field in ["step.toml", "3 invalid settings", "`attempts`", "`initial`", "`retries`"] {
        assert!(log.contains(field), "{field} is not in {log}");
    }
    let missing = step.run_step(&["--policy", "no.toml", "true"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(78));
}

#[test]
fn mistakes_in_the_arguments_are_told_apart_from_the_step() {
    for arguments in [
        &[][..],
        &["--no-such", "true"],
        &["--timeout", "5", "true"],
        &["--timeout", "0s", "true"],
        &["--policy"],
    ] {
        let step = Step::new(FAST, "");
        let output = step.run_step(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(64), "{arguments:?}");
        assert!(stderr(&output).contains("Try `run_step --help`"), "{arguments:?}");
    }
}

#[test]
fn a_seed_gives_the_same_waits_each_time() {
    let policy = "attempts = 3\ninitial = \"10ms\"\njitter = \"full\"";
    let waits = |seed: &str| {
        let step = Step::new(policy, "");
        let arguments = ["--seed", seed, "--policy", "step.toml", "false"];
        stderr(&step.run_step(&arguments).output().unwrap())
    };
    assert_eq!(waits("pipeline/build"), waits("pipeline/build"));
    assert_ne!(waits("pipeline/build"), waits("pipeline/test"));
}

#[test]
fn the_defaults_of_the_help_are_the_defaults() {
    let output = Step::new("", "").run_step(&["--help"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let help = stdout(&output);
    let written: String = help
        .lines()
        .filter_map(|line| line.strip_prefix("                        "))
        .map(|line| format!("{line}\n"))
        .collect();
    let read: retry_runtime::process::ExitPolicy = toml::from_str(&written).unwrap();
    assert_eq!(read, retry_runtime::process::ExitPolicy::DEFAULT);
    assert!(written.lines().count() >= 9, "{written}");
}
