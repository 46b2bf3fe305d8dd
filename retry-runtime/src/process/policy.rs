//! The settings for retrying processes, and the waits that they make.

use core::time::Duration;
use std::borrow::Cow;

use crate::backoff::{Backoff, Jitter};
use crate::policy::Policy;
use crate::schedule::Schedule;

/// The longest wait by a hint unless a setting says otherwise: five
/// minutes. A server knows its own window best, up to a point: a proxy that
/// answers `retry-after: 86400` must not hang a pipeline for a day.
pub const HINT_CAP: Duration = Duration::from_secs(300);

/// HUP, INT and TERM: what a terminal, a person and a supervisor send to end a
/// program (systemd counts all three as a clean end). POSIX fixes the numbers.
const STOP_SIGNALS: &[i32] = &[1, 2, 15];

const DEFAULT_POLICY: Policy = Policy::new(8).backoff(
    Backoff::exponential(Duration::from_secs(1), Duration::from_secs(60)).jitter(Jitter::Add(0.2)),
);

/// Attempts and waits of a process, and its final exit codes.
///
/// ```
/// use retry_runtime::process::ExitPolicy;
/// use std::time::Duration;
///
/// let steps = ExitPolicy::DEFAULT;
/// assert_eq!(steps.policy().attempts(), Some(8));
/// let waits: Vec<u64> = (1..=8).map(|n| steps.backoff_for(n).as_secs()).collect();
/// assert_eq!(waits, [0, 1, 2, 4, 8, 16, 32, 60]);
/// assert!(steps.is_retryable_exit(1));
/// assert!(!steps.is_retryable_exit(78));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ExitPolicy {
    pub(super) policy: Policy,
    pub(super) non_retryable: Cow<'static, [i32]>,
    pub(super) stop_signals: Cow<'static, [i32]>,
    pub(super) hint_cap: Duration,
}

impl ExitPolicy {
    /// 8 attempts, the first included; exponential from 1 s to 60 s with 0 to 20 % added; exit code
    /// 78 is final; a hint counts up to [`HINT_CAP`]. This is enough for a rate limit or an
    /// overload of two minutes.
    ///
    /// 78 is `EX_CONFIG` of `sysexits.h`: a wrong configuration, which another run
    /// finds again.
    pub const DEFAULT: ExitPolicy = ExitPolicy::new(DEFAULT_POLICY);

    /// As [`DEFAULT`](ExitPolicy::DEFAULT), for programs that keep to the exit
    /// codes of `sysexits.h`: those that another run cannot change are final
    /// (64 usage, 65 data, 66 no input, 67 no user, 72 system file, 73 cannot
    /// create, 77 no permission, 78 configuration), and so are 126 and 127, with
    /// which a shell says that it could not run a command.
    pub const SYSEXITS: ExitPolicy =
        ExitPolicy::of(DEFAULT_POLICY, &[64, 65, 66, 67, 72, 73, 77, 78, 126, 127]);

    /// `policy` for the attempts and the waits, everything else as in
    /// [`DEFAULT`](ExitPolicy::DEFAULT).
    #[must_use]
    pub const fn new(policy: Policy) -> ExitPolicy {
        ExitPolicy::of(policy, &[78])
    }

    const fn of(policy: Policy, non_retryable: &'static [i32]) -> ExitPolicy {
        ExitPolicy {
            policy,
            non_retryable: Cow::Borrowed(non_retryable),
            stop_signals: Cow::Borrowed(STOP_SIGNALS),
            hint_cap: HINT_CAP,
        }
    }

    /// The attempts, the schedule and the time limit: what a
    /// [`Call`](crate::Call) is started from.
    #[must_use]
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The exit codes after which the process is not run again.
    #[must_use]
    pub fn non_retryable_exit_codes(&self) -> &[i32] {
        &self.non_retryable
    }

    /// The signals by which somebody asks for a stop: a process killed by one of them is not run
    /// again.
    #[must_use]
    pub fn stop_signals(&self) -> &[i32] {
        &self.stop_signals
    }

    /// The longest hint that counts.
    #[must_use]
    pub const fn hint_cap(&self) -> Duration {
        self.hint_cap
    }

    /// Makes the jitter of [`policy`](ExitPolicy::policy) a pure function of the seed and the
    /// attempt, so a resumed pipeline waits as it did before. The seed must differ between steps
    /// that may fail together.
    ///
    /// ```
    /// use retry_runtime::process::ExitPolicy;
    /// use retry_runtime::{Schedule, seed_from};
    ///
    /// let seed = seed_from("pipeline/build");
    /// let steps = ExitPolicy::DEFAULT.seed(seed);
    /// let after_first = steps.policy().schedule().delay(1);
    /// assert_eq!(after_first, steps.effective_backoff(2, None, seed));
    /// ```
    #[must_use]
    pub fn seed(mut self, seed: u64) -> ExitPolicy {
        self.policy.backoff = self.policy.backoff.seed(seed);
        self
    }

    /// Whether the process is run again after it exited with `code`: not after 0,
    /// which is a success, and not after a code in
    /// [`non_retryable_exit_codes`](ExitPolicy::non_retryable_exit_codes).
    #[must_use]
    pub fn is_retryable_exit(&self, code: i32) -> bool {
        code != 0 && !self.non_retryable.contains(&code)
    }

    /// The curve's wait before attempt `attempt`, counted from 1: none before the
    /// first, `initial` before the second.
    #[must_use]
    pub fn backoff_for(&self, attempt: u32) -> Duration {
        match attempt {
            0 | 1 => Duration::ZERO,
            _ => self.policy.backoff.curve(attempt - 1),
        }
    }

    /// The wait before attempt `attempt`, counted from 1: the longer of the curve
    /// and the hint (up to the cap), and the jitter on top. With additive jitter it
    /// is never less than either, so a server's hint is never undershot. Before
    /// attempt 1 there is no curve; a hint is honoured there too.
    ///
    /// It depends on nothing but the arguments: the same wait on every machine.
    ///
    /// ```
    /// use retry_runtime::process::ExitPolicy;
    /// use std::time::Duration;
    ///
    /// let steps = ExitPolicy::DEFAULT;
    /// let hint = Duration::from_secs(30);
    /// let wait = steps.effective_backoff(2, Some(hint), 42);
    /// assert!(wait >= hint && wait < hint.mul_f64(1.2));
    /// assert_eq!(wait, steps.effective_backoff(2, Some(hint), 42));
    /// ```
    #[must_use]
    pub fn effective_backoff(&self, attempt: u32, hint: Option<Duration>, seed: u64) -> Duration {
        let floor = self.honoured(hint);
        match attempt {
            0 | 1 => {
                let hint_alone = Backoff::none().jitter(self.policy.backoff.jitter);
                hint_alone.seed(seed).delay_at_least(1, floor)
            }
            _ => self.policy.backoff.seed(seed).delay_at_least(attempt - 1, floor),
        }
    }

    /// How much of `hint` counts; zero without one.
    pub(super) fn honoured(&self, hint: Option<Duration>) -> Duration {
        hint.map_or(Duration::ZERO, |hint| hint.min(self.hint_cap))
    }
}

impl Default for ExitPolicy {
    /// [`ExitPolicy::DEFAULT`].
    fn default() -> ExitPolicy {
        ExitPolicy::DEFAULT
    }
}
