//! A retrier from a configuration.

use super::Retrier;
use crate::budget::{Budget, BudgetConfig};
use crate::config::Rule;
use crate::config_error::ConfigError;
use crate::policy::{Policy, PolicyPatch, rules};

/// The settings of a [`Retrier`] as they come from a configuration: a policy
/// section, in which `attempts` is required, and a budget section.
///
/// With the feature `serde` it is read from any format that knows its own types (TOML, JSON, YAML,
/// environment variables): one error has every mistake of both sections, unknown names and values
/// of a wrong type included.
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use retry_runtime::RetrierConfig;
///
/// let config: RetrierConfig = toml::from_str(r#"
///     [policy]
///     attempts = 4                    # every call counts, the first included; or "unlimited"
///     backoff = "exponential"         # or "linear", "constant", "none"
///     initial = "100ms"               # the constant curve's delay too
///     max = "10s"
///     jitter = "full"                 # or "none", { subtract = 0.25 }, { add = 0.2 }
///     within = "30s"                  # or "none"
///
///     [budget]
///     max_tokens = 10
///     token_ratio = 0.1
/// "#).unwrap();
///
/// let error = toml::from_str::<RetrierConfig>(r#"
///     policy = { attempts = 0, backoff = "expo", wait = "1s" }
///     budget = { max_tokens = "many" }
/// "#).unwrap_err().to_string();
/// for field in ["policy.attempts", "policy.backoff", "policy.wait"] {
///     assert!(error.contains(field));
/// }
/// for field in ["budget.max_tokens", "budget.token_ratio"] {
///     assert!(error.contains(field));
/// }
/// # let _ = config;
/// # }
/// ```
///
/// Merge layers first: with [`Policy::merge`], or by a configuration library such as figment.
/// Environment variables may arrive as text (`attempts = "4"`). A single function overrides a field
/// in its attribute: `#[retry(retrier = PAYMENTS, attempts = 2)]`.
#[derive(Clone, Debug, PartialEq)]
pub struct RetrierConfig {
    /// Changes to `Policy::new(attempts)`; `attempts` must be present.
    pub policy: PolicyPatch,
    /// The budget.
    pub budget: BudgetConfig,
}

const ENDS: &str = "a number of attempts, or a time limit beside \"unlimited\": \
                    without either the call might never end";

impl RetrierConfig {
    /// Checks both sections, as [`Retrier::from_config`] does.
    ///
    /// # Errors
    ///
    /// One error for all mistakes of both sections.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.parts().map(|_| ())
    }

    fn parts(&self) -> Result<(Policy, Budget), ConfigError> {
        let mut errors = ConfigError::none();
        if self.policy.attempts.is_none() {
            errors.add("policy.attempts", &"missing", rules::Attempts::ALLOWED);
        }
        // A budget does not end a call.
        if self.policy.attempts == Some(None) && !matches!(self.policy.within, Some(Some(_))) {
            errors.add("policy.attempts", &"\"unlimited\" without a `within`", ENDS);
        }
        let policy = errors.add_part("policy", Policy::new(1).merge(&self.policy));
        let budget = errors.add_part("budget", Budget::from_config(&self.budget));
        errors.clone().into_result()?;
        policy.zip(budget).ok_or(errors)
    }
}

impl<C> Retrier<C> {
    /// The same retrier, with a name for its budget: see [`Budget::named`]. For one
    /// from a configuration, in which a budget has no name.
    ///
    /// ```
    /// use retry_runtime::{Budget, BudgetConfig, ConfigError, Outcome, PolicyPatch};
    /// use retry_runtime::{Retrier, RetrierConfig, on_err};
    ///
    /// let config = RetrierConfig {
    ///     policy: PolicyPatch::new().attempts(3),
    ///     budget: BudgetConfig::new(10, 0.1),
    /// };
    /// let classifier = on_err(|_: &std::io::Error| Outcome::Retry);
    /// let retrier = Retrier::from_config(&config, classifier)?.budget_named("payments");
    /// assert_eq!(retrier.budget().and_then(Budget::name), Some("payments"));
    /// # Ok::<(), ConfigError>(())
    /// ```
    #[must_use]
    pub fn budget_named(self, name: &'static str) -> Retrier<C> {
        Retrier { budget: self.budget.named(name), ..self }
    }

    /// A retrier from a configuration, for startup.
    ///
    /// It goes into an `Arc` field of the client that it serves:
    ///
    /// ```
    /// use retry_runtime::{BudgetConfig, ConfigError, Outcome, PolicyPatch};
    /// use retry_runtime::{Retrier, RetrierConfig, retry};
    /// use std::{io, sync::Arc};
    ///
    /// type Judge = fn(&io::Result<String>) -> Outcome;
    ///
    /// #[derive(Clone)]
    /// struct Payments {
    ///     retrier: Arc<Retrier<Judge>>,
    /// }
    ///
    /// impl Payments {
    ///     fn new(config: &RetrierConfig) -> Result<Payments, ConfigError> {
    ///         let judge: Judge =
    ///             |result| if result.is_ok() { Outcome::Success } else { Outcome::Retry };
    ///         Ok(Payments { retrier: Arc::new(Retrier::from_config(config, judge)?) })
    ///     }
    ///
    ///     #[retry(retrier = self.retrier)]
    ///     async fn charge(&self) -> io::Result<String> {
    ///         Ok("receipt".to_owned())
    ///     }
    /// }
    ///
    /// let config = RetrierConfig {
    ///     policy: PolicyPatch::new().attempts(3),
    ///     budget: BudgetConfig::new(10, 0.1),
    /// };
    /// let payments = Payments::new(&config)?;
    /// # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    /// # assert_eq!(runtime.block_on(payments.charge()).unwrap(), "receipt");
    /// # Ok::<(), ConfigError>(())
    /// ```
    ///
    /// or, for free functions, into a `OnceLock` that `main` fills before anything
    /// else runs:
    ///
    /// ```
    /// use retry_runtime::{ConfigError, Outcome, Retrier, RetrierConfig, retry};
    /// # use retry_runtime::{BudgetConfig, PolicyPatch};
    /// use std::{io, sync::OnceLock};
    ///
    /// type Judge = fn(&io::Result<String>) -> Outcome;
    ///
    /// static PAYMENTS: OnceLock<Retrier<Judge>> = OnceLock::new();
    ///
    /// fn payments() -> &'static Retrier<Judge> {
    ///     PAYMENTS.get().expect("`start` was called")
    /// }
    ///
    /// #[retry(retrier = payments())]
    /// async fn charge() -> io::Result<String> {
    ///     Ok("receipt".to_owned())
    /// }
    ///
    /// fn start(config: &RetrierConfig) -> Result<(), ConfigError> {
    ///     let judge: Judge =
    ///         |result| if result.is_ok() { Outcome::Success } else { Outcome::Retry };
    ///     let retrier = Retrier::from_config(config, judge)?;
    ///     assert!(PAYMENTS.set(retrier).is_ok(), "started twice");
    ///     Ok(())
    /// }
    ///
    /// # let config = RetrierConfig {
    /// #     policy: PolicyPatch::new().attempts(3),
    /// #     budget: BudgetConfig::new(10, 0.1),
    /// # };
    /// # start(&config)?;
    /// # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    /// # assert_eq!(runtime.block_on(charge()).unwrap(), "receipt");
    /// # Ok::<(), ConfigError>(())
    /// ```
    ///
    /// A `LazyLock` is the wrong place: it would read the configuration at the
    /// first call, so a mistake would be found by the first user instead of at
    /// startup, as a panic, and every later call would panic too.
    ///
    /// # Errors
    ///
    /// One error for all mistakes of both sections.
    ///
    /// ```
    /// use retry_runtime::{BudgetConfig, Outcome, PolicyPatch, Retrier, RetrierConfig, on_err};
    ///
    /// let config = RetrierConfig {
    ///     policy: PolicyPatch::new().attempts(0),
    ///     budget: BudgetConfig::new(1, 0.1),
    /// };
    /// let error = Retrier::from_config(&config, on_err(|_: &u8| Outcome::Stop)).err().unwrap();
    /// assert_eq!(error.fields().collect::<Vec<_>>(), ["policy.attempts", "budget.max_tokens"]);
    /// ```
    pub fn from_config(config: &RetrierConfig, classifier: C) -> Result<Retrier<C>, ConfigError> {
        let (policy, budget) = config.parts()?;
        Ok(Retrier { policy, budget, classifier })
    }
}

#[cfg(feature = "serde")]
mod section {
    use super::RetrierConfig;
    use crate::budget::BudgetConfig;
    use crate::config::{Section, Settings, Value, serde_as_section};
    use crate::policy::PolicyPatch;
    use crate::policy::section::read_policy;

    impl Settings for RetrierConfig {
        const SECTION: &'static str = "retrier";
        const NAMES: &'static [&'static str] = &["policy", "budget"];

        fn read(section: &mut Section) -> Option<RetrierConfig> {
            // The patch is to be a whole policy, and is checked as that.
            let policy = section
                .section("policy", PolicyPatch::NAMES, |section| Some(read_policy(section).0));
            let budget = section.section("budget", BudgetConfig::NAMES, BudgetConfig::read);
            Some(RetrierConfig { policy: policy?, budget: budget? })
        }

        fn write(&self, table: &mut Vec<(String, Value)>) {
            let (mut policy, mut budget) = (Vec::new(), Vec::new());
            self.policy.write(&mut policy);
            self.budget.write(&mut budget);
            table.push(("policy".to_owned(), Value::Table(policy)));
            table.push(("budget".to_owned(), Value::Table(budget)));
        }
    }

    serde_as_section!(RetrierConfig);
}
