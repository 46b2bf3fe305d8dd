//! Instructions, counted by valgrind's callgrind.
//!
//! The program runs itself under callgrind once. There it makes each subject's
//! calls N times and then 2 N times, and calls [`boundary`] before, between and
//! after; callgrind writes a profile at each boundary. The difference of two
//! profiles is N calls, and whatever happens once is gone.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs, io};

/// What the program is told by its first argument, to be the one that is counted.
pub const COUNTED: &str = "--counted";

const N: u64 = 1000;

/// What one call costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Instructions.
    pub instructions: f64,
    /// Stores to memory.
    pub stores: f64,
    /// Reads of the clock.
    pub clock_reads: f64,
}

/// Why there are no counts.
#[derive(Debug)]
pub enum Skipped {
    /// valgrind is not installed.
    NoValgrind,
    /// It ran and failed: what it said last.
    Failed(String),
}

/// In the program that is counted: makes the calls of each subject, in order.
pub fn run(subjects: &mut [Box<dyn FnMut() + '_>]) {
    for subject in subjects {
        // What happens at a first call happens before the first boundary.
        subject();
        for times in [N, 2 * N] {
            boundary();
            for _ in 0..times {
                subject();
            }
        }
        boundary();
    }
}

/// Where callgrind writes a profile.
#[inline(never)]
pub fn boundary() {
    std::hint::black_box(());
}

/// Runs this program under callgrind, with `arguments` after [`COUNTED`], and
/// gives the cost of each of its subjects.
///
/// # Errors
///
/// If there are no counts.
pub fn count(arguments: &[&str], subjects: usize) -> Result<Vec<Cost>, Skipped> {
    let failed = |error: io::Error| Skipped::Failed(error.to_string());
    let directory = tempfile::tempdir().map_err(failed)?;
    let profiles = directory.path().join("profile");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--cache-sim=yes", "--dump-before=*callgrind*boundary*"])
        .arg(format!("--callgrind-out-file={}", profiles.display()))
        .arg(env::current_exe().map_err(failed)?)
        .arg(COUNTED)
        .args(arguments)
        .stdin(Stdio::null())
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Skipped::NoValgrind),
        Err(error) => return Err(failed(error)),
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Skipped::Failed(said.lines().last().unwrap_or_default().to_owned()));
    }
    // Three profiles for each: before the first boundary, N calls, and 2 N calls.
    (0..subjects)
        .map(|subject| {
            let profile =
                |part: usize| read(&profiles.with_extension((3 * subject + part).to_string()));
            let (once, twice) = (profile(2)?, profile(3)?);
            let each = |of: fn(&Cost) -> f64| (of(&twice) - of(&once)) / N as f64;
            Ok(Cost {
                instructions: each(|cost| cost.instructions),
                stores: each(|cost| cost.stores),
                clock_reads: each(|cost| cost.clock_reads),
            })
        })
        .collect()
}

fn read(path: &Path) -> Result<Cost, Skipped> {
    let profile = fs::read_to_string(path)
        .map_err(|error| Skipped::Failed(format!("{}: {error}", path.display())))?;
    totals(&profile).ok_or_else(|| Skipped::Failed(format!("{}: no totals", path.display())))
}

/// The totals of a profile, in the format that valgrind's manual describes: a line
/// that names the events, one with their totals, and for each calling place the
/// function that it calls (with its name at the first mention only) and how often.
fn totals(profile: &str) -> Option<Cost> {
    let mut events: Vec<&str> = Vec::new();
    let mut totals: HashMap<&str, f64> = HashMap::new();
    let mut clocks: Vec<&str> = Vec::new();
    let mut called = "";
    let mut clock_reads = 0.0;
    for line in profile.lines() {
        if let Some(names) = line.strip_prefix("events: ") {
            events = names.split_whitespace().collect();
        } else if let Some(numbers) = line.strip_prefix("totals: ") {
            let numbers = numbers.split_whitespace().filter_map(|number| number.parse().ok());
            totals = events.iter().copied().zip(numbers).collect();
        } else if let Some(function) = line.strip_prefix("cfn=").or(line.strip_prefix("fn=")) {
            let (id, name) = function.split_once(' ').unwrap_or((function, ""));
            if name.starts_with("clock_gettime") {
                clocks.push(id);
            }
            called = id;
        } else if let Some(calls) = line.strip_prefix("calls=")
            && clocks.contains(&called)
        {
            clock_reads += calls.split(' ').next()?.parse::<f64>().ok()?;
        }
    }
    Some(Cost { instructions: *totals.get("Ir")?, stores: *totals.get("Dw")?, clock_reads })
}

#[cfg(test)]
mod tests {
    use super::{Cost, totals};

    #[test]
    fn a_profile_is_read_by_its_format() {
        let profile = "version: 1\nevents: Ir Dr Dw I1mr\n\nfn=(3) main\n\
                       cfn=(7) clock_gettime@@GLIBC_2.17\ncalls=4 0\n10 400 0 0 0\n\
                       cfn=(8) other\ncalls=9 0\n10 9 0 0 0\n\
                       fn=(9) again\ncfn=(7)\ncalls=2 0\n12 200 0 0 0\n\
                       totals: 1200 30 20 1\n";
        let cost = Cost { instructions: 1200.0, stores: 20.0, clock_reads: 6.0 };
        assert_eq!(totals(profile), Some(cost));
        assert_eq!(totals("version: 1\n"), None);
    }
}
