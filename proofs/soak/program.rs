//! `cargo run --release -p retry-soak`: see `--help`.

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use lexopt::prelude::*;
use retry_soak::{Settings, soak};

const HELP: &str = "\
Calls a server that fails in every way, and accounts for every attempt.

Usage: cargo run --release -p retry-soak -- [OPTIONS]

  --seconds N    for how long calls begin             (default 600)
  --callers N    how many there are at once           (default 32)
  --help         prints this

It prints a line every ten seconds and the sums at the end. The exit code is 1 if
anything was wrong: an attempt that the client, its observer and the server do not agree
on; a call without an end; a budget out of its bounds; a task that was left; memory that
grew (looked at on Linux only).";

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut settings =
        Settings { time: Duration::from_secs(600), callers: 32, cycle: Duration::from_secs(20) };
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("seconds") => settings.time = Duration::from_secs(arguments.value()?.parse()?),
            Long("callers") => settings.callers = arguments.value()?.parse()?,
            Long("help") => {
                println!("{HELP}");
                return Ok(ExitCode::SUCCESS);
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let report = runtime.block_on(soak(settings, |seconds, calls| {
        if seconds % 10 == 0 {
            eprintln!("{seconds} s, {calls} calls");
        }
    }))?;
    println!("{report}");
    Ok(ExitCode::from(u8::from(!report.violations.is_empty())))
}
