//! A budget in a configuration.

use core::time::Duration;

use super::config::{
    BudgetConfig, MAX_TOKENS, ONE_RETRY_EVERY, TOKEN_RATIO, max_tokens_is_valid, period_is_valid,
    token_ratio_is_valid,
};
use crate::config::{Rule, Section, Settings, Value, duration, duration_text, serde_as_section};

impl Settings for BudgetConfig {
    const SECTION: &'static str = "budget";
    const NAMES: &'static [&'static str] = &["max_tokens", "token_ratio", "one_retry_every"];

    fn read(section: &mut Section) -> Option<BudgetConfig> {
        let max_tokens = section.required::<MaxTokens>("max_tokens");
        let token_ratio = section.required::<TokenRatio>("token_ratio");
        let one_retry_every = section.setting::<Period>("one_retry_every");
        Some(BudgetConfig { max_tokens: max_tokens?, token_ratio: token_ratio?, one_retry_every })
    }

    fn write(&self, table: &mut Vec<(String, Value)>) {
        table.push(("max_tokens".to_owned(), MaxTokens::write(&self.max_tokens)));
        table.push(("token_ratio".to_owned(), TokenRatio::write(&self.token_ratio)));
        if let Some(every) = &self.one_retry_every {
            table.push(("one_retry_every".to_owned(), Period::write(every)));
        }
    }
}

serde_as_section!(BudgetConfig);

struct MaxTokens;

impl Rule for MaxTokens {
    type Value = u32;
    const ALLOWED: &'static str = MAX_TOKENS;

    fn is_valid(tokens: &u32) -> bool {
        max_tokens_is_valid(*tokens)
    }

    fn found(tokens: &u32) -> String {
        tokens.to_string()
    }

    fn read(value: &Value) -> Option<u32> {
        u32::try_from(value.as_integer()?).ok()
    }

    fn write(tokens: &u32) -> Value {
        Value::Integer((*tokens).into())
    }
}

struct TokenRatio;

impl Rule for TokenRatio {
    type Value = f64;
    const ALLOWED: &'static str = TOKEN_RATIO;

    fn is_valid(ratio: &f64) -> bool {
        token_ratio_is_valid(*ratio)
    }

    fn found(ratio: &f64) -> String {
        ratio.to_string()
    }

    fn read(value: &Value) -> Option<f64> {
        value.as_number()
    }

    fn write(ratio: &f64) -> Value {
        Value::Float(*ratio)
    }
}

struct Period;

impl Rule for Period {
    type Value = Duration;
    const ALLOWED: &'static str = ONE_RETRY_EVERY;

    fn is_valid(every: &Duration) -> bool {
        period_is_valid(*every)
    }

    fn found(every: &Duration) -> String {
        format!("{every:?}")
    }

    fn read(value: &Value) -> Option<Duration> {
        duration(value)
    }

    fn write(every: &Duration) -> Value {
        Value::Text(duration_text(*every))
    }
}
