//! The `Backoff` schedules: exponential, linear, constant and none, with jitter.

pub(crate) mod curve;
mod draw;
mod growth;
mod jitter;
pub(crate) mod rules;

use core::time::Duration;

use curve::DOUBLING;
pub(crate) use curve::{Curve, thousandths};
pub use draw::seed_from;
pub use jitter::Jitter;

use crate::config_error::ConfigError;
use crate::schedule::Schedule;

/// A schedule from a curve, a cap and a jitter. `Copy`, and made in a `const`.
///
/// ```
/// use retry_runtime::{Backoff, Jitter, Schedule};
/// use std::time::Duration;
///
/// const SLOW: Backoff = Backoff::exponential(Duration::from_millis(100), Duration::from_secs(1));
/// let curve: Vec<u128> = (1..=6).map(|n| SLOW.curve(n).as_millis()).collect();
/// assert_eq!(curve, [100, 200, 400, 800, 1000, 1000]);
/// assert!(SLOW.delay(6) < Duration::from_secs(1)); // full jitter
///
/// // A seed makes the draws a pure function of (seed, step).
/// let seeded = SLOW.seed(42);
/// assert_eq!(seeded.delay(2), seeded.delay(2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backoff {
    pub(crate) curve: Curve,
    pub(crate) initial: Duration,
    pub(crate) max: Duration,
    /// In thousandths; of the exponential curve.
    pub(crate) factor: u32,
    pub(crate) jitter: Jitter,
    pub(crate) seed: Option<u64>,
}

impl Backoff {
    /// The schedule of a call by default: exponential from 100 ms, capped at 10 s, full
    /// jitter.
    pub const DEFAULT: Backoff =
        Backoff::exponential(Duration::from_millis(100), Duration::from_secs(10));

    /// `initial * 2^(n-1)` at step n, capped at `max`; full jitter. For another factor than
    /// 2 see [`factor`](Backoff::factor).
    ///
    /// # Panics
    ///
    /// If `initial` is zero or `max` is less than `initial`: a compile-time error
    /// in a `const` or `static`. For values known only at run time there is
    /// [`try_exponential`](Backoff::try_exponential); settings from a configuration go
    /// through [`PolicyPatch`](crate::PolicyPatch), which returns errors.
    #[must_use]
    #[track_caller]
    pub const fn exponential(initial: Duration, max: Duration) -> Backoff {
        Backoff::rising(Curve::Exponential, initial, max, Jitter::Full)
    }

    /// `initial * n` at step n, capped at `max`; no jitter.
    ///
    /// # Panics
    ///
    /// If `initial` is zero or `max` is less than `initial`.
    ///
    /// ```
    /// use retry_runtime::Backoff;
    /// use std::time::Duration;
    ///
    /// let linear = Backoff::linear(Duration::from_secs(1), Duration::from_secs(3));
    /// assert_eq!(linear.curve(2), Duration::from_secs(2));
    /// assert_eq!(linear.curve(u32::MAX), Duration::from_secs(3));
    /// ```
    #[must_use]
    #[track_caller]
    pub const fn linear(initial: Duration, max: Duration) -> Backoff {
        Backoff::rising(Curve::Linear, initial, max, Jitter::None)
    }

    /// The same `delay` after every attempt; no jitter. A zero delay is the same
    /// as [`none`](Backoff::none).
    #[must_use]
    pub const fn constant(delay: Duration) -> Backoff {
        let (curve, initial, max) = (Curve::Constant, delay, delay);
        Backoff::of(curve, initial, max, Jitter::None)
    }

    /// No wait at all: the task yields once and goes on. The timer is not touched.
    #[must_use]
    pub const fn none() -> Backoff {
        let (curve, initial, max) = (Curve::None, Duration::ZERO, Duration::ZERO);
        Backoff::of(curve, initial, max, Jitter::None)
    }

    const fn of(curve: Curve, initial: Duration, max: Duration, jitter: Jitter) -> Backoff {
        Backoff { curve, initial, max, factor: DOUBLING, jitter, seed: None }
    }

    /// As [`exponential`](Backoff::exponential), for values known only at run time.
    ///
    /// # Errors
    ///
    /// One error for all values out of their range.
    ///
    /// ```
    /// use retry_runtime::Backoff;
    /// use std::time::Duration;
    ///
    /// let error = Backoff::try_exponential(Duration::ZERO, Duration::from_secs(1)).unwrap_err();
    /// assert_eq!(error.fields().collect::<Vec<_>>(), ["initial"]);
    /// ```
    pub fn try_exponential(initial: Duration, max: Duration) -> Result<Backoff, ConfigError> {
        Backoff::try_rising(initial, max)?;
        Ok(Backoff::exponential(initial, max))
    }

    /// As [`linear`](Backoff::linear), for values known only at run time.
    ///
    /// # Errors
    ///
    /// One error for all values out of their range.
    pub fn try_linear(initial: Duration, max: Duration) -> Result<Backoff, ConfigError> {
        Backoff::try_rising(initial, max)?;
        Ok(Backoff::linear(initial, max))
    }

    fn try_rising(initial: Duration, max: Duration) -> Result<(), ConfigError> {
        let mut errors = ConfigError::none();
        if initial.is_zero() {
            errors.add("initial", &format_args!("{initial:?}"), rules::INITIAL);
        }
        if max.is_zero() {
            errors.add("max", &format_args!("{max:?}"), rules::MAX);
        } else if max < initial {
            errors.add("max", &format_args!("{max:?}"), rules::at_least_initial(initial));
        }
        errors.into_result()
    }

    #[track_caller]
    const fn rising(curve: Curve, initial: Duration, max: Duration, jitter: Jitter) -> Backoff {
        match (initial.is_zero(), max.as_nanos() < initial.as_nanos()) {
            (false, false) => Backoff::of(curve, initial, max, jitter),
            (true, _) => panic!(
                "`initial` must be more than zero: to retry without a wait, write `Backoff::none()`"
            ),
            (false, true) => panic!("`max` must not be less than `initial`"),
        }
    }

    /// The exponential schedule with another factor than 2: 1 to 1000, rounded to the
    /// nearest thousandth. The curve is computed in integers and is the same on every
    /// machine.
    ///
    /// # Panics
    ///
    /// If the factor is out of its range, or the curve is not exponential: a compile-time
    /// error in a `const`. For values known only at run time there is
    /// [`try_factor`](Backoff::try_factor).
    ///
    /// ```
    /// use retry_runtime::Backoff;
    /// use std::time::Duration;
    ///
    /// const GENTLE: Backoff =
    ///     Backoff::exponential(Duration::from_millis(100), Duration::from_secs(10)).factor(1.5);
    /// let curve: Vec<u128> = (1..=4).map(|n| GENTLE.curve(n).as_micros()).collect();
    /// assert_eq!(curve, [100_000, 150_000, 225_000, 337_500]);
    /// ```
    #[must_use]
    #[track_caller]
    pub const fn factor(mut self, factor: f64) -> Backoff {
        assert!(
            matches!(self.curve, Curve::Exponential),
            "`factor` belongs to the exponential curve: write `Backoff::exponential(..).factor(..)`"
        );
        assert!(rules::factor_is_valid(factor), "`factor` must be 1 to 1000");
        self.factor = thousandths(factor);
        self
    }

    /// As [`factor`](Backoff::factor), for a value known only at run time.
    ///
    /// # Errors
    ///
    /// If the factor is out of its range, or the curve is not exponential.
    pub fn try_factor(self, factor: f64) -> Result<Backoff, ConfigError> {
        if self.curve == Curve::Exponential && rules::factor_is_valid(factor) {
            return Ok(self.factor(factor));
        }
        let mut errors = ConfigError::none();
        errors.add("factor", &factor, rules::FACTOR);
        Err(errors)
    }

    /// As [`jitter`](Backoff::jitter), for a fraction known only at run time.
    ///
    /// # Errors
    ///
    /// If a fraction is not in 0 to 1.
    pub fn try_jitter(self, jitter: Jitter) -> Result<Backoff, ConfigError> {
        if jitter.is_valid() {
            return Ok(self.jitter(jitter));
        }
        let mut errors = ConfigError::none();
        errors.add("jitter", &format_args!("{jitter:?}"), rules::JITTER);
        Err(errors)
    }

    /// The same schedule with another jitter.
    ///
    /// # Panics
    ///
    /// If a fraction is not in 0 to 1: a compile-time error in a `const`.
    #[must_use]
    #[track_caller]
    pub const fn jitter(mut self, jitter: Jitter) -> Backoff {
        assert!(jitter.is_valid(), "the fraction of a jitter must be 0 to 1");
        self.jitter = jitter;
        self
    }

    /// Makes the draws a pure function of `(seed, step)`: the same wait on every machine,
    /// in every version, and for every call of the process. The seed must differ between processes
    /// that may fail together, or they come back together;
    /// [`seed_from`] makes one from a name.
    #[must_use]
    pub const fn seed(mut self, seed: u64) -> Backoff {
        self.seed = Some(seed);
        self
    }
}

impl Schedule for Backoff {
    // Inlined, so that a wait which is the same each time is a constant where the
    // schedule is one.
    #[inline]
    fn delay(&self, step: u32) -> Duration {
        match (self.curve, self.jitter) {
            // A layer that took the curve away has left its first delay there.
            (Curve::None, Jitter::None) => Duration::ZERO,
            (Curve::Constant, Jitter::None) => self.initial,
            _ => self.jittered(step, self.curve(step), Duration::ZERO),
        }
    }

    fn delay_at_least(&self, step: u32, floor: Duration) -> Duration {
        self.jittered(step, self.curve(step), floor)
    }
}
