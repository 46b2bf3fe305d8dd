//! The retry storm: `cargo run --release --example storm`, and `-- --help`.
//!
//! A server stands still for ten seconds and then works as before. Without a budget
//! its clients' retries keep it down for good; with one they do not. The same is shown
//! for services in layers. With options it answers for a service of your own.

mod arguments;

use std::error::Error;
use std::process::ExitCode;

use arguments::Arguments;
use indicatif::{ProgressBar, ProgressStyle};
use retry_storm::layers::Layers;
use retry_storm::table::{self, Row};
use retry_storm::{Record, picture, run};

fn main() -> ExitCode {
    let arguments = match arguments::parse(std::env::args_os().skip(1)) {
        Ok(Some(arguments)) => arguments,
        Ok(None) => {
            println!("{}", arguments::HELP);
            return ExitCode::SUCCESS;
        }
        Err(mistakes) => {
            for mistake in mistakes {
                eprintln!("storm: {mistake}");
            }
            eprintln!("storm: `--help` lists the options");
            return ExitCode::from(64);
        }
    };
    match show(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("storm: {}: {error}", arguments.output.display());
            ExitCode::FAILURE
        }
    }
}

fn show(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let Arguments { scenario, budgets, output, is_default } = arguments;
    let compared = table::comparison(scenario, *budgets);
    let others = if *is_default { table::published() } else { Vec::new() };
    let mut played = play(compared.into_iter().chain(others));
    let others = played.split_off(3);

    println!("A server that does {} requests a second stands still for ten", scenario.capacity);
    println!("seconds and keeps its queue. Clients wait one second for an answer.\n");
    print(&played);
    println!("\n{}", table::promise(budgets));
    if let [_, (_, with), (_, without)] = &played[..] {
        println!("A budget ends the storm. It does not shed the backlog of the fault: after it");
        println!("the service is well {}, without retries {}.", after(with), after(without));
    }
    if !others.is_empty() {
        println!("\nAround the thresholds, and cures that are tried instead:\n");
        print(&others);
    }
    show_layers(arguments);

    let lines: Vec<picture::Line<'_>> =
        played.iter().map(|(row, record)| (row.remark.as_str(), record)).collect();
    std::fs::write(output, picture::draw(scenario, &lines)?)?;
    println!("\nThe picture is in {}.", output.display());
    Ok(())
}

fn print(played: &[(Row, Record)]) {
    println!("{}", table::heading());
    for (row, record) in played {
        println!("{}", table::row(row, record));
    }
}

fn after(record: &Record) -> String {
    record.recovery().map_or("never".to_owned(), |seconds| format!("after {seconds} s"))
}

fn show_layers(arguments: &Arguments) {
    let attempts = arguments.scenario.attempts;
    println!("\nServices in layers above a dependency that is down, {attempts} attempts in each:");
    println!("attempts at the dependency for each of 1000 calls at the top\n");
    println!("  layers   without budgets   with a budget in each");
    for layers in 1..=3 {
        let without = Layers { layers, attempts, budgets: None, calls: 1000, fails_every: 1 };
        let with = Layers { budgets: Some(arguments.budgets), ..without };
        let (without, with) = (without.amplification(), with.amplification());
        println!("{layers:>8} {without:>17.3} {with:>23.3}");
    }
}

/// Runs the rows, with a bar on the terminal meanwhile.
fn play(rows: impl Iterator<Item = Row>) -> Vec<(Row, Record)> {
    let rows: Vec<Row> = rows.collect();
    let bar = ProgressBar::new(rows.iter().map(|row| row.scenario.seconds).sum());
    if let Ok(style) =
        ProgressStyle::with_template("{bar:40} {pos} of {len} s of the virtual clock")
    {
        bar.set_style(style);
    }
    let mut before = 0;
    let mut played = Vec::new();
    for row in rows {
        // The last answers come after the last second.
        let length = row.scenario.seconds;
        let record = run(&row.scenario, |second| bar.set_position(before + second.min(length)));
        before += length;
        played.push((row, record));
    }
    bar.finish_and_clear();
    played
}
