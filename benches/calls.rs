//! The cost of a call. `cargo bench -p retry-bench -- --help` says more.

use std::{env, error, io};

use indicatif::ProgressBar;
use lexopt::prelude::{Long, ValueExt};
use retry_bench::bounds::BOUNDS;
use retry_bench::callgrind::{self, Cost, Skipped};
use retry_bench::contention::{self, Contended, DESIGNS};
use retry_bench::contestants::{CONTESTANTS, Contestant, LIMITED};
use retry_bench::rounds::{Rounds, Subject, median};
use retry_bench::show;
use retry_bench::work::Work;
use tokio::runtime::{Builder, Runtime};

const HELP: &str = "\
What a call costs, beside other crates and beside the loop by hand.

    cargo bench -p retry-bench [-- OPTIONS]

    --only times|instructions|contention   one of the three parts; may be repeated
    --check                                fails if instructions are over their bounds
    --rounds N                             rounds of the times; 301 if not given";

const PLAIN: usize = 0;
const BY_HAND: usize = 2;
/// Calls of each contestant in a round.
const CALLS: u32 = 4000;
/// The same, where each retry takes a millisecond.
const CALLS_ON_TIMER: u32 = 1;

/// Successes of each design of a budget in one run under callgrind.
const SUCCESSES: u64 = 100;

/// A body, and how many attempts fail.
#[derive(Clone, Copy)]
struct Case {
    name: &'static str,
    yields: bool,
    failures: u32,
}

const CASES: [Case; 4] = [
    Case { name: "success, body ready at once", yields: false, failures: 0 },
    Case { name: "success, body yields once", yields: true, failures: 0 },
    Case { name: "1 failure, delay of zero", yields: false, failures: 1 },
    Case { name: "3 failures, delay of zero", yields: false, failures: 3 },
];

struct Options {
    parts: Vec<String>,
    rounds: usize,
    check: bool,
}

fn main() -> Result<(), Box<dyn error::Error>> {
    if env::args().nth(1).as_deref() == Some(callgrind::COUNTED) {
        counted();
        return Ok(());
    }
    let Some(options) = options()? else {
        println!("{HELP}");
        return Ok(());
    };
    let wants = |part: &str| options.parts.is_empty() || options.parts.iter().any(|p| p == part);
    if wants("times") {
        times(options.rounds)?;
    }
    if wants("instructions") {
        instructions(options.check)?;
    }
    if wants("contention") {
        contention(options.rounds / 10 + 1);
    }
    Ok(())
}

fn options() -> Result<Option<Options>, lexopt::Error> {
    let mut options = Options { parts: Vec::new(), rounds: 301, check: false };
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            // What `cargo bench` says to every benchmark.
            Long("bench") => {}
            Long("help") => return Ok(None),
            Long("check") => options.check = true,
            Long("rounds") => options.rounds = arguments.value()?.parse()?,
            Long("only") => {
                let part = arguments.value()?.string()?;
                if !["times", "instructions", "contention"].contains(&part.as_str()) {
                    return Err(format!(
                        "--only takes times, instructions or contention, not {part}"
                    )
                    .into());
                }
                options.parts.push(part);
            }
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(options))
}

/// One call, for the rounds and for callgrind.
fn call<'a>(
    contestant: Contestant,
    case: Case,
    work: &'a Work,
    runtime: &'a Runtime,
) -> Box<dyn FnMut() + 'a> {
    let Case { yields, failures, .. } = case;
    match contestant.on_timer {
        Some(on_timer) if failures > 0 => Box::new(move || {
            work.fail(failures);
            std::hint::black_box(on_timer(runtime, work)).ok();
        }),
        _ => {
            let call = if yields { contestant.yields } else { contestant.ready };
            let is_plain = contestant.name == CONTESTANTS[PLAIN].name;
            // The plain function is called until it succeeds.
            let calls = if is_plain { failures + 1 } else { 1 };
            Box::new(move || {
                work.fail(failures);
                for _ in 0..calls {
                    std::hint::black_box(call(work)).ok();
                }
            })
        }
    }
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_time().build()
}

fn times(rounds: usize) -> io::Result<()> {
    let (work, runtime) = (Work::default(), runtime()?);
    let progress = show::bar("times", rounds);
    let mut subjects: Vec<_> = CASES
        .iter()
        .flat_map(|&case| CONTESTANTS.map(|contestant| (case, contestant)))
        .map(|(case, contestant)| Subject {
            run: call(contestant, case, &work, &runtime),
            times: match contestant.on_timer {
                Some(_) if case.failures > 0 => CALLS_ON_TIMER,
                _ => CALLS,
            },
        })
        .collect();
    let measured = Rounds::measure(&mut subjects, rounds, &progress);
    progress.finish_and_clear();
    let at = |case: usize, row: usize| case * CONTESTANTS.len() + row;
    for (index, case) in CASES.iter().enumerate() {
        let rows = CONTESTANTS.iter().enumerate().map(|(row, contestant)| {
            let (subject, plain, by_hand) = (at(index, row), at(index, PLAIN), at(index, BY_HAND));
            let retries = case.failures.max(1);
            let retry = match case.failures {
                0 => String::new(),
                _ => {
                    format!("{:.1}", measured.difference(subject, at(0, row)) / f64::from(retries))
                }
            };
            [
                contestant.name.to_owned(),
                format!("{:.1}", measured.time(subject)),
                format!("{:.2}", measured.ratio(subject, plain)),
                format!("{:.2}", measured.ratio(subject, by_hand)),
                retry,
            ]
        });
        let title = format!("Time: {}. Medians of {rounds} rounds.", case.name);
        let header = ["", "ns", "x plain", "x by hand", "ns per retry"];
        show::table(&title, header, rows.collect());
    }
    Ok(())
}

/// What is counted, in order: each case with each contestant (those that need a
/// timer only while nothing fails), the limits, and the budgets.
fn counted() {
    let (work, runtime) = (Work::default(), runtime().expect("a runtime can be built"));
    let mut subjects: Vec<_> = countable()
        .into_iter()
        .map(|(case, contestant)| call(contestant, case, &work, &runtime))
        .collect();
    for design in DESIGNS {
        subjects.push(Box::new(move || (design.successes)(SUCCESSES)));
    }
    callgrind::run(&mut subjects);
}

fn countable() -> Vec<(Case, Contestant)> {
    let contestants = CASES.iter().flat_map(|&case| CONTESTANTS.map(|one| (case, one)));
    let limited = CASES.iter().flat_map(|&case| LIMITED.map(|one| (case, one)));
    contestants
        .filter(|(case, contestant)| case.failures == 0 || contestant.on_timer.is_none())
        .chain(limited)
        .collect()
}

fn instructions(check: bool) -> Result<(), String> {
    let subjects = countable();
    let progress = show::spinner("counting instructions under callgrind".to_owned());
    let counted = callgrind::count(&[], subjects.len() + DESIGNS.len());
    progress.finish_and_clear();
    let costs = match counted {
        Ok(costs) => costs,
        Err(skipped) => {
            let why = match skipped {
                Skipped::NoValgrind => "valgrind is not installed".to_owned(),
                Skipped::Failed(why) => format!("valgrind failed: {why}"),
            };
            if check {
                return Err(format!("instructions cannot be counted: {why}"));
            }
            println!("\nInstructions: skipped, because {why}.");
            return Ok(());
        }
    };
    let find = |case: &Case, contestant: &Contestant, from: usize| {
        let found =
            subjects.iter().zip(&costs).skip(from).find(|((subject, one), _)| {
                subject.name == case.name && one.name == contestant.name
            });
        found.map(|(_, cost)| *cost)
    };
    let rows = CONTESTANTS.iter().map(|contestant| {
        let cells = CASES.each_ref().map(|case| {
            let (cost, plain) = (find(case, contestant, 0), find(case, &CONTESTANTS[PLAIN], 0));
            cost.zip(plain).map_or("timer".to_owned(), |(cost, plain)| against(cost, plain))
        });
        let [ready, yields, one, three] = cells;
        [contestant.name.to_owned(), ready, yields, one, three]
    });
    show::table(
        "Instructions of a call (over the plain function, called until it succeeds).",
        ["", CASES[0].name, CASES[1].name, CASES[2].name, CASES[3].name],
        rows.collect(),
    );
    let first_limited = subjects.len() - LIMITED.len() * CASES.len();
    let rows = LIMITED.iter().map(|contestant| {
        let cells = CASES.each_ref().map(|case| {
            let cost = find(case, contestant, first_limited).expect("all of these are counted");
            format!("{:.0}, {:.0} reads", cost.instructions, cost.clock_reads)
        });
        let [ready, yields, one, three] = cells;
        [contestant.name.to_owned(), ready, yields, one, three]
    });
    show::table(
        "Instructions of a call with a limit in time, and how often it reads the clock.",
        ["", CASES[0].name, CASES[1].name, CASES[2].name, CASES[3].name],
        rows.collect(),
    );
    let budgets = &costs[subjects.len()..];
    let each = |cost, base| format!("{:.1}", (cost - base) / SUCCESSES as f64);
    let rows = DESIGNS.iter().zip(budgets).map(|(design, cost)| {
        [
            design.name.to_owned(),
            each(cost.instructions, budgets[0].instructions),
            each(cost.stores, budgets[0].stores),
        ]
    });
    show::table(
        "A success that finds the budget full, over an empty loop.",
        ["", "instructions", "stores"],
        rows.collect(),
    );
    let of = |name: &str, case: usize| {
        let contestant = CONTESTANTS.iter().find(|one| one.name == name).expect("it is counted");
        find(&CASES[case], contestant, 0).expect("it is counted").instructions
    };
    let over = BOUNDS.iter().filter_map(|bound| bound.over(|one| of(one, 0), |one| of(one, 1)));
    let over: Vec<String> = over.collect();
    if check && !over.is_empty() { Err(over.join("\n")) } else { Ok(()) }
}

fn against(cost: Cost, plain: Cost) -> String {
    format!("{:.0} ({:+.0})", cost.instructions, cost.instructions - plain.instructions)
}

fn contention(rounds: usize) {
    let progress: ProgressBar = show::bar("contention", rounds);
    let measured = contention::measure(rounds, &progress);
    progress.finish_and_clear();
    let rows = DESIGNS.iter().zip(&measured).map(|(design, row)| {
        let cell = |at: Contended| format!("{:.2} (x {:.1})", at.cost, at.cost / row[0].cost);
        let [one, two, four, eight] = row.map(cell);
        [design.name.to_owned(), one, two, four, eight]
    });
    let parallel = median(measured.iter().map(|row| row[1].parallel).collect());
    show::table(
        &format!(
            "A success that finds the budget full: ns of the processor, by threads (over one thread). \
             Medians of the most parallel quarter of {rounds} rounds: there two threads had \
             {parallel:.1} processors. With less than about 1.5 they hardly contend."
        ),
        ["", "1", "2", "4", "8"],
        rows.collect(),
    );
}
