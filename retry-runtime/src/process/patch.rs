//! Partial settings merged over an exit policy.

use core::time::Duration;
use std::borrow::Cow;

use super::{ExitPolicy, rules};
use crate::config::patch;
use crate::config_error::ConfigError;
use crate::policy::{Policy, PolicyPatch};

patch! {
    /// Changes to an [`ExitPolicy`]: every field optional. A present field replaces the old value,
    /// a list as a whole; an absent one changes nothing.
    ///
    /// ```
    /// use retry_runtime::PolicyPatch;
    /// use retry_runtime::process::{ExitPolicy, ExitPolicyPatch};
    ///
    /// let step = ExitPolicyPatch::new()
    ///     .policy(PolicyPatch::new().attempts(3))
    ///     .non_retryable_exit_codes([64, 78]);
    /// let merged = ExitPolicy::DEFAULT.merge(&step)?;
    /// assert_eq!(merged.policy().attempts(), Some(3));
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
    pub struct ExitPolicyPatch {
        parts { policy: PolicyPatch, }
        own {
            non_retryable_exit_codes: Vec<i32> = rules::ExitCodes,
            stop_signals: Vec<i32> = rules::StopSignals,
            hint_cap: Duration = rules::HintCap,
        }
    }
}

impl ExitPolicyPatch {
    /// Changes to the attempts, the schedule and the time limit.
    #[must_use]
    pub fn policy(mut self, policy: PolicyPatch) -> ExitPolicyPatch {
        self.policy = policy;
        self
    }

    /// The final exit codes, instead of those of the layer below. With an empty list every code but
    /// 0 is retried.
    #[must_use]
    pub fn non_retryable_exit_codes(mut self, codes: impl Into<Vec<i32>>) -> ExitPolicyPatch {
        self.non_retryable_exit_codes = Some(codes.into());
        self
    }

    /// The numbers of the final signals, instead of those of the layer below. With an empty list a
    /// process killed by a signal is always run again.
    #[must_use]
    pub fn stop_signals(mut self, signals: impl Into<Vec<i32>>) -> ExitPolicyPatch {
        self.stop_signals = Some(signals.into());
        self
    }

    /// The longest hint. Zero: hints are ignored.
    #[must_use]
    pub const fn hint_cap(mut self, cap: Duration) -> ExitPolicyPatch {
        self.hint_cap = Some(cap);
        self
    }

    /// Checks what can be checked without the layer below.
    ///
    /// # Errors
    ///
    /// One error for all fields which no base could make valid.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let mut errors = ConfigError::none();
        self.valid_part(&mut errors).policy.check_order(&mut errors);
        errors.into_result()
    }
}

impl ExitPolicy {
    /// This policy with the changes of `over`.
    ///
    /// # Errors
    ///
    /// One error for all fields which are invalid, alone or after merging.
    pub fn merge(&self, over: &ExitPolicyPatch) -> Result<ExitPolicy, ConfigError> {
        let mut errors = ConfigError::none();
        let merged = self.overlay(&over.valid_part(&mut errors), &mut errors);
        errors.into_result()?;
        Ok(merged)
    }

    /// This policy with a patch whose fields are valid by themselves; those that were not are
    /// noted in `errors`, and the result is not used.
    fn overlay(&self, over: &ExitPolicyPatch, errors: &mut ConfigError) -> ExitPolicy {
        self.with(self.policy.overlay(&over.policy, errors), over)
    }

    /// This policy with `policy` and the other fields of a patch.
    pub(super) fn with(&self, policy: Policy, over: &ExitPolicyPatch) -> ExitPolicy {
        let list = |over: &Option<Vec<i32>>, base: &Cow<'static, [i32]>| match over {
            Some(list) => Cow::Owned(list.clone()),
            None => base.clone(),
        };
        ExitPolicy {
            policy,
            non_retryable: list(&over.non_retryable_exit_codes, &self.non_retryable),
            stop_signals: list(&over.stop_signals, &self.stop_signals),
            hint_cap: over.hint_cap.unwrap_or(self.hint_cap),
        }
    }

    /// The patch that makes this policy of any other.
    #[cfg(feature = "serde")]
    pub(super) fn as_patch(&self) -> ExitPolicyPatch {
        ExitPolicyPatch {
            policy: self.policy.as_patch(),
            non_retryable_exit_codes: Some(self.non_retryable.to_vec()),
            stop_signals: Some(self.stop_signals.to_vec()),
            hint_cap: Some(self.hint_cap),
        }
    }
}
