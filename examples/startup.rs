//! Connects to a dependency at startup, until it accepts: `startup --help`.
//!
//! This is the place for a call without a budget and without a number of attempts:
//! one process waits for one dependency, and the service is of no use before it is
//! there. What ends the wait is a deadline, or the signal that ends the service.
//! On the path of requests, a budget belongs to the call.

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use lexopt::prelude::*;
use retry_runtime::{Backoff, Decision, Outcome, Policy};
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{Signal, SignalKind, signal};

const HELP: &str = "\
Connects to a dependency at startup, and tries again until it accepts.

Usage: startup [--deadline DURATION] [HOST:PORT]

  --deadline DURATION  gives up after this long, such as 30s; otherwise it waits
                       for as long as it takes
  --help               prints this

Without an address it starts a listener of its own, which comes up 1.5 s late.

SIGTERM or Ctrl-C ends it at any time. When it gives up, it says why, and what the
last attempt's error was. Exit code: 0 if it connected, 1 if not; 143 after
SIGTERM, 130 after Ctrl-C; 64 for a mistake in the arguments.";

const USAGE: u8 = 64;

/// Waits spread over 0 to 100 ms at first and 0 to 2 s later, so that a fleet that
/// starts together does not knock together.
const POLICY: Policy = Policy::unlimited()
    .backoff(Backoff::exponential(Duration::from_millis(100), Duration::from_secs(2)));

/// A host that is not there yet may not even refuse: no attempt is longer.
const ATTEMPT: Duration = Duration::from_secs(2);

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let (address, deadline) = match arguments() {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    let started = async {
        let mut shutdown = Shutdown::new()?;
        let address = match address {
            Some(address) => address,
            None => late_listener().await?,
        };
        let policy = deadline.map_or(POLICY, |limit| POLICY.within(limit));
        io::Result::Ok((connect(&address, &policy, &mut shutdown).await, shutdown.code, address))
    };
    match started.await {
        Ok((Ok(_connection), _, address)) => {
            println!("connected to {address}");
            ExitCode::SUCCESS
        }
        Ok((Err(gave_up), code, address)) => {
            let GaveUp { attempts, decision, error } = gave_up;
            eprintln!("startup: not connected to {address}: {decision} after attempt {attempts}");
            eprintln!("startup: last error: {error}");
            code.map_or(ExitCode::FAILURE, ExitCode::from)
        }
        Err(error) => {
            eprintln!("startup: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Why there is no connection.
struct GaveUp {
    attempts: u32,
    /// The reason: expired, cancelled, or stopped by an error that stays.
    decision: Decision,
    /// Of the last attempt.
    error: io::Error,
}

/// Attempts until the dependency accepts, the policy's time is over or the service
/// is told to stop.
async fn connect(
    address: &str,
    policy: &Policy,
    shutdown: &mut Shutdown,
) -> Result<TcpStream, GaveUp> {
    let mut call = policy.call_without_budget();
    loop {
        let limit = call.remaining().map_or(ATTEMPT, |left| left.min(ATTEMPT));
        let attempts = call.attempt();
        let result = tokio::select! {
            result = TcpStream::connect(address) => result,
            () = tokio::time::sleep(limit) => Err(io::ErrorKind::TimedOut.into()),
            // Whoever stops the service does not wait for the attempt.
            () = shutdown.requested() => Err(io::ErrorKind::Interrupted.into()),
        };
        if let Err(error) = &result {
            eprintln!("startup: attempt {attempts}: {error}");
        }
        if !call.again_unless(classify(&result), shutdown.requested()).await {
            let decision = call.decision().unwrap_or(Decision::Stopped);
            return result.map_err(|error| GaveUp { attempts, decision, error });
        }
    }
}

/// At startup nearly every error may pass: the dependency, its name or the network
/// may come up late. An address that is none stays one.
fn classify(result: &io::Result<TcpStream>) -> Outcome {
    match result {
        Ok(_) => Outcome::Success,
        Err(error) => match error.kind() {
            io::ErrorKind::InvalidInput | io::ErrorKind::PermissionDenied => Outcome::Stop,
            _ => Outcome::Retry,
        },
    }
}

/// The signals that end the service.
struct Shutdown {
    interrupt: Signal,
    terminate: Signal,
    /// The exit code of the one that arrived.
    code: Option<u8>,
}

impl Shutdown {
    fn new() -> io::Result<Shutdown> {
        let interrupt = signal(SignalKind::interrupt())?;
        let terminate = signal(SignalKind::terminate())?;
        Ok(Shutdown { interrupt, terminate, code: None })
    }

    /// Completes when a signal has arrived, and again at each later ask.
    async fn requested(&mut self) {
        if self.code.is_none() {
            self.code = Some(tokio::select! {
                _ = self.interrupt.recv() => 130,
                _ = self.terminate.recv() => 143,
            });
        }
    }
}

/// The address of a listener that is not there yet.
async fn late_listener() -> io::Result<String> {
    let free = TcpListener::bind("127.0.0.1:0").await?.local_addr()?;
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(1500)).await;
        let Ok(listener) = TcpListener::bind(free).await else { return };
        while listener.accept().await.is_ok() {}
    });
    Ok(free.to_string())
}

/// The address and the deadline, or the exit code if there is nothing to do.
fn arguments() -> Result<(Option<String>, Option<Duration>), ExitCode> {
    let usage = |error: lexopt::Error| {
        eprintln!("startup: {error}\nTry `startup --help`.");
        ExitCode::from(USAGE)
    };
    let (mut address, mut deadline) = (None, None);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next().map_err(usage)? {
        match argument {
            Long("help") | Short('h') => {
                println!("{HELP}");
                return Err(ExitCode::SUCCESS);
            }
            Long("deadline") => {
                let value = parser.value().map_err(usage)?;
                deadline = Some(value.parse_with(humantime::parse_duration).map_err(usage)?);
            }
            Value(value) if address.is_none() => address = Some(value.string().map_err(usage)?),
            other => return Err(usage(other.unexpected())),
        }
    }
    Ok((address, deadline))
}
