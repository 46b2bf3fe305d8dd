//! Partial settings merged over an HTTP policy, and their validation.

use core::time::Duration;

use super::statuses::is_status;
use super::{HttpPolicy, Methods, OverMax, ServerDelay, StatusSet, Switch, rules};
use crate::config::{Rule, patch};
use crate::config_error::ConfigError;
use crate::policy::{Policy, PolicyPatch, rules as policy_rules};

patch! {
    /// Changes to an [`HttpPolicy`]: every field optional. A present field wins, an absent one
    /// changes nothing. A patch is a set of changes, a policy is finished: to stay mergeable, a
    /// layer stays a patch.
    ///
    /// ```
    /// use retry_runtime::PolicyPatch;
    /// use retry_runtime::http::{HttpPolicy, HttpPolicyPatch};
    ///
    /// let service =
    ///     HttpPolicyPatch::new().policy(PolicyPatch::new().attempts(5)).statuses([429, 503]);
    /// let call = HttpPolicyPatch::new().policy(PolicyPatch::new().attempts(2));
    /// let policy = HttpPolicy::DEFAULT.merge(&service)?.merge(&call)?;
    /// assert_eq!(policy, HttpPolicy::DEFAULT.merge(&service.merge(&call))?);
    /// assert_eq!(policy.attempts, Some(2));
    /// assert_eq!(policy.statuses.iter().collect::<Vec<_>>(), [429, 503]);
    ///
    /// let wrong = HttpPolicyPatch::new()
    ///     .policy(PolicyPatch::new().attempts(0))
    ///     .statuses([20, 503]);
    /// let error = HttpPolicy::DEFAULT.merge(&wrong).unwrap_err();
    /// assert_eq!(error.fields().collect::<Vec<_>>(), ["attempts", "statuses"]);
    /// # Ok::<(), retry_runtime::ConfigError>(())
    /// ```
    ///
    /// # In a configuration
    ///
    /// With the feature `serde` all names are in one section: those of a [`PolicyPatch`] and
    /// those of the fields of [`HttpPolicy`]. Durations have units, a switch is `auto`, `yes`
    /// or `no`, statuses can be ranges, and a list may be text with commas, for environment
    /// variables. An [`HttpPolicy`] is read in the same way, as changes to its default.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] {
    /// use retry_runtime::http::HttpPolicy;
    ///
    /// let policy: HttpPolicy = toml::from_str(r#"
    ///     attempts = 4
    ///     initial = "250ms"
    ///     jitter = { add = 0.2 }
    ///     statuses = [429, "502-504"]
    ///     retry_timeout_errors = "no"
    ///     methods = "safe"
    ///     within = "none"
    /// "#).unwrap();
    /// assert_eq!(policy.statuses.iter().count(), 4);
    /// assert_eq!(policy.within, None);
    /// # }
    /// ```
    ///
    /// Four names of other libraries are read too, but not written: `max_retries` (one less than
    /// `attempts`), `backoff_initial` and `backoff_max` (where zero means no backoff), and
    /// `backoff_jitter` (a fraction, as `jitter = { subtract = f }`).
    pub struct HttpPolicyPatch {
        parts { policy: PolicyPatch, }
        same as HttpPolicy {
            retry_statuses: Switch = rules::Repeat,
            respect_retry_after: bool = rules::Flag,
            retry_after_min: Duration = rules::Bound,
            retry_after_max: Duration = rules::Bound,
            retry_after_over_max: OverMax = rules::Ceiling,
            retry_after_as: ServerDelay = rules::DelayAs,
            retry_connection_errors: Switch = rules::Repeat,
            retry_timeout_errors: Switch = rules::Repeat,
            retry_other_errors: Switch = rules::Repeat,
            retry_unsent: bool = rules::Flag,
            methods: Methods = rules::MethodSet,
        }
        own { statuses: Vec<u16> = rules::Statuses, }
    }
}

impl HttpPolicyPatch {
    /// Changes to the attempts, the schedule and the time limit.
    #[must_use]
    pub fn policy(mut self, policy: PolicyPatch) -> HttpPolicyPatch {
        self.policy = policy;
        self
    }

    /// Sets [`HttpPolicy::statuses`], in place of those of the layer below.
    #[must_use]
    pub fn statuses(mut self, statuses: impl IntoIterator<Item = u16>) -> HttpPolicyPatch {
        self.statuses = Some(statuses.into_iter().collect());
        self
    }

    /// Checks what can be checked without the layer below, for layers kept as patches.
    ///
    /// # Errors
    ///
    /// One error for all fields which no base could make valid.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let mut errors = ConfigError::none();
        self.valid_part(&mut errors).check_order(&mut errors);
        errors.into_result()
    }

    /// Notes bounds of this patch that do not go together.
    pub(super) fn check_order(&self, errors: &mut ConfigError) {
        self.policy.check_order(errors);
        if let (Some(min), Some(max)) = (self.retry_after_min, self.retry_after_max) {
            check_bounds(min, max, self, errors);
        }
    }
}

/// Of two bounds that do not go together, the one that `over` sets is named.
fn check_bounds(min: Duration, max: Duration, over: &HttpPolicyPatch, errors: &mut ConfigError) {
    if max >= min {
        return;
    }
    if over.retry_after_max.is_none() && over.retry_after_min.is_some() {
        let allowed = format!("at most `retry_after_max`, {max:?}");
        errors.add("retry_after_min", &format_args!("{min:?}"), allowed);
    } else {
        let allowed = format!("at least `retry_after_min`, {min:?}");
        errors.add("retry_after_max", &format_args!("{max:?}"), allowed);
    }
}

impl HttpPolicy {
    /// This policy with the changes of `over`. Layers chain: a library's default, a
    /// service's file, a call's own.
    ///
    /// # Errors
    ///
    /// One error for all fields which are invalid, alone or after merging.
    pub fn merge(&self, over: &HttpPolicyPatch) -> Result<HttpPolicy, ConfigError> {
        let mut errors = ConfigError::none();
        let valid = over.valid_part(&mut errors);
        let policy = self.policy().overlay(&valid.policy, &mut errors);
        let merged = self.with(policy, &valid, &mut errors);
        errors.into_result()?;
        Ok(merged)
    }

    /// This policy with `policy` and the other fields of a patch, which are valid by
    /// themselves; if a mistake was noted, the result is not used.
    pub(super) fn with(
        &self,
        policy: Policy,
        over: &HttpPolicyPatch,
        errors: &mut ConfigError,
    ) -> HttpPolicy {
        let mut merged = *self;
        over.apply(&mut merged);
        merged.attempts = policy.attempts();
        merged.backoff = policy.schedule();
        merged.within = policy.time_limit();
        if let Some(statuses) = &over.statuses {
            let valid = statuses.iter().filter(|status| is_status(**status));
            merged.statuses = valid.fold(StatusSet::EMPTY, |set, status| set.with(*status));
        }
        check_bounds(merged.retry_after_min, merged.retry_after_max, over, errors);
        merged
    }

    /// Checks a policy whose fields were set by hand.
    ///
    /// # Errors
    ///
    /// One error for all fields out of their range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let mut errors = ConfigError::none();
        if self.attempts == Some(0) {
            errors.add("attempts", &0, policy_rules::Attempts::ALLOWED);
        }
        HttpPolicyPatch::of(self).check_order(&mut errors);
        errors.into_result()
    }

    /// The patch that makes this policy of any other.
    #[cfg(feature = "serde")]
    pub(super) fn as_patch(&self) -> HttpPolicyPatch {
        HttpPolicyPatch {
            policy: self.policy().as_patch(),
            statuses: Some(self.statuses.iter().collect()),
            ..HttpPolicyPatch::of(self)
        }
    }
}
