//! Partial settings merged over a policy, checked together with what they are merged into.

use core::num::NonZeroU32;
use core::time::Duration;

use super::{Policy, PolicyPatch, rules};
use crate::backoff::{Backoff, Curve, thousandths};
use crate::config::Rule;
use crate::config_error::ConfigError;

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
    /// One error for all fields which are invalid, alone or after merging.
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
