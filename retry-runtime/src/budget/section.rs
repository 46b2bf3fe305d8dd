//! A budget in a configuration.

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::BudgetConfig;
use super::config::{
    MAX_TOKENS, ONE_RETRY_EVERY, TOKEN_RATIO, max_tokens_is_valid, period_is_valid,
    token_ratio_is_valid,
};
use crate::config::{FromSection, Section, deserialize, duration, duration_text};

impl FromSection for BudgetConfig {
    const SECTION: &'static str = "budget";
    const NAMES: &'static [&'static str] = &["max_tokens", "token_ratio", "one_retry_every"];

    fn read(section: &mut Section) -> Option<BudgetConfig> {
        let max_tokens = section.required("max_tokens", MAX_TOKENS, |value| {
            u32::try_from(value.as_integer()?).ok().filter(|tokens| max_tokens_is_valid(*tokens))
        });
        let token_ratio = section.required("token_ratio", TOKEN_RATIO, |value| {
            value.as_number().filter(|ratio| token_ratio_is_valid(*ratio))
        });
        let one_retry_every = section.field("one_retry_every", ONE_RETRY_EVERY, |value| {
            duration(value).filter(|every| period_is_valid(*every))
        });
        Some(BudgetConfig { max_tokens: max_tokens?, token_ratio: token_ratio?, one_retry_every })
    }
}

impl<'de> Deserialize<'de> for BudgetConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<BudgetConfig, D::Error> {
        deserialize(deserializer)
    }
}

impl Serialize for BudgetConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut section = serializer.serialize_struct("BudgetConfig", 3)?;
        section.serialize_field("max_tokens", &self.max_tokens)?;
        section.serialize_field("token_ratio", &self.token_ratio)?;
        if let Some(every) = self.one_retry_every {
            section.serialize_field("one_retry_every", &duration_text(every))?;
        }
        section.end()
    }
}
