//! The budget under every interleaving of two or three threads, as loom finds
//! them, driven through the calls that users make:
//!
//! `cargo test -p retry-loom --release`
//!
//! Each program lists the end states that some order of its operations, one
//! after the other, would have: the tokens left and the retries granted. A
//! decision from a value other than the one written, or an update that is lost,
//! gives a state outside of the list. Every listed state must also be reached,
//! so that a program cannot pass by exploring too little. To that end each
//! program is explored with every order of its threads: loom takes a thread's own
//! load for the last access before its store, and so misses orders in which
//! a later thread would have come first.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use loom::thread;
use retry_runtime::{Budget, Decision, Outcome, Policy};

/// One operation on the budget: a success or a failure.
#[derive(Clone, Copy, PartialEq)]
enum Op {
    S,
    F,
}
use Op::{F, S};

/// The start of a program.
#[derive(Clone, Copy)]
struct Start {
    tokens: u32,
    max: u32,
    ratio: f64,
}

/// The tokens in thousandths and the retries granted at the end.
type End = (u32, u32);

const UNLIMITED: Policy = Policy::unlimited();

/// Does the operations of one thread and counts the retries granted.
fn run(budget: &Budget, ops: &[Op]) -> u32 {
    let mut granted = 0;
    for op in ops {
        let outcome = match op {
            S => Outcome::Success,
            F => Outcome::RetryIn(Duration::ZERO),
        };
        match UNLIMITED.call(budget).decide(outcome) {
            Decision::Again { .. } => granted += 1,
            Decision::Succeeded | Decision::Throttled => {}
            other => panic!("{other}"),
        }
        assert!(thousandths(budget) <= budget.max_tokens() * 1000);
    }
    granted
}

fn thousandths(budget: &Budget) -> u32 {
    (budget.tokens() * 1000.0).round() as u32
}

/// Runs a program under every interleaving that loom finds. Three threads are
/// switched at most three times against their will, which keeps it to seconds.
fn model(threads: usize, program: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = (threads > 2).then_some(3);
    builder.check(program);
}

/// Starts the threads of a program and gives the retries granted in all.
fn run_all(budget: &loom::sync::Arc<Budget>, threads: &[&'static [Op]]) -> u32 {
    let spawned: Vec<_> = threads[1..]
        .iter()
        .map(|ops| {
            let (budget, ops) = (loom::sync::Arc::clone(budget), *ops);
            thread::spawn(move || run(&budget, ops))
        })
        .collect();
    let own = run(budget, threads[0]);
    spawned.into_iter().fold(own, |granted, thread| granted + thread.join().unwrap())
}

/// Every order of the threads.
fn orders(threads: &[&'static [Op]]) -> Vec<Vec<&'static [Op]>> {
    if threads.is_empty() {
        return vec![Vec::new()];
    }
    let with_first = |first: usize| {
        let mut others = threads.to_vec();
        let thread = others.remove(first);
        orders(&others).into_iter().map(move |mut order| {
            order.insert(0, thread);
            order
        })
    };
    (0..threads.len()).flat_map(with_first).collect()
}

/// Explores a program and compares its end states with the legal ones.
fn explore(start: Start, threads: &[&'static [Op]], legal: &[End]) {
    let Start { tokens, max, ratio } = start;
    let successes = threads.concat().iter().filter(|op| **op == S).count() as u32;
    // After the last retry that is granted more than the half is left.
    let paid = tokens + (ratio * 1000.0).round() as u32 * successes;
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    for threads in orders(threads) {
        let ends = Arc::clone(&seen);
        model(threads.len(), move || {
            let budget = loom::sync::Arc::new(Budget::holding(tokens, max, ratio));
            let granted = run_all(&budget, &threads);
            assert!(granted == 0 || 1000 * granted + 500 * max < paid, "{granted} granted");
            ends.lock().unwrap().insert((thousandths(&budget), granted));
        });
    }
    let legal: BTreeSet<End> = legal.iter().copied().collect();
    assert_eq!(*seen.lock().unwrap(), legal);
}

#[test]
fn of_two_failures_above_the_half_exactly_one_is_granted() {
    let start = Start { tokens: 4000, max: 4, ratio: 0.1 };
    explore(start, &[&[F], &[F]], &[(2000, 1)]);
}

#[test]
fn of_three_failures_near_the_half_exactly_one_is_granted() {
    let start = Start { tokens: 7000, max: 10, ratio: 0.1 };
    explore(start, &[&[F], &[F], &[F]], &[(4000, 1)]);
}

#[test]
fn a_success_on_a_full_bucket_never_undoes_a_failure() {
    let start = Start { tokens: 10_000, max: 10, ratio: 0.1 };
    explore(start, &[&[S], &[F]], &[(9000, 1), (9100, 1)]);
}

#[test]
fn a_failure_on_an_empty_bucket_takes_at_most_the_credit() {
    let start = Start { tokens: 0, max: 10, ratio: 0.1 };
    explore(start, &[&[F], &[S]], &[(0, 0), (100, 0)]);
}

#[test]
fn away_from_the_rails_no_update_is_lost() {
    // 7000 + 3 * 100 - 1000, in whatever order.
    let start = Start { tokens: 7000, max: 10, ratio: 0.1 };
    explore(start, &[&[S, S], &[F, S]], &[(6300, 1)]);
}

#[test]
fn a_success_between_failures_pays_for_at_most_one_retry() {
    let start = Start { tokens: 3000, max: 3, ratio: 1.6 };
    explore(start, &[&[F, S], &[F, F]], &[(1000, 2), (1600, 1), (1600, 2)]);
}

#[test]
fn a_ratio_above_the_maximum_fills_the_bucket_and_no_more() {
    let start = Start { tokens: 0, max: 3, ratio: 65_536.0 };
    explore(start, &[&[F], &[S]], &[(2000, 1), (3000, 0)]);
}

#[test]
fn two_successes_and_a_failure_below_the_maximum_end_in_one_of_three_orders() {
    let start = Start { tokens: 9500, max: 10, ratio: 0.6 };
    explore(start, &[&[S], &[S], &[F]], &[(9000, 1), (9600, 1), (9700, 1)]);
}

/// The number of writes of a program, which must be the same in every interleaving.
fn writes(start: Start, threads: &[&'static [Op]], expected: usize) {
    let Start { tokens, max, ratio } = start;
    for threads in orders(threads) {
        model(threads.len(), move || {
            let budget = loom::sync::Arc::new(Budget::holding(tokens, max, ratio));
            run_all(&budget, &threads);
            assert_eq!(budget.writes(), expected);
        });
    }
}

#[test]
fn successes_on_a_full_bucket_write_nothing() {
    let start = Start { tokens: 10_000, max: 10, ratio: 0.1 };
    writes(start, &[&[S, S], &[S, S]], 0);
}

#[test]
fn failures_on_an_empty_bucket_write_nothing() {
    let start = Start { tokens: 0, max: 10, ratio: 0.1 };
    writes(start, &[&[F, F], &[F, F]], 0);
}

#[test]
fn between_the_rails_every_operation_writes_once() {
    let start = Start { tokens: 7000, max: 10, ratio: 0.1 };
    writes(start, &[&[S], &[F]], 2);
}

/// A budget without tokens and with a reserve of a minute, and two times a minute apart.
fn dry() -> (loom::sync::Arc<Budget>, Instant) {
    let budget = Budget::holding(0, 3, 0.1).one_retry_every(Duration::from_secs(60));
    (loom::sync::Arc::new(budget), Instant::now())
}

/// Whether a failure at `now` is retried.
fn retries(budget: &Budget, now: Instant) -> bool {
    let again = Outcome::RetryIn(Duration::ZERO);
    matches!(UNLIMITED.call(budget).decide_at(again, now), Decision::Again { .. })
}

/// Explores threads that each fail once at their own second, and gives the numbers of
/// retries that were seen.
fn reserve(seconds: &'static [u64]) -> Vec<usize> {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let counts = Arc::clone(&seen);
    model(seconds.len(), move || {
        let (budget, start) = dry();
        let at = |second: u64| start + Duration::from_secs(second);
        let spawned: Vec<_> = seconds[1..]
            .iter()
            .map(|second| {
                let (budget, now) = (loom::sync::Arc::clone(&budget), at(*second));
                thread::spawn(move || retries(&budget, now))
            })
            .collect();
        let own = usize::from(retries(&budget, at(seconds[0])));
        let others = spawned.into_iter().map(|thread| usize::from(thread.join().unwrap()));
        counts.lock().unwrap().insert(own + others.sum::<usize>());
        assert_eq!(thousandths(&budget), 0, "the reserve is no token");
    });
    let seen = seen.lock().unwrap();
    seen.iter().copied().collect()
}

#[test]
fn of_failures_at_one_time_the_reserve_grants_exactly_one() {
    assert_eq!(reserve(&[0, 0]), [1]);
    assert_eq!(reserve(&[0, 0, 0]), [1]);
}

#[test]
fn of_failures_within_a_period_the_reserve_grants_exactly_one() {
    assert_eq!(reserve(&[0, 59]), [1]);
    assert_eq!(reserve(&[30, 0, 59]), [1]);
}

#[test]
fn failures_a_period_apart_are_both_granted_unless_the_later_is_first() {
    assert_eq!(reserve(&[0, 60]), [1, 2]);
}

#[test]
fn a_success_and_the_reserve_never_grant_more_than_each_alone() {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    for threads in orders(&[&[F], &[F], &[S]]) {
        let ends = Arc::clone(&seen);
        model(3, move || {
            let budget = Budget::holding(0, 3, 3.0).one_retry_every(Duration::from_secs(60));
            let budget = loom::sync::Arc::new(budget);
            let granted = run_all(&budget, &threads);
            ends.lock().unwrap().insert((thousandths(&budget), granted));
        });
    }
    // The success before both: one by a token, one by the reserve. Between them: the first
    // by the reserve, the second by a token. After both: one by the reserve.
    let legal: BTreeSet<End> = [(1000, 2), (2000, 2), (3000, 1)].into_iter().collect();
    assert_eq!(*seen.lock().unwrap(), legal);
}
