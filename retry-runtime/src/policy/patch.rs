//! Partial settings merged over a policy, and their validation.

use core::num::NonZeroU32;
use core::time::Duration;

use super::{Policy, rules};
use crate::backoff::{Backoff, Curve, Jitter, thousandths};
use crate::config::{Rule, patch};
use crate::config_error::ConfigError;

patch! {
    /// Changes to a [`Policy`]: every field optional. A field that is present wins,
    /// one that is absent leaves what is there; an explicit zero is a mistake, not
    /// "unset".
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
    /// | name | value |
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
    /// Durations are text with units up to the hour, such as `"250ms"` or `"1m 30s"`: a bare
    /// number is a mistake. A number may be text, because an environment variable is. Names and
    /// words are compared exactly. Every mistake is in the one error, with the value
    /// that was found and what is allowed: a wrong type, a name that is not known, a
    /// value out of its range, a name that a JSON text has twice.
    ///
    /// A [`Policy`] is read in the same way; there `attempts` is required.
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

    /// No limit by count, even if the layer below has one: see [`Policy::unlimited`].
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

    /// The factor of the exponential curve, 1 to 1000: see [`Backoff::factor`].
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

    /// The seed of the draws: see [`Backoff::seed`].
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
    /// One error that names every field that no base could make valid.
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

impl Policy {
    /// This policy with the changes of `over`. Layers chain: a library's default,
    /// a service's file, a dependency's section.
    ///
    /// ```
    /// use retry_runtime::{Backoff, Policy, PolicyPatch};
    /// use std::time::Duration;
    ///
    /// let library = Policy::new(3);
    /// let service = PolicyPatch::new().attempts(5).within(Duration::from_secs(30));
    /// let payments = PolicyPatch::new().backoff("linear").initial(Duration::from_secs(1));
    /// let policy = library.merge(&service)?.merge(&payments)?;
    ///
    /// assert_eq!(policy.attempts(), Some(5)); // the service's
    /// assert_eq!(policy.schedule().curve(2), Duration::from_secs(2)); // the dependency's
    /// # Ok::<(), retry_runtime::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// One error that names every field that is invalid, alone or together with
    /// what it is merged into.
    pub fn merge(&self, over: &PolicyPatch) -> Result<Policy, ConfigError> {
        let mut errors = ConfigError::none();
        let valid = over.valid_part(&mut errors);
        let merged = self.overlay(&valid, &mut errors);
        errors.into_result()?;
        Ok(merged)
    }

    /// This policy with a patch whose fields are valid by themselves; those that
    /// were not are noted in `errors`, and nothing is claimed of them here.
    pub(crate) fn overlay(&self, over: &PolicyPatch, errors: &mut ConfigError) -> Policy {
        let base = self.backoff;
        let named = over.backoff.as_deref().and_then(rules::Curve::named);
        let curve = named.unwrap_or(base.curve);
        let rises = matches!(curve, Curve::Exponential | Curve::Linear);
        let initial = over.initial.unwrap_or(base.initial);
        let max = match over.max {
            Some(max) => max,
            None if rises => base.max,
            None => base.max.max(initial),
        };

        // What the base lacks for the curve that it is given; its own curve is
        // valid as it is.
        let is_wrong = |field| errors.fields().any(|wrong| wrong == field);
        let [backoff_wrong, initial_wrong, max_wrong] = ["backoff", "initial", "max"].map(is_wrong);
        let new_curve = curve != base.curve && curve != Curve::None;
        let lacks = |field: Option<Duration>, wrong: bool, value: Duration| {
            new_curve && field.is_none() && !wrong && value.is_zero()
        };
        if lacks(over.initial, initial_wrong, initial) {
            errors.add("initial", &"missing", rules::Initial::ALLOWED);
        }
        if rises && lacks(over.max, max_wrong, max) {
            errors.add("max", &"missing", rules::Max::ALLOWED);
        } else if backoff_wrong || initial_wrong || max_wrong {
            // What the values are together cannot be told.
        } else if over.initial.is_some() && over.max.is_some() {
            over.check_order(errors);
        } else if rises && max < initial {
            let (initial_found, max_found) = (format!("{initial:?}"), format!("{max:?}"));
            match over.max {
                Some(_) => errors.add("max", &max_found, rules::at_least_initial(initial)),
                None => errors.add("initial", &initial_found, rules::at_most_max(max)),
            }
        }
        let factor = match over.factor {
            None => base.factor,
            Some(factor) => {
                if curve != Curve::Exponential && !backoff_wrong {
                    errors.add("factor", &factor, rules::Factor::ALLOWED);
                }
                thousandths(factor)
            }
        };
        let (jitter, seed) = (over.jitter.unwrap_or(base.jitter), over.seed.or(base.seed));
        Policy {
            attempts: match over.attempts {
                Some(attempts) => attempts.and_then(NonZeroU32::new),
                None => self.attempts,
            },
            backoff: Backoff { curve, initial, max, factor, jitter, seed },
            within: over.within.unwrap_or(self.within),
        }
    }

    /// As [`overlay`](Policy::overlay), for a policy that is read as a whole: one without a
    /// wait has no delays that a layer above could come back to, so that it is read as it was
    /// written.
    #[cfg(feature = "serde")]
    pub(crate) fn overlay_whole(&self, over: &PolicyPatch, errors: &mut ConfigError) -> Policy {
        let mut base = *self;
        if over.backoff.as_deref().and_then(rules::Curve::named) == Some(Curve::None) {
            let (curve, zero) = (Curve::None, Duration::ZERO);
            base.backoff = Backoff { curve, initial: zero, max: zero, ..base.backoff };
        }
        base.overlay(over, errors)
    }

    /// The patch that makes this policy of any other.
    #[cfg(feature = "serde")]
    pub(crate) fn as_patch(&self) -> PolicyPatch {
        let Backoff { curve, initial, max, factor, jitter, seed } = self.backoff;
        PolicyPatch {
            attempts: Some(self.attempts()),
            backoff: Some(rules::Curve::name(curve).to_owned()),
            // A schedule without a wait has neither.
            initial: Some(initial).filter(|delay| !delay.is_zero()),
            max: Some(max).filter(|delay| !delay.is_zero()),
            factor: (curve == Curve::Exponential).then_some(f64::from(factor) / 1000.0),
            jitter: Some(jitter),
            seed,
            within: Some(self.within),
        }
    }
}
