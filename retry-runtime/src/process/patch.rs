//! A layer of settings over an exit policy.

use core::time::Duration;
use std::borrow::Cow;

use super::ExitPolicy;
use crate::{ConfigError, PolicyPatch};

pub(super) const EXIT_CODES: &str = "a list of exit codes other than 0, which is success";
pub(super) const STOP_SIGNALS: &str = "a list of signals: numbers from 1 to 127, or HUP, INT, QUIT, ABRT, KILL, ALRM, TERM with or without SIG";
#[cfg(feature = "serde")]
pub(super) const HINT_CAP: &str = "a duration with its unit, such as \"5m\"";

/// Changes to an [`ExitPolicy`]: every field optional. A field that is present
/// replaces what is there, a list as a whole; one that is absent leaves it.
///
/// ```
/// use retry_runtime::PolicyPatch;
/// use retry_runtime::process::{ExitPolicy, ExitPolicyPatch};
///
/// let step = ExitPolicyPatch::new()
///     .policy(PolicyPatch::new().attempts(3))
///     .non_retryable_exit_codes([64, 78]);
/// let merged = ExitPolicy::DEFAULT.merge(&step)?;
/// assert_eq!(merged.policy().attempts(), 3);
/// assert!(!merged.is_retryable_exit(64));
/// # Ok::<(), retry_runtime::ConfigError>(())
/// ```
///
/// In a configuration (feature `serde`) all names are in one section: those of a
/// [`PolicyPatch`], `non_retryable_exit_codes`, `stop_signals` (numbers or names) and
/// `hint_cap`. A list may be text with commas, for environment variables. An
/// [`ExitPolicy`] is read in the same way, as changes to its default.
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use retry_runtime::process::ExitPolicy;
///
/// let steps: ExitPolicy = toml::from_str(r#"
///     attempts = 3
///     initial = "2s"
///     non_retryable_exit_codes = [64, 78]
///     stop_signals = ["INT", "TERM"]
///     hint_cap = "1m"
/// "#).unwrap();
/// assert!(!steps.is_retryable_exit(64));
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExitPolicyPatch {
    pub(super) policy: PolicyPatch,
    pub(super) non_retryable: Option<Vec<i32>>,
    pub(super) stop_signals: Option<Vec<i32>>,
    pub(super) hint_cap: Option<Duration>,
}

impl ExitPolicyPatch {
    /// No change.
    #[must_use]
    pub const fn new() -> ExitPolicyPatch {
        ExitPolicyPatch {
            policy: PolicyPatch::new(),
            non_retryable: None,
            stop_signals: None,
            hint_cap: None,
        }
    }

    /// Changes to the attempts, the schedule and the time limit.
    #[must_use]
    pub fn policy(mut self, policy: PolicyPatch) -> ExitPolicyPatch {
        self.policy = policy;
        self
    }

    /// The exit codes that are final, instead of those of the layer below. None at
    /// all: every code but 0 is worth another run.
    #[must_use]
    pub fn non_retryable_exit_codes(mut self, codes: impl Into<Vec<i32>>) -> ExitPolicyPatch {
        self.non_retryable = Some(codes.into());
        self
    }

    /// The numbers of the signals that are final, instead of those of the layer
    /// below. None at all: a process that a signal killed is always run again.
    #[must_use]
    pub fn stop_signals(mut self, signals: impl Into<Vec<i32>>) -> ExitPolicyPatch {
        self.stop_signals = Some(signals.into());
        self
    }

    /// How much of a hint counts. Zero: hints are ignored.
    #[must_use]
    pub const fn hint_cap(mut self, cap: Duration) -> ExitPolicyPatch {
        self.hint_cap = Some(cap);
        self
    }

    /// Checks what can be checked without the layer below.
    ///
    /// # Errors
    ///
    /// One error that names every field that no base could make valid.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let mut errors = ConfigError::none();
        self.policy.valid_part(&mut errors).check_order(&mut errors);
        self.check_lists(&mut errors);
        errors.into_result()
    }

    fn check_lists(&self, errors: &mut ConfigError) {
        if let Some(codes) = self.non_retryable.as_ref().filter(|codes| codes.contains(&0)) {
            errors.add("non_retryable_exit_codes", &format_args!("{codes:?}"), EXIT_CODES);
        }
        let is_no_signal = |signal: &i32| !(1..=127).contains(signal);
        if let Some(signals) = self.stop_signals.as_ref().filter(|all| all.iter().any(is_no_signal))
        {
            errors.add("stop_signals", &format_args!("{signals:?}"), STOP_SIGNALS);
        }
    }
}

impl ExitPolicy {
    /// This policy with the changes of `over`.
    ///
    /// # Errors
    ///
    /// One error that names every field that is invalid, alone or together with
    /// what it is merged into.
    pub fn merge(&self, over: &ExitPolicyPatch) -> Result<ExitPolicy, ConfigError> {
        let mut errors = ConfigError::none();
        let valid = over.policy.valid_part(&mut errors);
        let policy = self.policy.overlay(&valid, &mut errors);
        over.check_lists(&mut errors);
        errors.into_result()?;
        Ok(self.with(policy, over))
    }

    /// This policy with `policy` and the lists of a patch that is valid.
    pub(super) fn with(&self, policy: crate::Policy, over: &ExitPolicyPatch) -> ExitPolicy {
        let list = |over: &Option<Vec<i32>>, base: &Cow<'static, [i32]>| match over {
            Some(list) => Cow::Owned(list.clone()),
            None => base.clone(),
        };
        ExitPolicy {
            policy,
            non_retryable: list(&over.non_retryable, &self.non_retryable),
            stop_signals: list(&over.stop_signals, &self.stop_signals),
            hint_cap: over.hint_cap.unwrap_or(self.hint_cap),
        }
    }
}
