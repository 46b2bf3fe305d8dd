//! The cost of a waiting call: many calls at once, whose first attempt fails
//! and whose second, two to three seconds later, succeeds.
//!
//! Each contestant has a process of its own, so that the memory of one is not
//! there for the next.

use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, error, iter};

use lexopt::prelude::{Long, ValueExt};
use nix::sys::resource::{UsageWho, getrusage};
use retry_bench::rounds::median;
use retry_bench::{cpu, show};
use retry_runtime::{Backoff, Budget, Jitter, Outcome, Policy, retry};
use tokio_retry2::{MapErr, RetryIf};

const HELP: &str = "\
Bytes and time of the processor of calls that wait.

    cargo run -p retry-bench --release --bin waiting [-- OPTIONS]

    --calls N     how many at once; 100000 if not given
    --rounds N    processes of each contestant; 3 if not given";

const SHORTEST: Duration = Duration::from_secs(2);
const LONGEST: Duration = Duration::from_secs(3);

type Answer = Result<u32, ()>;

/// Of several dependencies: one budget would not pay for so many retries at once.
static BUDGETS: [Budget; 8] = [const { Budget::new(Budget::TOKEN_LIMIT, 1.0) }; 8];
/// What half the tokens of all of them pay for.
const MOST_CALLS: u32 = 8 * (Budget::TOKEN_LIMIT / 2 - 1);

const BACKOFF: Backoff = Backoff::constant(LONGEST).jitter(Jitter::Subtract(1.0 / 3.0));
static POLICY: Policy = Policy::new(4).backoff(BACKOFF);

fn budget(index: u32) -> &'static Budget {
    &BUDGETS[index as usize % BUDGETS.len()]
}

/// What the schedule of the attribute draws, for those that have none.
fn delay(index: u32) -> Duration {
    SHORTEST + Duration::from_millis(u64::from(index % 1000))
}

async fn sleep_only(index: u32) -> Answer {
    tokio::time::sleep(delay(index)).await;
    Ok(index)
}

async fn by_hand(index: u32) -> Answer {
    let mut attempt = 1;
    loop {
        let answer = async { if attempt == 1 { Err(()) } else { Ok(index) } }.await;
        if answer.is_ok() || attempt == 4 {
            return answer;
        }
        attempt += 1;
        tokio::time::sleep(delay(index)).await;
    }
}

#[retry(
    attempts = 4,
    budget = budget(index),
    classify_err = |_| Outcome::Retry,
    schedule = BACKOFF,
    attempt = attempt,
)]
async fn attribute(index: u32) -> Answer {
    if attempt.is_first() { Err(()) } else { Ok(index) }
}

async fn call(index: u32) -> Answer {
    let mut call = POLICY.call(budget(index));
    loop {
        let answer = if call.attempt() == 1 { Err(()) } else { Ok(index) };
        let outcome = if answer.is_ok() { Outcome::Success } else { Outcome::Retry };
        if !call.again(outcome).await {
            return answer;
        }
    }
}

async fn tokio_retry2(index: u32) -> Answer {
    let mut first = true;
    let attempt = || {
        let answer = if std::mem::take(&mut first) { Err(()) } else { Ok(index) };
        async move { answer.map_transient_err() }
    };
    let schedule = iter::repeat_n(delay(index), 3);
    RetryIf::spawn(schedule, attempt, |_: &()| true, |_: &(), _| ()).await
}

async fn tryhard(index: u32) -> Answer {
    let mut first = true;
    let attempt = move || {
        let answer = if std::mem::take(&mut first) { Err(()) } else { Ok(index) };
        async move { answer }
    };
    tryhard::retry_fn(attempt).retries(3).fixed_backoff(delay(index)).await
}

/// What one process measured, for each call.
struct Measured {
    future: f64,
    live: f64,
    resident: f64,
    allocations: f64,
    cpu: f64,
}

fn measure<F>(calls: u32, make: fn(u32) -> F) -> Measured
where
    F: Future<Output = Answer> + Send + 'static,
{
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime can be built");
    // Made before, so that it is not counted.
    let mut tasks = Vec::with_capacity(calls as usize);
    let (cpu_before, resident_before) = (cpu::of_process(), resident());
    let allocated = allocation_counter::measure(|| {
        runtime.block_on(async {
            tasks.extend((0..calls).map(|index| tokio::spawn(make(index))));
            for task in tasks.drain(..) {
                let answer = task.await.expect("no call panics");
                answer.expect("the second attempt succeeds");
            }
        });
    });
    let each = |total: f64| total / f64::from(calls);
    Measured {
        future: size_of::<F>() as f64,
        live: each(allocated.bytes_max as f64),
        resident: each((resident() - resident_before) as f64),
        allocations: each(allocated.count_total as f64),
        cpu: each((cpu::of_process() - cpu_before).as_nanos() as f64 / 1000.0),
    }
}

/// The most memory that this process has had, in bytes.
fn resident() -> i64 {
    let most = getrusage(UsageWho::RUSAGE_SELF).expect("the kernel counts").max_rss();
    // Kibibytes, but for Apple's kernel.
    if cfg!(target_vendor = "apple") { most } else { most * 1024 }
}

/// What measures so many calls of one contestant.
type Measure = fn(u32) -> Measured;

const CONTESTANTS: [(&str, Measure); 6] = [
    ("tokio's sleep alone", |calls| measure(calls, sleep_only)),
    ("loop by hand, no budget", |calls| measure(calls, by_hand)),
    ("`#[retry]`", |calls| measure(calls, attribute)),
    ("`Call` by hand", |calls| measure(calls, call)),
    ("tokio-retry2", |calls| measure(calls, tokio_retry2)),
    ("tryhard", |calls| measure(calls, tryhard)),
];

fn main() -> Result<(), Box<dyn error::Error>> {
    let (mut calls, mut rounds) = (100_000, 3);
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("help") => {
                println!("{HELP}");
                return Ok(());
            }
            Long("calls") => calls = arguments.value()?.parse()?,
            Long("rounds") => rounds = arguments.value()?.parse()?,
            // How this program starts itself.
            Long("one") => {
                let index: usize = arguments.value()?.parse()?;
                let Measured { future, live, resident, allocations, cpu } =
                    CONTESTANTS[index].1(calls);
                println!("{future} {live} {resident} {allocations} {cpu}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    if calls == 0 || calls > MOST_CALLS || rounds == 0 {
        let limits = format!("--calls takes 1 to {MOST_CALLS}, and --rounds at least 1");
        return Err(limits.into());
    }
    compare(calls, rounds)
}

fn compare(calls: u32, rounds: usize) -> Result<(), Box<dyn error::Error>> {
    let progress = show::bar("processes", rounds * CONTESTANTS.len());
    let mut measured = vec![[const { Vec::new() }; 5]; CONTESTANTS.len()];
    for _ in 0..rounds {
        for (index, of_contestant) in measured.iter_mut().enumerate() {
            let output = Command::new(env::current_exe()?)
                .args(["--calls", &calls.to_string(), "--one", &index.to_string()])
                .stderr(Stdio::inherit())
                .output()?;
            let printed = String::from_utf8(output.stdout)?;
            for (column, number) in of_contestant.iter_mut().zip(printed.split_whitespace()) {
                column.push(number.parse::<f64>()?);
            }
            if !output.status.success() {
                return Err(format!("{}: {}", CONTESTANTS[index].0, output.status).into());
            }
            progress.inc(1);
        }
    }
    progress.finish_and_clear();
    let rows = CONTESTANTS.iter().zip(measured).map(|((name, _), columns)| {
        let [future, live, resident, allocations, cpu] = columns.map(median);
        [
            (*name).to_owned(),
            format!("{future:.0}"),
            format!("{live:.0}"),
            format!("{resident:.0}"),
            format!("{allocations:.2}"),
            format!("{cpu:.2}"),
        ]
    });
    show::table(
        &format!("{calls} calls that wait at once, each in a task. Medians of {rounds} processes."),
        ["", "future, B", "live, B", "resident, B", "allocations", "cpu, us"],
        rows.collect(),
    );
    Ok(())
}
