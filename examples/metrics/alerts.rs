//! The queries and alerts of the guide, asked of what a program really measured: Prometheus'
//! own tool evaluates them, minute by minute.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::{Command, Output};
use std::time::{Duration, Instant};
use std::{env, fs, io};

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use retry_runtime::{Backoff, Budget, Decision, Outcome, Policy};

const PAGE: &str = include_str!("../../retry-runtime/guide/alerts.md");
const CALLS_PER_MINUTE: u32 = 60;

/// The half hours of a service's day, one after another.
#[derive(Clone, Copy)]
enum HalfHour {
    /// One call in sixty needs a second attempt.
    Quiet,
    /// The dependency answers nothing.
    Outage,
    /// One call in ten needs a second attempt.
    Unsteady,
    /// One call in fifteen has no time left for the wait that the server asks for.
    Hurried,
}

const DAY: [HalfHour; 7] = [
    HalfHour::Quiet,
    HalfHour::Outage,
    HalfHour::Quiet,
    HalfHour::Unsteady,
    HalfHour::Quiet,
    HalfHour::Hurried,
    HalfHour::Quiet,
];

/// The minute with which each half hour ends.
fn end_of(half_hour: usize) -> usize {
    30 * half_hour + 29
}

/// Makes the calls of one minute.
fn minute(half_hour: HalfHour, budget: &Budget) {
    let policy = Policy::new(3).backoff(Backoff::none());
    for number in 0..CALLS_PER_MINUTE {
        let now = Instant::now();
        let deadline = now + Duration::from_secs(1);
        let mut call =
            policy.call(budget).named("search.query").starting_at(now).deadline(deadline);
        let mut fails = match half_hour {
            HalfHour::Quiet => u32::from(number == 0),
            HalfHour::Outage => u32::MAX,
            HalfHour::Unsteady => u32::from(number % 10 == 0),
            HalfHour::Hurried => u32::from(number % 15 == 0),
        };
        loop {
            let outcome = match (fails, half_hour) {
                (0, _) => Outcome::Success,
                (_, HalfHour::Hurried) => Outcome::RetryAfter(Duration::from_secs(60)),
                _ => Outcome::Retry,
            };
            fails = fails.saturating_sub(1);
            if !matches!(call.decide_at(outcome, now), Decision::Again { .. }) {
                break;
            }
        }
    }
}

/// Each series as `/metrics` has it, with its value at the end of each minute. One that is not
/// there yet has `_`, as promtool writes it.
fn series(recorder: &PrometheusHandle) -> BTreeMap<String, Vec<String>> {
    let budget = Budget::new(10, 0.1).named("search");
    let mut series: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let half_hours = DAY.iter().flat_map(|half_hour| [*half_hour; 30]);
    for (number, half_hour) in half_hours.enumerate() {
        minute(half_hour, &budget);
        let text = recorder.render();
        let samples = text.lines().filter(|line| line.starts_with("retry_"));
        for (name, value) in samples.filter_map(|line| line.rsplit_once(' ')) {
            let values = series.entry(name.to_owned()).or_default();
            values.resize(number, "_".to_owned());
            values.push(value.to_owned());
        }
    }
    series
}

/// The rules of the page.
fn rules() -> &'static str {
    let rules = PAGE.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next());
    rules.expect("the page has the rules")
}

/// The query that answers a question of the page's table.
fn query(question: &str) -> &'static str {
    let row = PAGE.lines().find(|line| line.starts_with(&format!("| {question}")));
    let cell = row.and_then(|row| row.split(" | `").nth(1));
    let query = cell.and_then(|cell| cell.strip_suffix("` |"));
    query.unwrap_or_else(|| panic!("the page has no query for `{question}`"))
}

struct Asked(String);

impl Asked {
    /// An expression, and its one value at the end of a half hour: to the hundredth, as a
    /// rate is extrapolated.
    fn expect(&mut self, half_hour: usize, query: &str, labels: &str, value: f64) {
        let minute = end_of(half_hour);
        writeln!(
            self.0,
            "      - {{ eval_time: {minute}m, expr: 'round({query}, 0.01)', exp_samples: \
             [ {{ labels: '{labels}', value: {value} }} ] }}"
        )
        .expect("a string takes all");
    }

    /// The alerts that fire at the end of a half hour.
    fn alerts(&mut self, half_hour: usize, alerts: &[&str]) {
        let minute = end_of(half_hour);
        let samples: Vec<_> = alerts
            .iter()
            .map(|alert| format!("{{ labels: '{{alertname=\"{alert}\"}}', value: 1 }}"))
            .collect();
        writeln!(
            self.0,
            "      - {{ eval_time: {minute}m, expr: 'count by (alertname) \
             (ALERTS{{alertstate=\"firing\"}})', exp_samples: [ {} ] }}",
            samples.join(", ")
        )
        .expect("a string takes all");
    }
}

/// promtool's answer; `None`, with a message, where it is not installed.
fn promtool(arguments: &[&str], file: &std::path::Path) -> Option<Output> {
    match Command::new("promtool").args(arguments).arg(file).output() {
        Ok(output) => Some(output),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let absent = "promtool is not installed (Debian's package prometheus)";
            assert!(env::var("CI").as_deref() != Ok("true"), "{absent}");
            eprintln!("skipped: {absent}");
            None
        }
        Err(error) => panic!("promtool: {error}"),
    }
}

#[test]
fn the_alerts_of_the_guide_fire_in_the_trouble_that_they_are_for_and_in_no_other() {
    let recorder = PrometheusBuilder::new().with_recommended_naming(true).build_recorder();
    let handle = recorder.handle();
    let series = metrics::with_local_recorder(&recorder, || series(&handle));

    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("alerts");
    fs::create_dir_all(&folder).expect("a folder");
    let (rules_file, test_file) = (folder.join("rules.yml"), folder.join("test.yml"));
    fs::write(&rules_file, rules()).expect("the rules can be written");

    let mut asked = Asked(String::from(
        "rule_files: [ rules.yml ]\nevaluation_interval: 1m\ntests:\n  - interval: 1m\n    input_series:\n",
    ));
    for (name, values) in &series {
        let values = values.join(" ");
        writeln!(asked.0, "      - {{ series: '{name}', values: '{values}' }}").expect("a string");
    }
    asked.0 += "    promql_expr_test:\n";

    let name = "{name=\"search.query\"}";
    let refused = query("calls per second refused by the budget");
    let failed = query("share of calls that failed");
    let attempts = query("attempts for each call");
    let tokens = query("tokens of the emptiest process");
    asked.expect(1, refused, name, 1.0);
    asked.expect(1, failed, name, 1.0);
    asked.expect(1, attempts, name, 1.0);
    asked.expect(1, tokens, "{budget=\"search\"}", 0.0);
    asked.expect(2, failed, name, 0.0);
    asked.expect(3, refused, name, 0.0);
    asked.expect(3, attempts, name, 1.1);
    asked.expect(5, failed, name, 0.07);

    asked.alerts(0, &[]);
    asked.alerts(1, &["RetriesThrottled", "RetryBudgetEmpty"]);
    asked.alerts(2, &[]);
    asked.alerts(3, &["RetriesMultiply"]);
    asked.alerts(4, &[]);
    asked.alerts(5, &["RetriesOutOfTime"]);
    asked.alerts(6, &[]);
    fs::write(&test_file, &asked.0).expect("the test can be written");

    for (arguments, file) in [(["check", "rules"], &rules_file), (["test", "rules"], &test_file)] {
        let Some(output) = promtool(&arguments, file) else { return };
        let said =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
    }
}
