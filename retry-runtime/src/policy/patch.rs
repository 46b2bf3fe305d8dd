//! Partial settings of a policy, and what can be checked of them alone.

use core::time::Duration;

use super::rules;
use crate::backoff::Jitter;
use crate::config::patch;
use crate::config_error::ConfigError;

patch! {
    /// Changes to a [`Policy`](crate::Policy): every field optional. A present field wins, an
    /// absent one changes nothing; an explicit zero is a mistake, not "unset".
    ///
    /// ```
    /// use retry_runtime::{Policy, PolicyPatch};
    /// use std::time::Duration;
    ///
    /// let base = Policy::new(4).within(Duration::from_secs(30));
    /// let merged = base.merge(&PolicyPatch::new().attempts(2))?;
    /// assert_eq!(merged, Policy::new(2).within(Duration::from_secs(30)));
    ///
    /// let error = base.merge(&PolicyPatch::new().backoff("expo").attempts(0)).unwrap_err();
    /// assert!(error.to_string().contains("exponential"));
    /// assert_eq!(error.fields().count(), 2);
    /// # Ok::<(), retry_runtime::ConfigError>(())
    /// ```
    ///
    /// # In a configuration
    ///
    /// With the feature `serde` a patch is read from any format that knows its own
    /// types, and written to it:
    ///
    /// | name&nbsp;in&nbsp;a&nbsp;file | value |
    /// |---|---|
    /// | `attempts` | 1 to 4294967294, the first included, or `"unlimited"` |
    /// | `backoff` | `"exponential"` (or `"exp"`), `"linear"`, `"constant"`, `"none"` |
    /// | `initial` | the first delay, and that of the constant curve |
    /// | `max` | the cap of a rising curve |
    /// | `factor` | of the exponential curve, 1 to 1000: 2 by default |
    /// | `jitter` | `"none"`, `"full"`, `{ subtract = 0.25 }`, `{ add = 0.2 }` |
    /// | `seed` | the seed of the draws, a whole number |
    /// | `within` | the time limit of a call, or `"none"` |
    ///
    /// Durations are text with units up to the hour, such as `"250ms"` or `"1m 30s"`: a bare number
    /// is a mistake. A number may be text, because an environment variable is. Names and words are
    /// compared exactly. Every mistake is in the one error, with the value found and the allowed
    /// values: a wrong type, an unknown name, a value out of its range, a name twice in a JSON
    /// text.
    ///
    /// A [`Policy`](crate::Policy) is read in the same way; there `attempts` is required.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] {
    /// use retry_runtime::{Policy, PolicyPatch};
    ///
    /// let service: PolicyPatch = toml::from_str(r#"initial = "250ms""#).unwrap();
    /// let policy = Policy::new(4).merge(&service).unwrap();
    /// # assert_eq!(policy.schedule().curve(1).as_millis(), 250);
    ///
    /// let error = toml::from_str::<PolicyPatch>("initial = 250\nretries = 3").unwrap_err();
    /// assert!(error.message().contains("`initial` is 250, allowed: a duration"));
    /// assert!(error.message().contains("`retries` is no known name, allowed: attempts"));
    /// # }
    /// ```
    pub struct PolicyPatch {
        own {
            attempts: Option<u32> = rules::Attempts,
            backoff: String = rules::Curve,
            initial: Duration = rules::Initial,
            max: Duration = rules::Max,
            factor: f64 = rules::Factor,
            jitter: Jitter = rules::Spread,
            seed: u64 = rules::Seed,
            within: Option<Duration> = rules::Within,
        }
    }
}

impl PolicyPatch {
    /// Total calls, the first included: 1 to 4294967294.
    #[must_use]
    pub const fn attempts(mut self, attempts: u32) -> PolicyPatch {
        self.attempts = Some(Some(attempts));
        self
    }

    /// No limit by count, even if the layer below has one: see [`Policy::unlimited`](crate::Policy::unlimited).
    #[must_use]
    pub const fn unlimited(mut self) -> PolicyPatch {
        self.attempts = Some(None);
        self
    }

    /// The curve: `exponential` (or `exp`), `linear`, `constant` or `none`. It
    /// changes the curve alone and keeps the jitter.
    #[must_use]
    pub fn backoff(mut self, name: impl Into<String>) -> PolicyPatch {
        self.backoff = Some(name.into());
        self
    }

    /// The first delay, and the delay of the constant curve.
    #[must_use]
    pub const fn initial(mut self, initial: Duration) -> PolicyPatch {
        self.initial = Some(initial);
        self
    }

    /// The cap of a rising curve.
    #[must_use]
    pub const fn max(mut self, max: Duration) -> PolicyPatch {
        self.max = Some(max);
        self
    }

    /// The factor of the exponential curve, 1 to 1000: see [`Backoff::factor`](crate::Backoff::factor).
    #[must_use]
    pub const fn factor(mut self, factor: f64) -> PolicyPatch {
        self.factor = Some(factor);
        self
    }

    /// The jitter.
    #[must_use]
    pub const fn jitter(mut self, jitter: Jitter) -> PolicyPatch {
        self.jitter = Some(jitter);
        self
    }

    /// The seed of the draws: see [`Backoff::seed`](crate::Backoff::seed).
    #[must_use]
    pub const fn seed(mut self, seed: u64) -> PolicyPatch {
        self.seed = Some(seed);
        self
    }

    /// The time limit of a call.
    #[must_use]
    pub const fn within(mut self, limit: Duration) -> PolicyPatch {
        self.within = Some(Some(limit));
        self
    }

    /// No time limit, even if the layer below has one.
    #[must_use]
    pub const fn without_time_limit(mut self) -> PolicyPatch {
        self.within = Some(None);
        self
    }

    /// Checks what can be checked without the layer below.
    ///
    /// # Errors
    ///
    /// One error for all fields which no base could make valid.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let mut errors = ConfigError::none();
        self.valid_part(&mut errors).check_order(&mut errors);
        errors.into_result()
    }

    /// Notes a cap that is below the first delay of the same patch.
    pub(crate) fn check_order(&self, errors: &mut ConfigError) {
        if let (Some(initial), Some(max)) = (self.initial, self.max) {
            if max < initial {
                errors.add("max", &format_args!("{max:?}"), rules::at_least_initial(initial));
            }
        }
    }
}
