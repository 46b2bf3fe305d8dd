//! Runs a command and runs it again while its failure may pass: `run_step --help`.
//!
//! What it shows of the library: an [`ExitPolicy`] from a file, with every mistake
//! of the file in one error; a loop by hand around a real process; an observer for
//! the log; and a wait that SIGTERM or Ctrl-C ends. There is no budget: one runner
//! of one step cannot storm anything.
//!
//! One file, though a long one: it is copied as a whole.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Output, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use lexopt::prelude::*;
use retry_runtime::process::{CommandEnd, ExitPolicy};
use retry_runtime::{Decision, Event, EventKind, seed_from};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::signal::unix::{self, SignalKind};
use tokio::time::{Instant, sleep};

const HELP: &str = "\
Runs a command, and runs it again while its failure may pass.

Usage: run_step [OPTIONS] [--] COMMAND [ARGUMENT...]

  --policy FILE       how often, how long to wait, and what is final, in TOML:
                        attempts = 8            # the first included
                        backoff = \"exponential\" # linear, constant, none
                        initial = \"1s\"
                        max = \"60s\"
                        jitter = { add = 0.2 }
                        within = \"none\"
                        non_retryable_exit_codes = [78]
                        stop_signals = [\"HUP\", \"INT\", \"TERM\"]
                        hint_cap = \"5m\"
                      These are the defaults; a file need not name them all.
  --seed NAME         draws the jitter from this name: the same waits each time
  --timeout DURATION  kills an attempt that takes longer, such as 90s, and
                      counts it as failed
  --help              prints this

The command has no input. The output of its last attempt is passed on, that of
the others is dropped. It finds the number of its attempt in RUN_STEP_ATTEMPT,
and can write a line `retry-after=30s` to the file that RUN_STEP_OUTPUT names, to
ask for a longer wait (a bare number is seconds, as in HTTP's Retry-After).

The exit code is that of the last attempt: the command's own; 128 + n if signal
n killed it; 124 after the timeout; 127 if it is not found, 126 if it cannot be
started. HUP, INT and TERM are passed on to a running attempt and end a wait;
then no attempt follows, and the code is 129, 130 or 143. A mistake in the
arguments is 64, one in the policy file 78.";

const USAGE: u8 = 64;
const CONFIG: u8 = 78;

struct Arguments {
    policy: ExitPolicy,
    timeout: Option<Duration>,
    command: Vec<OsString>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    match run(&arguments).await {
        Ok(code) => exit_code(code),
        Err(error) => {
            eprintln!("run_step: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Attempts until the policy, the step or a signal says that it is enough.
async fn run(arguments: &Arguments) -> io::Result<i32> {
    let mut signals = Signals::new()?;
    let hints = tempfile::NamedTempFile::new()?;
    let next = Mutex::new(None);
    // Ends the line that says how the attempt ended.
    let log = |event: &Event<'_>| match (event.kind, event.decision) {
        (EventKind::WaitCut, _) => eprintln!("run_step: the wait was cut short"),
        (_, Decision::Again { delay }) => {
            eprintln!("{}, again in {delay:.2?}", event.outcome);
            // A wait may be longer than the clock can express.
            *next.lock().unwrap() = Instant::now().checked_add(delay);
        }
        (_, decision) => eprintln!("{}, {decision}", event.outcome),
    };

    let policy = arguments.policy.policy();
    let mut call = policy.call_without_budget().observe(&log);
    let (end, output) = loop {
        // A hint counts for the attempt that wrote it.
        hints.as_file().set_len(0)?;
        let number = call.attempt();
        let (end, output) = attempt(arguments, number, hints.path(), &mut signals).await;
        match policy.attempts() {
            None => eprint!("run_step: attempt {number}: {end}: "),
            Some(attempts) => eprint!("run_step: attempt {number} of {attempts}: {end}: "),
        }
        let outcome = arguments.policy.outcome(&end, hint(hints.path()));
        let more = tokio::select! {
            // The decision comes before the line that counts down to it.
            biased;
            more = call.again_unless(outcome, signals.next_or_past()) => more,
            () = progress(number + 1, &next) => unreachable!("the line has no end"),
        };
        if !more {
            break (end, output);
        }
    };

    if let Some(output) = output {
        io::stdout().write_all(&output.stdout)?;
        io::stderr().write_all(&output.stderr)?;
    }
    Ok(match (call.decision(), signals.past) {
        (Some(Decision::Cancelled), Some(signal)) => 128 + signal.as_raw(),
        _ => end.shell_code(),
    })
}

/// One run of the command. Signals that arrive meanwhile are passed on.
async fn attempt(
    arguments: &Arguments,
    number: u32,
    hints: &Path,
    signals: &mut Signals,
) -> (CommandEnd, Option<Output>) {
    let [program, rest @ ..] = arguments.command.as_slice() else {
        unreachable!("the arguments have a command")
    };
    let spawned = tokio::process::Command::new(program)
        .args(rest)
        .env("RUN_STEP_ATTEMPT", number.to_string())
        .env("RUN_STEP_OUTPUT", hints)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // A group of its own: a terminal's Ctrl-C reaches it through us alone, and
        // what it started itself is reached too.
        .process_group(0)
        .kill_on_drop(true)
        .spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => return (CommandEnd::SpawnFailed(error), None),
    };
    let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    let kill = |signal| {
        if let Some(group) = group {
            // It may have ended just now.
            let _already_gone = kill_process_group(group, signal);
        }
    };
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let output = async { tokio::join!(read(stdout, &mut out), read(stderr, &mut err)) };
    let mut output = Box::pin(output);
    let mut read_to_end = false;
    let mut timeout = arguments.timeout.map(|limit| Box::pin(sleep(limit)));
    let mut timed_out = false;
    let result = loop {
        tokio::select! {
            result = child.wait() => break result,
            _ = &mut output, if !read_to_end => read_to_end = true,
            signal = signals.next() => kill(signal),
            () = async { timeout.as_mut().unwrap().await }, if timeout.is_some() => {
                (timed_out, timeout) = (true, None);
                kill(Signal::KILL);
            }
        }
    };
    // The step has ended, whoever still holds its output: a child that it left behind does not
    // make it longer. What it wrote is in the pipes.
    if !read_to_end {
        let _ = tokio::time::timeout(LEFT_BEHIND, &mut output).await;
    }
    drop(output);
    match result {
        Ok(status) => {
            let end = if timed_out { CommandEnd::TimedOut } else { CommandEnd::from(status) };
            (end, Some(Output { status, stdout: out, stderr: err }))
        }
        Err(error) => (CommandEnd::SpawnFailed(error), None),
    }
}

/// How long the output of a step that has ended is waited for, if a child of it holds it open.
const LEFT_BEHIND: Duration = Duration::from_millis(100);

/// Reads a pipe to its end. What was read stays, if nobody waits for the rest.
async fn read(pipe: Option<impl AsyncRead + Unpin>, into: &mut Vec<u8>) {
    let Some(mut pipe) = pipe else { return };
    while matches!(pipe.read_buf(into).await, Ok(1..)) {}
}

/// The wait that the step asks for: the last line of its file that says one.
fn hint(path: &Path) -> Option<Duration> {
    let text = std::fs::read_to_string(path).ok()?;
    text.lines().rev().find_map(|line| {
        let value = line.strip_prefix("retry-after=")?.trim();
        match value.parse() {
            Ok(seconds) => Some(Duration::from_secs(seconds)),
            Err(_) => humantime::parse_duration(value).ok(),
        }
    })
}

/// On a terminal, a line that counts down to the next attempt. It never returns.
async fn progress(attempt: u32, next: &Mutex<Option<Instant>>) {
    if !io::stderr().is_terminal() {
        return std::future::pending().await;
    }
    let _line = Line;
    loop {
        let at = *next.lock().unwrap();
        let left = at.map(|at| at.saturating_duration_since(Instant::now()));
        eprint!("\r\x1b[K  attempt {attempt} in {:.1} s", left.unwrap_or_default().as_secs_f64());
        sleep(Duration::from_millis(100)).await;
    }
}

/// Clears the line when the wait is over, however it ends.
struct Line;

impl Drop for Line {
    fn drop(&mut self) {
        eprint!("\r\x1b[K");
    }
}

/// The signals that end the program: those that a terminal, a person and a
/// supervisor send.
struct Signals {
    hangup: unix::Signal,
    interrupt: unix::Signal,
    terminate: unix::Signal,
    /// The last that arrived.
    past: Option<Signal>,
}

impl Signals {
    fn new() -> io::Result<Signals> {
        Ok(Signals {
            hangup: unix::signal(SignalKind::hangup())?,
            interrupt: unix::signal(SignalKind::interrupt())?,
            terminate: unix::signal(SignalKind::terminate())?,
            past: None,
        })
    }

    async fn next(&mut self) -> Signal {
        let signal = tokio::select! {
            _ = self.hangup.recv() => Signal::HUP,
            _ = self.interrupt.recv() => Signal::INT,
            _ = self.terminate.recv() => Signal::TERM,
        };
        *self.past.insert(signal)
    }

    /// Completes at once if a signal arrived during the attempt.
    async fn next_or_past(&mut self) {
        if self.past.is_none() {
            self.next().await;
        }
    }
}

/// The arguments, or the exit code if there is nothing to run.
fn arguments() -> Result<Arguments, ExitCode> {
    let usage = |error: lexopt::Error| {
        eprintln!("run_step: {error}\nTry `run_step --help`.");
        ExitCode::from(USAGE)
    };
    let (mut policy, mut seed, mut timeout, mut command) = (None, None, None, Vec::new());
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next().map_err(usage)? {
        match argument {
            Long("help") | Short('h') => {
                println!("{HELP}");
                return Err(ExitCode::SUCCESS);
            }
            Long("policy") => policy = Some(PathBuf::from(parser.value().map_err(usage)?)),
            Long("seed") => {
                seed = Some(parser.value().and_then(|name| name.string()).map_err(usage)?)
            }
            Long("timeout") => {
                let value = parser.value().map_err(usage)?;
                let limit: Duration = value.parse_with(humantime::parse_duration).map_err(usage)?;
                if limit.is_zero() {
                    return Err(usage("--timeout must be more than zero".into()));
                }
                timeout = Some(limit);
            }
            Value(program) => {
                command.push(program);
                command.extend(parser.raw_args().map_err(usage)?);
            }
            other => return Err(usage(other.unexpected())),
        }
    }
    if command.is_empty() {
        return Err(usage("a command is missing".into()));
    }
    let mut policy = match policy {
        None => ExitPolicy::DEFAULT,
        Some(path) => read_policy(&path).map_err(|error| {
            let error = error.to_string();
            eprintln!("run_step: {}: {}", path.display(), error.trim_end());
            ExitCode::from(CONFIG)
        })?,
    };
    if let Some(name) = seed {
        policy = policy.seed(seed_from(&name));
    }
    Ok(Arguments { policy, timeout, command })
}

fn read_policy(path: &Path) -> Result<ExitPolicy, Box<dyn std::error::Error>> {
    Ok(toml::from_str(&std::fs::read_to_string(path)?)?)
}

/// The code as the system has it: eight bits.
fn exit_code(code: i32) -> ExitCode {
    ExitCode::from(code.to_le_bytes()[0])
}
