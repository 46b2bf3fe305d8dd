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

/// Names from other libraries and languages, with the key that does it here.
const ALIASES: [(&str, Key); 54] = [
    ("max_attempts", Key::Attempts),
    ("times", Key::Attempts),
    ("tries", Key::Attempts),
    ("max_tries", Key::Attempts),
    ("max_times", Key::Attempts),
    ("count", Key::Attempts),
    ("limit", Key::Attempts),
    ("max", Key::Attempts),
    ("n", Key::Attempts),
    ("retries", Key::Attempts),
    ("max_retries", Key::Attempts),
    ("retry_count", Key::Attempts),
    ("num_retries", Key::Attempts),
    ("when", Key::Classify),
    ("on", Key::Classify),
    ("if", Key::Classify),
    ("retry_if", Key::Classify),
    ("retry_on", Key::Classify),
    ("retry_when", Key::Classify),
    ("predicate", Key::Classify),
    ("condition", Key::Classify),
    ("classifier", Key::Classify),
    ("wait", Key::Schedule),
    ("backoff", Key::Schedule),
    ("delay", Key::Schedule),
    ("interval", Key::Schedule),
    ("strategy", Key::Schedule),
    ("sleep", Key::Schedule),
    ("timeout", Key::Within),
    ("max_elapsed", Key::Within),
    ("max_elapsed_time", Key::Within),
    ("max_duration", Key::Within),
    ("total", Key::Within),
    ("total_timeout", Key::Within),
    ("notify", Key::Observe),
    ("on_retry", Key::Observe),
    ("callback", Key::Observe),
    ("hook", Key::Observe),
    ("label", Key::Name),
    ("token", Key::Cancel),
    ("cancellation", Key::Cancel),
    ("throttle", Key::Budget),
    ("bucket", Key::Budget),
    ("config", Key::Policy),
    ("clock", Key::Timer),
    ("sleeper", Key::Timer),
    ("executor", Key::Timer),
    ("runtime", Key::Timer),
    ("per_attempt_timeout", Key::AttemptTimeout),
    ("timeout_per_attempt", Key::AttemptTimeout),
    ("try_timeout", Key::AttemptTimeout),
    ("per_try_timeout", Key::AttemptTimeout),
    ("timeout_error", Key::OnTimeout),
    ("on_elapsed", Key::OnTimeout),
];

/// The aliases that count the retries alone, without the first call.
const RETRIES: [&str; 4] = ["retries", "max_retries", "retry_count", "num_retries"];

/// Whether `name` counts retries, so that the number must become one more.
pub fn counts_retries(name: &str) -> bool {
    RETRIES.contains(&name)
}

/// Another key that somebody who writes `name` may mean: a timeout may be that of the
/// call or that of each attempt.
pub fn also_meant_by(name: &str) -> Option<Key> {
    (name == "timeout").then_some(Key::AttemptTimeout)
}

/// The key that somebody who writes `name` means.
pub fn meant_by(name: &str) -> Option<Key> {
    let lower = name.to_lowercase();
    let lower = lower.trim_start_matches("r#");
    if let Some((_, key)) = ALIASES.iter().find(|(alias, _)| *alias == lower) {
        return Some(*key);
    }
    // As far as a slip of the finger: one letter in three.
    KEYS.iter()
        .map(|(known, key)| (distance(lower, known), known.len(), *key))
        .filter(|(distance, length, _)| *distance <= length.max(&3) / 3)
        .min_by_key(|(distance, ..)| *distance)
        .map(|(.., key)| key)
        .or_else(|| prefix_of(lower))
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
