//! The cost of a budget to a success while other threads have successes too.

use std::hint::black_box;
use std::sync::{Barrier, LazyLock, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use retry_runtime::__private::{self as rt, DefaultTimer, RetryLoop, Site};
use retry_runtime::{Budget, Outcome};
use tower::retry::budget::{Budget as _, TpsBudget};

use crate::cpu;
use crate::rounds::median;

/// How many threads, each on a processor of its own if there are as many.
pub const THREADS: [usize; 4] = [1, 2, 4, 8];

/// How long each thread works in a round.
const STINT: Duration = Duration::from_millis(10);

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
        let site = Site { name: "", attempts: 4, timer: DefaultTimer };
        let budget = rt::key::of_static::budget(&OURS);
        let _ = RetryLoop::new(DefaultTimer, "work").decide(
            Outcome::Success,
            budget,
            site,
            rt::default_delay,
        );
    }),
    design!("`Mutex`", {
        let mut tokens = MUTEX.lock().expect("nobody panics");
        *tokens = (*tokens + 100).min(100_000);
    }),
    design!("tower's `TpsBudget`", {
        TPS.deposit();
    }),
];

/// What a success costs with one design and one number of threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contended {
    /// Nanoseconds of the processor.
    pub cost: f64,
    /// Time of the processor by time that passed: how many threads ran at once.
    pub parallel: f64,
}

/// The cost of a success, by design and number of threads.
///
/// Threads that the kernel ran one after the other did not contend, so only the
/// quarter of the rounds counts in which they had the most of the processors.
pub fn measure(rounds: usize, progress: &ProgressBar) -> Vec<[Contended; THREADS.len()]> {
    let times = DESIGNS.map(|design| for_a_stint(design.successes));
    let mut all = vec![[const { Vec::new() }; THREADS.len()]; DESIGNS.len()];
    for _ in 0..rounds {
        for (column, &threads) in THREADS.iter().enumerate() {
            for (row, design) in DESIGNS.iter().enumerate() {
                all[row][column].push(one(threads, design.successes, times[row]));
            }
        }
        progress.inc(1);
    }
    all.into_iter().map(|row| row.map(most_parallel)).collect()
}

fn most_parallel(mut stints: Vec<Contended>) -> Contended {
    stints.sort_by(|one, other| other.parallel.total_cmp(&one.parallel));
    stints.truncate(stints.len().div_ceil(4));
    let of = |part: fn(&Contended) -> f64| median(stints.iter().map(part).collect());
    Contended { cost: of(|stint| stint.cost), parallel: of(|stint| stint.parallel) }
}

fn one(threads: usize, successes: fn(u64), times: u64) -> Contended {
    let start = Barrier::new(threads + 1);
    let work = || {
        start.wait();
        let before = cpu::of_thread();
        successes(times);
        cpu::of_thread() - before
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        start.wait();
        let started = Instant::now();
        let costs = workers.into_iter().map(|worker| worker.join().expect("nothing panics"));
        let cost = costs.sum::<Duration>().as_secs_f64();
        let parallel = cost / started.elapsed().as_secs_f64();
        Contended { parallel, cost: cost * 1e9 / (times * threads as u64) as f64 }
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

#[cfg(test)]
mod tests {
    use super::{Contended, most_parallel};

    #[test]
    fn the_quarter_that_ran_in_parallel_counts() {
        let stint = |(parallel, cost)| Contended { cost, parallel };
        let stints = [(1.0, 6.0), (1.75, 60.0), (1.1, 7.0), (0.9, 5.0), (1.25, 50.0)].map(stint);
        assert_eq!(most_parallel(stints.to_vec()), stint((1.5, 55.0)));
        assert_eq!(most_parallel(stints[..1].to_vec()), stints[0]);
    }
}
