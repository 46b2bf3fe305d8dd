//! A layer of settings over a policy, and what makes the sum of both valid.

use core::time::Duration;

use crate::backoff::{Curve, Jitter};
use crate::{Backoff, ConfigError, Policy};

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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolicyPatch {
    pub(crate) attempts: Option<u32>,
    pub(crate) backoff: Option<String>,
    pub(crate) initial: Option<Duration>,
    pub(crate) max: Option<Duration>,
    pub(crate) jitter: Option<Jitter>,
    /// `Some(None)` takes a time limit away.
    pub(crate) within: Option<Option<Duration>>,
}

/// The names of the curves, as a configuration writes them.
pub(crate) const CURVES: &str = "exponential (or exp), linear, constant, none";

impl PolicyPatch {
    /// No change.
    #[must_use]
    pub const fn new() -> PolicyPatch {
        PolicyPatch {
            attempts: None,
            backoff: None,
            initial: None,
            max: None,
            jitter: None,
            within: None,
        }
    }

    /// Total calls, the first included; [`Policy::UNLIMITED`] for no limit.
    #[must_use]
    pub const fn attempts(mut self, attempts: u32) -> PolicyPatch {
        self.attempts = Some(attempts);
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

    /// The jitter.
    #[must_use]
    pub const fn jitter(mut self, jitter: Jitter) -> PolicyPatch {
        self.jitter = Some(jitter);
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
        self.mistakes().into_result()
    }

    fn mistakes(&self) -> ConfigError {
        let mut errors = ConfigError::none();
        if self.attempts == Some(0) {
            let allowed = "1 or more (it counts every call, the first included), or \"unlimited\"";
            errors.add("attempts", &0, allowed);
        }
        if let Some(name) = &self.backoff {
            if curve_named(name).is_none() {
                errors.add("backoff", &format_args!("{name:?}"), CURVES);
            }
        }
        for (field, value) in [("initial", self.initial), ("max", self.max)] {
            if value == Some(Duration::ZERO) {
                let allowed = "more than zero (to retry without a wait: backoff = \"none\")";
                errors.add(field, &"0s", allowed);
            }
        }
        if let (Some(initial), Some(max)) = (self.initial, self.max) {
            if max < initial && !max.is_zero() {
                errors.add("max", &format_args!("{max:?}"), at_least_initial(initial));
            }
        }
        if let Some(jitter) = self.jitter {
            if !jitter.is_valid() {
                errors.add("jitter", &format_args!("{jitter:?}"), "a fraction of 0 to 1");
            }
        }
        if self.within == Some(Some(Duration::ZERO)) {
            errors.add("within", &"0s", "more than zero, or \"none\"");
        }
        errors
    }
}

impl Policy {
    /// This policy with the changes of `over`. Layers chain: a library's default,
    /// a service's file, a dependency's section.
    ///
    /// # Errors
    ///
    /// One error that names every field that is invalid, alone or together with
    /// what it is merged into.
    pub fn merge(&self, over: &PolicyPatch) -> Result<Policy, ConfigError> {
        let mut errors = over.mistakes();
        let base = self.backoff;
        let curve = match &over.backoff {
            Some(name) => curve_named(name).unwrap_or(base.curve),
            None => base.curve,
        };
        let rises = matches!(curve, Curve::Exponential | Curve::Linear);
        let initial = over.initial.unwrap_or(base.initial);
        let max = match over.max {
            Some(max) => max,
            None if rises => base.max,
            None => base.max.max(initial),
        };

        // What the base lacks for the curve that it is given; its own curve is
        // valid as it is. A value of the patch alone has been judged already.
        let new_curve = curve != base.curve && curve != Curve::None;
        if new_curve && initial.is_zero() && over.initial.is_none() {
            errors.add("initial", &"missing", "a delay of more than zero for this backoff");
        }
        if new_curve && rises && max.is_zero() && over.max.is_none() {
            errors.add("max", &"missing", "a cap of at least `initial` for this backoff");
        } else if rises && max < initial && !max.is_zero() {
            match (over.initial, over.max) {
                (Some(_), Some(_)) => {}
                (Some(_), None) => {
                    let allowed = format!("at most `max`, {max:?}");
                    errors.add("initial", &format_args!("{initial:?}"), allowed);
                }
                (None, _) => {
                    errors.add("max", &format_args!("{max:?}"), at_least_initial(initial));
                }
            }
        }
        errors.into_result()?;

        let jitter = over.jitter.unwrap_or(base.jitter);
        Ok(Policy {
            attempts: over.attempts.unwrap_or(self.attempts),
            backoff: Backoff { curve, initial, max, jitter, seed: base.seed },
            within: over.within.unwrap_or(self.within),
        })
    }
}

fn at_least_initial(initial: Duration) -> String {
    format!("at least `initial`, {initial:?}")
}

fn curve_named(name: &str) -> Option<Curve> {
    Some(match name {
        "exponential" | "exp" => Curve::Exponential,
        "linear" => Curve::Linear,
        "constant" => Curve::Constant,
        "none" => Curve::None,
        _ => return None,
    })
}
