//! The rules of settings: what each may be, and how it is written.

#[cfg(feature = "serde")]
use super::Value;
use crate::config_error::ConfigError;

/// The rule of a setting: what it may be, and how a configuration says it.
pub(crate) trait Rule {
    type Value: Clone;

    /// What is allowed, as an error message says it.
    const ALLOWED: &'static str;

    fn is_valid(_: &Self::Value) -> bool {
        true
    }

    /// The value as an error message shows it.
    fn found(value: &Self::Value) -> String;

    /// The setting that a configuration has, whether it is valid or not; `None` for a value of
    /// a wrong form.
    #[cfg(feature = "serde")]
    fn read(value: &Value) -> Option<Self::Value>;

    /// What [`read`](Rule::read) reads back as `value`.
    #[cfg(feature = "serde")]
    fn write(value: &Self::Value) -> Value;
}

/// The setting, if it is valid; if not, its mistake is noted.
pub(crate) fn valid<R: Rule>(
    name: &str,
    setting: Option<&R::Value>,
    errors: &mut ConfigError,
) -> Option<R::Value> {
    let value = setting?;
    if R::is_valid(value) {
        return Some(value.clone());
    }
    errors.add(name, &R::found(value), R::ALLOWED);
    None
}
