//! Settings as figment hands them over: as text from the environment, and from several
//! layers with mistakes in each.

use std::time::Duration;

use figment::Figment;
use figment::providers::{Env, Format, Serialized, Toml};
use retry_runtime::{Backoff, Jitter, Outcome, Policy, Retrier, RetrierConfig, on_err};

#[test]
#[allow(clippy::result_large_err)] // figment's jail asks for this signature
fn environment_variables_are_read_whatever_type_they_arrive_as() {
    figment::Jail::expect_with(|jail| {
        jail.set_env("PAYMENTS_POLICY__ATTEMPTS", "4");
        jail.set_env("PAYMENTS_POLICY__INITIAL", "50ms");
        jail.set_env("PAYMENTS_POLICY__JITTER", "{ subtract = 0.5 }");
        jail.set_env("PAYMENTS_POLICY__WITHIN", "none");
        jail.set_env("PAYMENTS_BUDGET__MAX_TOKENS", "10");
        jail.set_env("PAYMENTS_BUDGET__TOKEN_RATIO", "\"0.5\"");
        let read: RetrierConfig =
            Figment::from(Env::prefixed("PAYMENTS_").split("__")).extract()?;
        let retrier = Retrier::from_config(&read, on_err(|_: &u8| Outcome::Retry)).unwrap();
        let backoff = Backoff::exponential(Duration::from_millis(50), Duration::from_secs(10))
            .jitter(Jitter::Subtract(0.5));
        assert_eq!(*retrier.policy(), Policy::new(4).backoff(backoff));
        assert_eq!(retrier.budget().unwrap().token_ratio(), 0.5);
        Ok(())
    });
}

#[test]
fn mistakes_of_every_layer_of_a_figment_are_in_one_error() {
    let layers = Figment::from(Toml::string("[policy]\nattempts = 0"))
        .merge(Serialized::default("budget.max_tokens", 1))
        .merge(Serialized::default("policy.wait", "1s"));
    let error = layers.extract::<RetrierConfig>().unwrap_err().to_string();
    for field in ["policy.attempts", "policy.wait", "budget.max_tokens", "budget.token_ratio"] {
        assert!(error.contains(&format!("`{field}`")), "{field} is not in {error}");
    }
}
