//! Downloads a file, and resumes from where the connection broke: `fetch --help`.
//!
//! What it shows of the library: a `blocking` method, whose attempts go on with the state
//! of the last one; a wait that Ctrl-C ends; a server's `Retry-After`; and an observer that
//! shows the next attempt on a progress bar. There is no budget: one caller cannot storm
//! anything.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::process::ExitCode;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use indicatif::{ProgressBar, ProgressStyle};
use lexopt::prelude::*;
use retry_runtime::http::retry_after;
use retry_runtime::{Backoff, Decision, Event, Outcome, Policy, retry};
use ureq::http::StatusCode;
use ureq::http::header::{CONTENT_RANGE, ETAG, IF_RANGE, RANGE};

const HELP: &str = "\
Downloads a file, and resumes from where the connection broke.

Usage: fetch [OPTIONS] URL FILE

  --attempts N   how often to try without any progress, the first included; 5 by default
  --first MS     the first wait in milliseconds, which doubles up to 30 s; 500 by default
  --help         prints this

Exit codes: 0 done; 1 the server or the disk refuses, another attempt would not help;
64 a mistake in the arguments; 69 every attempt failed; 130 Ctrl-C.";

const REFUSED: u8 = 1;
const USAGE: u8 = 64;
const UNAVAILABLE: u8 = 69;
const INTERRUPTED: u8 = 130;

/// Pressed once; waited for by whoever sleeps.
#[derive(Clone, Default)]
struct CtrlC(Arc<(Mutex<bool>, Condvar)>);

impl CtrlC {
    fn press(&self) {
        let (pressed, signal) = &*self.0;
        *pressed.lock().unwrap_or_else(PoisonError::into_inner) = true;
        signal.notify_all();
    }

    /// Waits for at most `delay`: whether it was pressed.
    fn wait(&self, delay: Duration) -> bool {
        let (pressed, signal) = &*self.0;
        let pressed = pressed.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = signal.wait_timeout_while(pressed, delay, |pressed| !*pressed);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

#[derive(Debug)]
enum Failure {
    /// The server answered with an error, and perhaps said when to come back.
    Status(StatusCode, Option<Duration>),
    Network(ureq::Error),
    /// The connection broke after some bytes.
    Broken(io::Error),
    Disk(io::Error),
    Interrupted,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Status(status, _) => write!(f, "the server answered {status}"),
            Failure::Network(error) => error.fmt(f),
            Failure::Broken(error) => write!(f, "the connection broke: {error}"),
            Failure::Disk(error) => write!(f, "the file cannot be written: {error}"),
            Failure::Interrupted => f.write_str("interrupted"),
        }
    }
}

fn classify(result: &Result<(), Failure>) -> Outcome {
    match result {
        Ok(()) => Outcome::Success,
        Err(Failure::Status(status, wait)) => match (status.as_u16(), wait) {
            (429 | 502..=504, Some(wait)) => Outcome::RetryAfter(*wait),
            (429 | 502..=504, None) => Outcome::Retry,
            _ => Outcome::Stop,
        },
        Err(Failure::Network(_) | Failure::Broken(_)) => Outcome::Retry,
        Err(Failure::Disk(_) | Failure::Interrupted) => Outcome::Stop,
    }
}

struct Download<'a> {
    agent: ureq::Agent,
    url: &'a str,
    file: File,
    policy: Policy,
    ctrl_c: &'a CtrlC,
    bar: &'a ProgressBar,
    /// How much of the file is there, and of which version.
    offset: u64,
    version: Option<String>,
    decision: Option<Decision>,
}

impl Download<'_> {
    /// Downloads what is missing.
    #[retry(
        policy = self.policy,
        budget = none,
        classify = classify,
        cancel = |delay| self.ctrl_c.wait(delay),
        observe = |event| self.decision = Some(show(event, self.bar)),
        blocking,
    )]
    fn resume(&mut self) -> Result<(), Failure> {
        let mut request = self.agent.get(self.url);
        if let Some(version) = self.version.as_deref().filter(|_| self.offset > 0) {
            request = request.header(RANGE, format!("bytes={}-", self.offset));
            request = request.header(IF_RANGE, version);
        }
        let mut response = request.call().map_err(Failure::Network)?;
        if !response.status().is_success() {
            let wait = retry_after(response.headers(), SystemTime::now());
            return Err(Failure::Status(response.status(), wait));
        }
        let header = |name| Some(response.headers().get(&name)?.to_str().ok()?.to_owned());
        self.version = header(ETAG);
        let begins_at = header(CONTENT_RANGE)
            .and_then(|range| range.strip_prefix("bytes ")?.split('-').next()?.parse().ok());
        self.offset = match response.status() {
            StatusCode::PARTIAL_CONTENT => begins_at.unwrap_or_default(),
            // Another version, or a server without ranges: from the start.
            _ => 0,
        };
        self.file.seek(SeekFrom::Start(self.offset)).map_err(Failure::Disk)?;
        self.file.set_len(self.offset).map_err(Failure::Disk)?;
        if let Some(rest) = response.body().content_length() {
            self.bar.set_length(self.offset + rest);
        }
        self.bar.set_message("");
        let mut body = response.body_mut().as_reader();
        let mut buffer = [0; 16 * 1024];
        loop {
            // A thread that reads is not woken by a signal; it looks between two reads.
            if self.ctrl_c.wait(Duration::ZERO) {
                return Err(Failure::Interrupted);
            }
            self.bar.set_position(self.offset);
            let read = body.read(&mut buffer).map_err(Failure::Broken)?;
            if read == 0 {
                return Ok(());
            }
            self.file.write_all(&buffer[..read]).map_err(Failure::Disk)?;
            self.offset += read as u64;
        }
    }
}

/// Says on the bar what follows: "attempt 2 of 5 in 1.3 s".
fn show(event: &Event<'_>, bar: &ProgressBar) -> Decision {
    if let (Decision::Again { delay }, Some(max)) = (event.decision, event.max_attempts) {
        let seconds = delay.as_secs_f64();
        let line = format!("attempt {} of {max} in {seconds:.1} s", event.attempt + 1);
        // Where nobody sees the bar, its messages are lines.
        match bar.is_hidden() {
            true => eprintln!("{line}"),
            false => bar.set_message(line),
        }
    }
    event.decision
}

struct Arguments {
    url: String,
    file: String,
    policy: Policy,
}

fn arguments() -> Result<Option<Arguments>, lexopt::Error> {
    let (mut attempts, mut first, mut names) = (5_u32, 500_u64, Vec::new());
    let mut given = lexopt::Parser::from_env();
    while let Some(argument) = given.next()? {
        match argument {
            Long("attempts") => attempts = given.value()?.parse()?,
            Long("first") => first = given.value()?.parse()?,
            Long("help") => return Ok(None),
            Value(name) => names.push(name.string()?),
            other => return Err(other.unexpected()),
        }
    }
    let Ok([url, file]) = <[String; 2]>::try_from(names) else {
        return Err("a URL and a FILE are needed: see --help".into());
    };
    if attempts == 0 {
        return Err("--attempts counts the first one too: it is at least 1".into());
    }
    let backoff = Backoff::try_exponential(Duration::from_millis(first), Duration::from_secs(30));
    let backoff = backoff.map_err(|error| error.to_string())?;
    Ok(Some(Arguments { url, file, policy: Policy::new(attempts).backoff(backoff) }))
}

fn main() -> ExitCode {
    let Arguments { url, file, policy } = match arguments() {
        Ok(Some(arguments)) => arguments,
        Ok(None) => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(error) => return end(USAGE, &error),
    };
    let ctrl_c = CtrlC::default();
    let pressed = ctrl_c.clone();
    if let Err(error) = ctrlc::set_handler(move || pressed.press()) {
        return end(REFUSED, &error);
    }
    let file = match File::create(file) {
        Ok(file) => file,
        Err(error) => return end(REFUSED, &Failure::Disk(error)),
    };
    let style = ProgressStyle::with_template("{bytes}/{total_bytes} {wide_bar} {msg}");
    let bar = ProgressBar::no_length().with_style(style.expect("the template is right"));
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_connect(Some(Duration::from_secs(10)))
        .timeout_recv_response(Some(Duration::from_secs(30)))
        .build();
    let mut download = Download {
        agent: config.into(),
        url: &url,
        file,
        policy,
        ctrl_c: &ctrl_c,
        bar: &bar,
        offset: 0,
        version: None,
        decision: None,
    };
    // A call that got further begins anew: its attempts are those without progress.
    let result = loop {
        let before = download.offset;
        let result = download.resume();
        let exhausted = download.decision == Some(Decision::Exhausted);
        if result.is_ok() || !exhausted || download.offset <= before {
            break result;
        }
    };
    bar.finish_and_clear();
    match (result, download.decision) {
        (Ok(()), _) => ExitCode::SUCCESS,
        (Err(Failure::Interrupted), _) | (_, Some(Decision::Cancelled)) => {
            end(INTERRUPTED, &Failure::Interrupted)
        }
        (Err(error), Some(Decision::Exhausted)) => end(UNAVAILABLE, &error),
        (Err(error), _) => end(REFUSED, &error),
    }
}

fn end(code: u8, why: &impl fmt::Display) -> ExitCode {
    eprintln!("fetch: {why}");
    ExitCode::from(code)
}
