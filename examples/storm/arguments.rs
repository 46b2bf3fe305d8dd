//! The options of the program. Every mistake is told, not only the first.

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use lexopt::Arg;
use retry_runtime::{Budget, BudgetConfig};
use retry_storm::{Budgets, Scenario};

pub const HELP: &str = "\
Computes what retries do to a server that stands still for ten seconds: without a
budget, with one, and without retries. Prints tables and writes a picture.

Usage: cargo run --release --example storm -- [OPTIONS]

  --load N          calls that begin in a second              (default 280)
  --capacity N      requests the server answers in a second   (default 300)
  --attempts N      attempts of a call, the first included    (default 3)
  --max-tokens N    tokens of a full budget                   (default 10)
  --token-ratio R   tokens that a success adds                (default 0.1)
  --clients N       clients, each with a budget of its own    (default 28)
  --one-retry-every N
                    a reserve: although the tokens refuse, one retry of each
                    client in N seconds is allowed    (default: none)
  --seconds N       for how long calls begin                  (default 300)
  --output FILE     where the picture goes, an SVG            (default storm.svg)
  --help            prints this

The fault is from second 30 to 40, and the server keeps its queue. A client waits one
second for an answer and sends its next attempt at once. With none of the options that
change the scenario, the table has the published configurations too.";

pub struct Arguments {
    pub scenario: Scenario,
    pub budgets: Budgets,
    pub output: PathBuf,
    /// Whether the scenario is the published one.
    pub is_default: bool,
}

/// Reads the options; `None` stands for `--help`.
pub fn parse(
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<Option<Arguments>, Vec<String>> {
    let mut read = Arguments {
        scenario: Scenario::default(),
        budgets: Budgets::new(10, 0.1),
        output: PathBuf::from("storm.svg"),
        is_default: true,
    };
    let mut mistakes = Mistakes(Vec::new());
    let mut parser = lexopt::Parser::from_args(arguments);
    loop {
        let name = match parser.next() {
            Ok(None) => break,
            Ok(Some(Arg::Long("help") | Arg::Short('h'))) => return Ok(None),
            Ok(Some(Arg::Long(name))) => name.to_owned(),
            Ok(Some(other)) => {
                mistakes.add(other.unexpected().to_string());
                continue;
            }
            Err(error) => {
                mistakes.add(error.to_string());
                continue;
            }
        };
        let Arguments { scenario, budgets, output, is_default } = &mut read;
        let mut value = || parser.value().map(|value| value.to_string_lossy().into_owned());
        match name.as_str() {
            "load" => mistakes.whole(&name, value(), 1..=100_000, &mut scenario.load),
            "capacity" => mistakes.whole(&name, value(), 1..=100_000, &mut scenario.capacity),
            "attempts" => mistakes.whole(&name, value(), 1..=100, &mut scenario.attempts),
            "max-tokens" => {
                mistakes.whole(&name, value(), 3..=Budget::TOKEN_LIMIT, &mut budgets.max_tokens);
            }
            "token-ratio" => mistakes.ratio(value(), &mut budgets.token_ratio),
            "clients" => mistakes.whole(&name, value(), 1..=100_000, &mut budgets.clients),
            "one-retry-every" => {
                let mut every = 0;
                mistakes.whole(&name, value(), 1..=3600, &mut every);
                budgets.one_retry_every = Some(every);
            }
            "seconds" => mistakes.whole(&name, value(), 60..=3600, &mut scenario.seconds),
            "output" => match value() {
                Ok(path) => *output = path.into(),
                Err(error) => mistakes.add(error.to_string()),
            },
            _ => mistakes.add(format!("there is no option `--{name}`")),
        }
        *is_default &= name == "output";
    }
    if mistakes.0.is_empty() { Ok(Some(read)) } else { Err(mistakes.0) }
}

type Value = Result<String, lexopt::Error>;

struct Mistakes(Vec<String>);

impl Mistakes {
    fn add(&mut self, mistake: String) {
        self.0.push(mistake);
    }

    /// A whole number in a range.
    fn whole<T>(&mut self, name: &str, value: Value, range: RangeInclusive<T>, into: &mut T)
    where
        T: std::str::FromStr + PartialOrd + std::fmt::Display,
    {
        let value = match value {
            Ok(value) => value,
            Err(error) => return self.add(error.to_string()),
        };
        match value.parse() {
            Ok(number) if range.contains(&number) => *into = number,
            _ => self.add(format!(
                "`--{name}` is `{value}`: it must be a whole number from {} to {}",
                range.start(),
                range.end()
            )),
        }
    }

    /// The ratio, whose range the library knows.
    fn ratio(&mut self, value: Value, into: &mut f64) {
        let value = match value {
            Ok(value) => value,
            Err(error) => return self.add(error.to_string()),
        };
        let is_valid =
            |ratio: &f64| BudgetConfig::new(Budget::TOKEN_LIMIT, *ratio).validate().is_ok();
        match value.parse().ok().filter(is_valid) {
            Some(ratio) => *into = ratio,
            None => self.add(format!(
                "`--token-ratio` is `{value}`: it must be a number from 0.001 to {}",
                Budget::TOKEN_LIMIT
            )),
        }
    }
}
