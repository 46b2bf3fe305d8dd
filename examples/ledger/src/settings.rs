//! The settings, from `ledger.toml` and the environment.

use figment::Figment;
use figment::providers::{Env, Format, Toml};
use retry_runtime::{BudgetConfig, Policy};
use serde::Deserialize;

/// Everything that differs between two installations. A mistake in any of it keeps the
/// service from starting.
#[derive(Debug, Deserialize)]
pub struct Settings {
    pub listen: String,
    pub database_url: String,
    pub connections: u32,
    #[serde(with = "humantime_text")]
    pub acquire_timeout: std::time::Duration,
    pub budget: BudgetConfig,
    pub reads: Policy,
    pub writes: Policy,
}

impl Settings {
    /// The settings that are compiled in, then those of `ledger.toml` in the current folder,
    /// then those of the environment.
    pub fn read() -> Result<Settings, Box<figment::Error>> {
        Settings::from(Toml::file("ledger.toml"))
    }

    /// As [`read`](Settings::read), from another file.
    pub fn from(file: impl figment::Provider) -> Result<Settings, Box<figment::Error>> {
        Figment::from(Toml::string(include_str!("../ledger.toml")))
            .merge(file)
            .merge(Env::prefixed("LEDGER_").split("__"))
            .merge(Env::raw().only(&["DATABASE_URL"]))
            .extract()
            .map_err(Box::new)
    }
}

/// Durations as the settings of the retries have them: `"1s"`, `"500ms"`.
mod humantime_text {
    use std::time::Duration;

    use serde::de::{Deserialize, Deserializer, Error};

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        let text = String::deserialize(deserializer)?;
        humantime::parse_duration(&text).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use figment::providers::{Format, Toml};

    use super::Settings;

    #[test]
    fn the_settings_that_are_compiled_in_are_valid() {
        let settings = Settings::from(Toml::string("")).unwrap();
        assert_eq!(settings.reads.attempts(), Some(4));
        assert_eq!(settings.budget.max_tokens, 200);
    }

    #[test]
    fn a_file_goes_before_and_its_mistakes_are_named() {
        let settings = Settings::from(Toml::string("[writes]\nattempts = 3")).unwrap();
        assert_eq!(settings.writes.attempts(), Some(3));
        let error = Settings::from(Toml::string("[reads]\nattempts = 0\ninitial = 5")).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("attempts") && text.contains("initial"), "{text}");
    }
}
