//! The policy for retrying processes: what it makes of the ends of real processes.
#![cfg(unix)]

use retry_runtime::process::{CommandEnd, ExitPolicy, ExitPolicyPatch};
use retry_runtime::{Classify, Outcome, PolicyPatch};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Output};
use std::time::Duration;

const S: fn(u64) -> Duration = Duration::from_secs;
static STEPS: ExitPolicy = ExitPolicy::DEFAULT;

fn shell(script: &str) -> io::Result<ExitStatus> {
    Command::new("sh").args(["-c", script]).status()
}

// The constants and the default.

#[test]
fn a_success_is_not_retryable() {
    assert!(!STEPS.is_retryable_exit(0));
    let all = STEPS.merge(&ExitPolicyPatch::new().non_retryable_exit_codes([])).unwrap();
    assert!(!all.is_retryable_exit(0));
}

#[test]
fn a_declared_code_is_not_retryable_and_every_other_is() {
    for code in [1, 2, 75, 77, 79, 126, 127, 130, 137, 255, -1, i32::MIN] {
        assert!(STEPS.is_retryable_exit(code), "{code}");
    }
    assert!(!STEPS.is_retryable_exit(78));
}

#[test]
fn the_sysexits_preset_retries_only_what_may_pass() {
    let retried: Vec<i32> =
        (0..=128).filter(|code| ExitPolicy::SYSEXITS.is_retryable_exit(*code)).collect();
    assert!([68, 69, 70, 71, 74, 75, 76].iter().all(|code| retried.contains(code)));
    let stopped = [0, 64, 65, 66, 67, 72, 73, 77, 78, 126, 127];
    assert_eq!(retried.len() + stopped.len(), 129);
    assert!(stopped.iter().all(|code| !retried.contains(code)));
}

// What running a command yields.

#[test]
fn a_real_exit_code_is_judged_by_the_list() {
    assert_eq!(STEPS.classify(&shell("exit 0")), Outcome::Success);
    assert_eq!(STEPS.classify(&shell("exit 3")), Outcome::Retry);
    assert_eq!(STEPS.classify(&shell("exit 78")), Outcome::Stop);
    // A shell reports a child that a signal killed as a code.
    assert_eq!(STEPS.classify(&shell("sh -c 'kill -TERM $$'; exit $?")), Outcome::Retry);
}

#[test]
fn a_signal_that_asks_for_a_stop_stops_and_any_other_retries() {
    for (name, number, outcome) in
        [("TERM", 15, Outcome::Stop), ("KILL", 9, Outcome::Retry), ("ABRT", 6, Outcome::Retry)]
    {
        let status = shell(&format!("kill -{name} $$"));
        assert_eq!(STEPS.classify(&status), outcome, "{name}");
        let end = CommandEnd::from(status);
        assert!(matches!(end, CommandEnd::Signaled(n) if n == number), "{name}: {end}");
        assert_eq!(end.shell_code(), 128 + number);
    }
    // Made, not sent: whoever runs the tests may have them ignored, as `nohup` does.
    for number in [1, 2] {
        let status: io::Result<_> = Ok(ExitStatus::from_raw(number));
        assert_eq!(STEPS.classify(&status), Outcome::Stop);
        assert_eq!(CommandEnd::from(status).shell_code(), 128 + number);
    }
    let parity = STEPS.merge(&ExitPolicyPatch::new().stop_signals([])).unwrap();
    assert_eq!(parity.classify(&shell("kill -TERM $$")), Outcome::Retry);
}

#[test]
fn a_command_that_cannot_be_started_stops_unless_that_may_pass() {
    let missing = Command::new("/no/such/command").status();
    assert_eq!(STEPS.classify(&missing), Outcome::Stop);
    assert_eq!(CommandEnd::from(missing).shell_code(), 127);
    let directory = Command::new("/").status();
    assert_eq!(STEPS.classify(&directory), Outcome::Stop);
    assert_eq!(CommandEnd::from(directory).shell_code(), 126);
    let nul = Command::new("a\0b").status();
    assert_eq!(STEPS.classify(&nul), Outcome::Stop);

    // Out of processes, of file handles (own, system's), of memory; a file that is
    // being written.
    for number in [11, 24, 23, 12, 26] {
        let error: io::Result<ExitStatus> = Err(io::Error::from_raw_os_error(number));
        assert_eq!(STEPS.classify(&error), Outcome::Retry, "{error:?}");
    }
    // Not a program, too many links, arguments too long.
    for number in [8, 40, 7] {
        let end = CommandEnd::SpawnFailed(io::Error::from_raw_os_error(number));
        assert_eq!(STEPS.classify(&end), Outcome::Stop, "{end}");
    }
}

#[test]
fn our_own_timeout_is_retried_whatever_the_lists_say() {
    let strict = ExitPolicyPatch::new().non_retryable_exit_codes([124, 137]).stop_signals([9]);
    let strict = STEPS.merge(&strict).unwrap();
    assert_eq!(strict.classify(&CommandEnd::TimedOut), Outcome::Retry);
    assert_eq!(CommandEnd::TimedOut.shell_code(), 124);
}

#[test]
fn a_hint_makes_a_wait_longer_and_makes_nothing_retryable() {
    let hint = Some(S(30));
    let outcome = |end| STEPS.outcome(&end, hint);
    assert_eq!(outcome(CommandEnd::Exited(1)), Outcome::RetryAfter(S(30)));
    assert_eq!(outcome(CommandEnd::TimedOut), Outcome::RetryAfter(S(30)));
    assert_eq!(outcome(CommandEnd::Exited(0)), Outcome::Success);
    assert_eq!(outcome(CommandEnd::Exited(78)), Outcome::Stop);
    assert_eq!(outcome(CommandEnd::Signaled(15)), Outcome::Stop);
    assert_eq!(STEPS.outcome(&CommandEnd::Exited(1), Some(Duration::ZERO)), Outcome::Retry);
}

#[test]
fn every_form_of_a_result_is_judged_alike() {
    let output: io::Result<Output> = Command::new("sh").args(["-c", "exit 78"]).output();
    let status: ExitStatus = output.as_ref().unwrap().status;
    assert_eq!(STEPS.classify(&output), Outcome::Stop);
    assert_eq!(STEPS.classify(output.as_ref().unwrap()), Outcome::Stop);
    assert_eq!(STEPS.classify(&status), Outcome::Stop);
    assert_eq!(STEPS.classify(&CommandEnd::from(output.as_ref().unwrap())), Outcome::Stop);
    assert_eq!(STEPS.classify(&CommandEnd::from(output)), Outcome::Stop);
}

#[test]
fn a_call_makes_eight_attempts_of_a_failing_process() {
    let mut call = STEPS.policy().call_without_budget();
    let mut starts = 1;
    while !call.decide(STEPS.classify(&shell("exit 1"))).is_final() {
        starts += 1;
    }
    assert_eq!(starts, 8);
}

#[cfg(feature = "serde")]
#[test]
fn an_exit_policy_is_read_back_as_it_was_written() {
    for policy in [ExitPolicy::DEFAULT, ExitPolicy::SYSEXITS] {
        let text = toml::to_string(&policy).unwrap();
        assert_eq!(toml::from_str::<ExitPolicy>(&text).unwrap(), policy, "{text}");
    }
    let patch = ExitPolicyPatch::new()
        .policy(PolicyPatch::new().attempts(3))
        .stop_signals([2])
        .hint_cap(Duration::ZERO);
    let text = toml::to_string(&patch).unwrap();
    assert_eq!(toml::from_str::<ExitPolicyPatch>(&text).unwrap(), patch, "{text}");
}

#[test]
fn an_event_says_how_the_command_ended() {
    let said = |result: io::Result<ExitStatus>| {
        let seen = std::sync::Mutex::new(String::new());
        let observer = |event: &retry_runtime::Event<'_>| {
            *seen.lock().unwrap() = event.error.map(|error| error.to_string()).unwrap_or_default();
        };
        let retrier = retry_runtime::Retrier::new(
            retry_runtime::Policy::new(1),
            retry_runtime::NoBudget,
            STEPS.clone(),
        );
        let mut result = Some(result);
        let _ = retrier.call().observe(&observer).run_blocking(|_| result.take().unwrap());
        seen.into_inner().unwrap()
    };
    assert_eq!(said(shell("exit 75")), "exited with code 75");
    assert_eq!(said(shell("kill -9 $$")), "killed by signal 9");
    let absent = Command::new("/no/such/program").status();
    assert!(said(absent).starts_with("not started: "));
}
