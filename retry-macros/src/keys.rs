//! The keys of the attribute, and what people write instead of them.

use proc_macro2::Ident;

/// The table of keys, in the order of the documentation: the name, an example, what the
/// key takes, and its names elsewhere.
macro_rules! keys {
    ($($key:ident $name:literal $example:literal $takes:ident $aliases:expr;)*) => {
        /// A key of the attribute.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Key { $($key,)* }

        impl Key {
            pub const ALL: &[Key] = &[$(Key::$key,)*];

            pub fn name(self) -> &'static str {
                match self { $(Key::$key => $name,)* }
            }

            /// The key with a value, as somebody might write it.
            pub fn example(self) -> &'static str {
                match self { $(Key::$key => $example,)* }
            }

            pub fn takes(self) -> Takes {
                match self { $(Key::$key => Takes::$takes,)* }
            }

            /// Its names in other libraries and languages.
            fn aliases(self) -> &'static [&'static str] {
                match self { $(Key::$key => &$aliases,)* }
            }
        }
    };
}

/// The kind of value that a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// An expression, which may be a literal.
    Expression,
    /// An expression that no literal can be.
    Object,
    /// A literal with a unit, or an expression.
    Duration,
    /// A name that the attribute binds.
    Name,
    /// Names in parentheses, without `=`.
    List,
    /// Nothing: the word alone.
    Nothing,
    /// Nothing, a name in parentheses, or a function.
    Reason,
    /// An absolute path.
    Path,
}

keys! {
    Attempts "attempts" "attempts = 4" Expression
        ["max_attempts", "times", "tries", "max_tries", "count", "limit", "max", "n"];
    Budget "budget" "budget = PAYMENTS" Expression ["throttle", "bucket"];
    Classify "classify" "classify = classify_http" Expression ["classifier"];
    ClassifyErr "classify_err" "classify_err = classify_io" Expression [];
    Retrier "retrier" "retrier = PAYMENTS" Object [];
    Schedule "schedule" "schedule = Backoff::exponential(100ms, 10s)" Expression [
        "wait", "backoff", "delay", "interval", "strategy", "sleep", "exponential", "initial",
        "initial_delay", "initial_interval", "base_delay", "min_delay",
        "max_delay", "max_interval", "wait_initial", "wait_max", "max_wait", "min_wait", "wait_fixed",
        "wait_exponential", "retry_delay",
    ];
    Within "within" "within = 30s" Duration
        ["max_elapsed", "max_elapsed_time", "max_duration", "max_time", "total", "total_timeout"];
    Deadline "deadline" "deadline = request.deadline" Object [];
    Cancel "cancel" "cancel = self.shutdown.cancelled()" Object ["token", "cancellation"];
    Policy "policy" "policy = POLICY" Object ["config"];
    Clone "clone" "clone(request)" List [];
    Attempt "attempt" "attempt = attempt" Name [];
    Observe "observe" "observe = log_event" Expression
        ["notify", "on_retry", "callback", "hook", "before_sleep", "listener"];
    Name "name" "name = \"payments.charge\"" Expression ["label"];
    Blocking "blocking" "blocking" Nothing ["sync", "block"];
    Err "err" "err" Reason ["error", "log_error", "reason"];
    Timer "timer" "timer = SmolTimer" Object ["clock", "sleeper", "executor", "runtime"];
    AttemptTimeout "attempt_timeout" "attempt_timeout = 2s" Duration
        ["per_attempt_timeout", "timeout_per_attempt", "try_timeout", "per_try_timeout"];
    OnTimeout "on_timeout" "on_timeout = Err(ClientError::Timeout)" Expression
        ["timeout_error", "on_elapsed"];
    Crate "crate" "crate = ::retry_runtime" Path [];
}

impl Key {
    pub fn named(name: &str) -> Option<Key> {
        Key::ALL.iter().copied().find(|key| key.name() == name)
    }

    /// Whether the key is about one function, so that an `impl` cannot hold it for many.
    pub fn is_of_one_function(self) -> bool {
        matches!(self, Key::Name | Key::Clone | Key::Attempt | Key::Blocking)
    }

    /// The keys that say the same in other words, itself among them: one that a method
    /// has replaces all that its `impl` has.
    pub fn group(&self) -> &[Key] {
        match self {
            Key::Classify | Key::ClassifyErr => &[Key::Classify, Key::ClassifyErr],
            Key::Policy | Key::Retrier => &[Key::Policy, Key::Retrier],
            key => std::slice::from_ref(key),
        }
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
    /// How fast the waits grow.
    Factor,
    /// The time of the call, or that of each attempt.
    Timeout,
}

/// Names from other libraries and languages that are no single key here.
const CONCEPTS: &[(Meant, &[&str])] = &[
    (Meant::Retries, &["retries", "max_retries", "retry_count", "num_retries", "max_times"]),
    (
        Meant::Condition,
        &[
            "when",
            "on",
            "if",
            "retry_if",
            "retry_on",
            "retry_when",
            "retry_for",
            "retry_error",
            "retry_result",
            "retryable",
            "predicate",
            "condition",
            "exceptions",
            "include",
            "exclude",
        ],
    ),
    (Meant::Verdict, &["idempotent", "retry_after", "respect_retry_after", "status", "statuses"]),
    (
        Meant::Jitter,
        &["jitter", "wait_jitter", "with_jitter", "jitter_factor", "randomization_factor"],
    ),
    (
        Meant::Factor,
        &["factor", "multiplier", "exponent", "growth", "wait_exp_base", "exp_base", "base"],
    ),
    (Meant::Timeout, &["timeout"]),
];

impl Meant {
    /// The keys that do it here.
    pub fn keys(self) -> Vec<Key> {
        match self {
            Meant::Key(key) => vec![key],
            Meant::Retries => vec![Key::Attempts],
            Meant::Condition | Meant::Verdict => vec![Key::Classify],
            Meant::Jitter | Meant::Factor => vec![Key::Schedule],
            Meant::Timeout => vec![Key::Within, Key::AttemptTimeout],
        }
    }
}

/// What somebody who writes `name` means.
pub fn meant_by(name: &str) -> Option<Meant> {
    let lower = name.to_lowercase();
    let lower = lower.trim_start_matches("r#");
    if let Some((meant, _)) = CONCEPTS.iter().find(|(_, names)| names.contains(&lower)) {
        return Some(*meant);
    }
    let keys = || Key::ALL.iter().copied();
    // As far as a slip of the finger: one letter in three.
    let slip = |key: Key| {
        let distance = distance(lower, key.name())?;
        (distance <= key.name().len().max(3) / 3).then_some((distance, key))
    };
    // A key that `name` begins, as somebody who is still typing writes it.
    let begins = |key: &Key| lower.len() >= 2 && key.name().starts_with(lower);
    keys()
        .find(|key| key.aliases().contains(&lower))
        .or_else(|| {
            keys().filter_map(slip).min_by_key(|(distance, _)| *distance).map(|(_, key)| key)
        })
        .or_else(|| keys().find(begins))
        .map(Meant::Key)
}

/// Whether a word is what others call `unlimited`, and surely no constant.
pub fn means_unlimited(word: &Ident) -> bool {
    const WORDS: &[&str] =
        &["infinite", "infinity", "forever", "endless", "none", "None", "Infinite", "Unlimited"];
    WORDS.iter().any(|other| word == other)
}

/// How many letters must be inserted, removed, replaced or swapped with their
/// neighbour to make `a` of `b` (optimal string alignment); `None` if their lengths
/// alone tell them apart.
fn distance(a: &str, b: &str) -> Option<usize> {
    if a.len() > 2 * b.len() {
        return None;
    }
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
    Some(last[b.len()])
}
