//! What a budget costs a success while other threads have successes too.

use std::hint::black_box;
use std::sync::{Barrier, LazyLock, Mutex};
use std::thread;
use std::time::Duration;

use indicatif::ProgressBar;
use retry_runtime::__private::{self as rt, Attempts, Site};
use retry_runtime::{Budget, Outcome};
use tower::retry::budget::{Budget as _, TpsBudget};

use crate::cpu;
use crate::rounds::median;

/// How many threads, each on a processor of its own if there are as many.
pub const THREADS: [usize; 4] = [1, 2, 4, 8];

/// How long each thread works in a round.
const STINT: Duration = Duration::from_millis(3);

/// A budget under a success that finds it full.
#[derive(Clone, Copy)]
pub struct Design {
    /// Its name in the tables.
    pub name: &'static str,
    /// The success, this many times.
    pub successes: fn(u64),
}

/// Makes a loop around the success, so that no pointer to a function is between.
macro_rules! design {
    ($name:literal, $success:expr) => {
        Design {
            name: $name,
            successes: |times| {
                for _ in 0..times {
                    black_box(());
                    $success
                }
            },
        }
    };
}

static OURS: Budget = Budget::new(100, 0.1);
static MUTEX: Mutex<u32> = Mutex::new(100_000);
static TPS: LazyLock<TpsBudget> =
    LazyLock::new(|| TpsBudget::new(Duration::from_secs(10), 10, 0.2));

/// The first is the loop alone.
pub const DESIGNS: [Design; 4] = [
    design!("empty loop", {}),
    design!("`Budget`", {
        let site = Site { name: "", attempts: 4 };
        let budget = rt::budget(&OURS);
        let _ = Attempts::new().decide(Outcome::Success, budget, site, rt::default_delay);
    }),
    design!("`Mutex`", {
        let mut tokens = MUTEX.lock().expect("nobody panics");
        *tokens = (*tokens + 100).min(100_000);
    }),
    design!("tower's `TpsBudget`", {
        TPS.deposit();
    }),
];

/// Nanoseconds of the processor for each success, by design and number of threads.
pub fn measure(rounds: usize, progress: &ProgressBar) -> Vec<[f64; THREADS.len()]> {
    let times = DESIGNS.map(|design| for_a_stint(design.successes));
    let mut all = vec![[const { Vec::new() }; THREADS.len()]; DESIGNS.len()];
    for _ in 0..rounds {
        for (column, &threads) in THREADS.iter().enumerate() {
            for (row, design) in DESIGNS.iter().enumerate() {
                // A contended one is slower: it need not work for longer.
                let times = times[row] / if threads > 1 && row > 1 { 8 } else { 1 };
                all[row][column].push(one(threads, design.successes, times));
            }
        }
        progress.inc(1);
    }
    all.into_iter().map(|row| row.map(median)).collect()
}

fn one(threads: usize, successes: fn(u64), times: u64) -> f64 {
    let start = Barrier::new(threads);
    let work = || {
        start.wait();
        let before = cpu::of_thread();
        successes(times);
        (cpu::of_thread() - before).as_nanos() as f64 / times as f64
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let costs = workers.into_iter().map(|worker| worker.join().expect("nothing panics"));
        costs.sum::<f64>() / threads as f64
    })
}

/// How many successes take a stint, alone.
fn for_a_stint(successes: fn(u64)) -> u64 {
    let mut times = 1000;
    loop {
        let before = cpu::of_thread();
        successes(times);
        let took = cpu::of_thread() - before;
        if took >= STINT {
            return times;
        }
        times *= 2;
    }
}
