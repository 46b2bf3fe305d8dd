//! Sections of one kind, by name.

use std::collections::{BTreeMap, btree_map};

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use super::section::{Settings, read_section};
use super::value::{AnyValue, Value};
use crate::config_error::ConfigError;

/// Sections of one kind by name: one for each dependency of a service. One error names the mistakes
/// of all sections; a map or a struct of the same sections would be read only up to the first
/// mistake.
///
/// `T` is any type that this crate reads from a configuration, patches and the policies of HTTP and
/// processes included. It is written in the same form.
///
/// ```
/// use retry_runtime::{RetrierConfig, Sections};
///
/// let text = r#"
///     [payments]
///     policy = { attempts = 4 }
///     budget = { max_tokens = 10, token_ratio = 0.1 }
///
///     [search]
///     policy = { attempts = 2, within = "1s" }
///     budget = { max_tokens = 100, token_ratio = 0.1 }
/// "#;
/// let dependencies: Sections<RetrierConfig> = toml::from_str(text).unwrap();
/// assert_eq!(dependencies.get("search").unwrap().budget.max_tokens, 100);
///
/// let text = text.replace("10, ", "1, ").replace("1s", "1");
/// let error = toml::from_str::<Sections<RetrierConfig>>(&text).unwrap_err();
/// assert!(error.message().contains("`payments.budget.max_tokens` is 1"));
/// assert!(error.message().contains("`search.policy.within` is \"1\""));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sections<T> {
    by_name: BTreeMap<String, T>,
}

impl<T> Sections<T> {
    /// The section of this name, if there is one.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&T> {
        self.by_name.get(name)
    }

    /// The names and sections, in the order of the names.
    pub fn iter(&self) -> btree_map::Iter<'_, String, T> {
        self.by_name.iter()
    }
}

impl<T> IntoIterator for Sections<T> {
    type Item = (String, T);
    type IntoIter = btree_map::IntoIter<String, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.by_name.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a Sections<T> {
    type Item = (&'a String, &'a T);
    type IntoIter = btree_map::Iter<'a, String, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

fn read<T: Settings>(value: Value) -> Result<Sections<T>, ConfigError> {
    let mut errors = ConfigError::none();
    let mut by_name = BTreeMap::new();
    match value {
        Value::Table(entries) => {
            for (name, value) in entries {
                let section = read_section(&name, value, T::NAMES, T::read, &mut errors);
                if by_name.contains_key(&name) {
                    errors.add(&name, &"there twice", "one section of a name");
                }
                by_name.insert(name, section);
            }
        }
        other => errors.add("sections", &other, "names with a section each"),
    }
    errors.clone().into_result()?;
    let by_name: Option<BTreeMap<String, T>> =
        by_name.into_iter().map(|(name, section)| section.map(|section| (name, section))).collect();
    by_name.map(|by_name| Sections { by_name }).ok_or(errors)
}

impl<'de, T: Settings> Deserialize<'de> for Sections<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = AnyValue { expected: "names with a section each" };
        read(deserializer.deserialize_map(visitor)?).map_err(D::Error::custom)
    }
}

impl<T: Settings> Serialize for Sections<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let section = |settings: &T| {
            let mut table = Vec::new();
            settings.write(&mut table);
            Value::Table(table)
        };
        let sections = self.iter().map(|(name, settings)| (name.clone(), section(settings)));
        Value::Table(sections.collect()).serialize(serializer)
    }
}
