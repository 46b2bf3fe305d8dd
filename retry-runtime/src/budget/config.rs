//! A budget's settings, and their ranges.

use core::time::Duration;

use super::Budget;
use super::reserve::SHORTEST;
use crate::config_error::ConfigError;

/// The settings of a [`Budget`] as they come from a configuration. `max_tokens` and `token_ratio`
/// are required: a missing value has no default.
///
/// ```
/// use retry_runtime::{Budget, BudgetConfig};
///
/// let config = BudgetConfig::new(2, 0.0);
/// let error = Budget::from_config(&config).unwrap_err().to_string();
/// assert!(error.contains("max_tokens"));
/// assert!(error.contains("token_ratio"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BudgetConfig {
    /// The tokens of a full bucket: 3 to [`Budget::TOKEN_LIMIT`].
    pub max_tokens: u32,
    /// The tokens added by each success: 0.001 to [`Budget::TOKEN_LIMIT`],
    /// rounded to the nearest thousandth.
    pub token_ratio: f64,
    /// The period of the reserve, 1 ms and more: see [`Budget::one_retry_every`]. By
    /// default there is none.
    pub one_retry_every: Option<Duration>,
}

pub(super) const MAX_TOKENS: &str = "3 to 65536 (1 or 2 could never grant a retry)";
pub(super) const TOKEN_RATIO: &str = "0.001 to 65536";
pub(super) const ONE_RETRY_EVERY: &str =
    "a duration of 1 ms and more with its unit, such as \"10s\"";

impl BudgetConfig {
    /// The settings of a budget without a reserve.
    #[must_use]
    pub const fn new(max_tokens: u32, token_ratio: f64) -> BudgetConfig {
        BudgetConfig { max_tokens, token_ratio, one_retry_every: None }
    }

    /// Checks every setting.
    ///
    /// # Errors
    ///
    /// One error for all settings out of their range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let mut errors = ConfigError::none();
        if !max_tokens_is_valid(self.max_tokens) {
            errors.add("max_tokens", &self.max_tokens, MAX_TOKENS);
        }
        if !token_ratio_is_valid(self.token_ratio) {
            errors.add("token_ratio", &self.token_ratio, TOKEN_RATIO);
        }
        if let Some(every) = self.one_retry_every.filter(|every| !period_is_valid(*every)) {
            errors.add("one_retry_every", &format_args!("{every:?}"), ONE_RETRY_EVERY);
        }
        errors.into_result()
    }
}

impl Budget {
    /// A full budget with these settings, made at startup.
    ///
    /// # Errors
    ///
    /// One error for all settings out of their range.
    ///
    /// ```
    /// use retry_runtime::{Budget, BudgetConfig};
    ///
    /// let budget = Budget::from_config(&BudgetConfig::new(10, 0.1))?;
    /// assert_eq!(budget.max_tokens(), 10);
    /// # Ok::<(), retry_runtime::ConfigError>(())
    /// ```
    pub fn from_config(config: &BudgetConfig) -> Result<Budget, ConfigError> {
        config.validate()?;
        let budget = Budget::new(config.max_tokens, config.token_ratio);
        Ok(match config.one_retry_every {
            Some(every) => budget.one_retry_every(every),
            None => budget,
        })
    }
}

/// Panics with a sentence that names every bad argument.
#[track_caller]
pub(super) const fn assert_valid(max_tokens: u32, token_ratio: f64) {
    match (max_tokens_is_valid(max_tokens), token_ratio_is_valid(token_ratio)) {
        (true, true) => {}
        (false, true) => panic!(
            "`max_tokens` must be 3 to 65536: a budget of 1 or 2 tokens could never grant a retry"
        ),
        (true, false) => panic!("`token_ratio` must be 0.001 to 65536"),
        (false, false) => panic!(
            "`max_tokens` must be 3 to 65536 (a budget of 1 or 2 tokens could never grant a retry), \
             and `token_ratio` must be 0.001 to 65536"
        ),
    }
}

/// Panics with a sentence.
#[track_caller]
pub(super) const fn assert_period_valid(every: Duration) {
    assert!(period_is_valid(every), "`one_retry_every` must be 1 ms or more");
}

pub(super) const fn period_is_valid(every: Duration) -> bool {
    every.as_nanos() >= SHORTEST.as_nanos()
}

pub(super) const fn max_tokens_is_valid(max_tokens: u32) -> bool {
    max_tokens >= 3 && max_tokens <= Budget::TOKEN_LIMIT
}

// NaN is in no range.
pub(super) const fn token_ratio_is_valid(token_ratio: f64) -> bool {
    token_ratio >= 0.001 && token_ratio <= Budget::TOKEN_LIMIT as f64
}

/// The ratio in thousandths, rounded to the nearest. (`f64::round` is const
/// only since Rust 1.90.)
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(super) const fn thousandths(token_ratio: f64) -> u32 {
    (token_ratio * 1000.0 + 0.5) as u32
}
