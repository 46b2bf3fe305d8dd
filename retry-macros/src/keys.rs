//! The keys of the attribute, and what people write instead of them.

/// A key of the attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Attempts,
    Budget,
    Classify,
    ClassifyErr,
    Retrier,
    Schedule,
    Within,
    Deadline,
    Cancel,
    Policy,
    Clone,
    Attempt,
    Observe,
    Name,
    Timer,
    AttemptTimeout,
    OnTimeout,
    Crate,
}

/// Every key with its name, in the order in which the documentation has them.
pub const KEYS: [(&str, Key); 18] = [
    ("attempts", Key::Attempts),
    ("budget", Key::Budget),
    ("classify", Key::Classify),
    ("classify_err", Key::ClassifyErr),
    ("retrier", Key::Retrier),
    ("schedule", Key::Schedule),
    ("within", Key::Within),
    ("deadline", Key::Deadline),
    ("cancel", Key::Cancel),
    ("policy", Key::Policy),
    ("clone", Key::Clone),
    ("attempt", Key::Attempt),
    ("observe", Key::Observe),
    ("name", Key::Name),
    ("timer", Key::Timer),
    ("attempt_timeout", Key::AttemptTimeout),
    ("on_timeout", Key::OnTimeout),
    ("crate", Key::Crate),
];

impl Key {
    pub fn named(name: &str) -> Option<Key> {
        KEYS.iter().find(|(known, _)| *known == name).map(|(_, key)| *key)
    }

    pub fn name(self) -> &'static str {
        KEYS.iter().find(|(_, key)| *key == self).map_or("", |(name, _)| name)
    }
}

/// What somebody who writes a name of another library means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meant {
    /// This key, under another name.
    Key(Key),
    /// A number of retries, to which the first call is added.
    Retries,
    /// What is to be retried, as a condition: of the result, or of the error alone.
    Condition,
    /// What is read from the result here, by the classifier.
    Verdict,
    /// How far the waits vary.
    Jitter,
    /// The time of the call, or that of each attempt.
    Timeout,
}

/// Names from other libraries and languages, by what they mean.
const ALIASES: [(Meant, &[&str]); 17] = [
    (
        Meant::Key(Key::Attempts),
        &["max_attempts", "times", "tries", "max_tries", "count", "limit", "max", "n"],
    ),
    (Meant::Retries, &["retries", "max_retries", "retry_count", "num_retries", "max_times"]),
    (
        Meant::Condition,
        &["when", "on", "if", "retry_if", "retry_on", "retry_when", "predicate", "condition"],
    ),
    (Meant::Key(Key::Classify), &["classifier"]),
    (Meant::Verdict, &["idempotent", "retry_after", "respect_retry_after", "status", "statuses"]),
    (
        Meant::Key(Key::Schedule),
        &[
            "wait",
            "backoff",
            "delay",
            "interval",
            "strategy",
            "sleep",
            "exponential",
            "factor",
            "multiplier",
            "initial",
            "initial_delay",
            "initial_interval",
            "base_delay",
            "min_delay",
            "max_delay",
            "max_interval",
        ],
    ),
    (Meant::Jitter, &["jitter"]),
    (Meant::Timeout, &["timeout"]),
    (
        Meant::Key(Key::Within),
        &["max_elapsed", "max_elapsed_time", "max_duration", "total", "total_timeout"],
    ),
    (
        Meant::Key(Key::AttemptTimeout),
        &["per_attempt_timeout", "timeout_per_attempt", "try_timeout", "per_try_timeout"],
    ),
    (Meant::Key(Key::OnTimeout), &["timeout_error", "on_elapsed"]),
    (Meant::Key(Key::Observe), &["notify", "on_retry", "callback", "hook"]),
    (Meant::Key(Key::Budget), &["throttle", "bucket"]),
    (Meant::Key(Key::Timer), &["clock", "sleeper", "executor", "runtime"]),
    (Meant::Key(Key::Policy), &["config"]),
    (Meant::Key(Key::Cancel), &["token", "cancellation"]),
    (Meant::Key(Key::Name), &["label"]),
];

impl Meant {
    /// The keys that do it here.
    pub fn keys(self) -> Vec<Key> {
        match self {
            Meant::Key(key) => vec![key],
            Meant::Retries => vec![Key::Attempts],
            Meant::Condition | Meant::Verdict => vec![Key::Classify],
            Meant::Jitter => vec![Key::Schedule],
            Meant::Timeout => vec![Key::Within, Key::AttemptTimeout],
        }
    }
}

/// What somebody who writes `name` means.
pub fn meant_by(name: &str) -> Option<Meant> {
    let lower = name.to_lowercase();
    let lower = lower.trim_start_matches("r#");
    if let Some((meant, _)) = ALIASES.iter().find(|(_, aliases)| aliases.contains(&lower)) {
        return Some(*meant);
    }
    // As far as a slip of the finger: one letter in three.
    KEYS.iter()
        .map(|(known, key)| (distance(lower, known), known.len(), *key))
        .filter(|(distance, length, _)| *distance <= length.max(&3) / 3)
        .min_by_key(|(distance, ..)| *distance)
        .map(|(.., key)| key)
        .or_else(|| prefix_of(lower))
        .map(Meant::Key)
}

/// A key that `name` begins, as somebody who is still typing writes it.
fn prefix_of(name: &str) -> Option<Key> {
    let mut keys = KEYS.iter().filter(|(known, _)| name.len() >= 2 && known.starts_with(name));
    keys.next().map(|(_, key)| *key)
}

/// How many letters must be inserted, removed, replaced or swapped with their
/// neighbour to make `a` of `b` (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let replaced = last[j] + usize::from(a[i] != b[j]);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}
