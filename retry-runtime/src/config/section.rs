//! A section of a configuration, read field by field.

use serde::de::{Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use super::Rule;
use super::Value;
use super::value::AnyValue;
use crate::config_error::ConfigError;

/// A settings type: read from a section of a configuration, and written as one.
///
/// Public for the bound of [`Sections`](super::Sections) alone; users cannot name it.
pub trait Settings: Sized {
    /// What it is called where it has no other name.
    const SECTION: &'static str;
    /// Every name that the section may have.
    const NAMES: &'static [&'static str];
    /// The names, and other names that are read too but not shown.
    const ACCEPTED: &'static [&'static str] = Self::NAMES;

    /// Reads the fields. Mistakes are noted in the section; if there was one, what
    /// is returned is not used.
    fn read(section: &mut Section) -> Option<Self>;

    /// Writes the fields, so that what is read back is equal.
    fn write(&self, table: &mut Vec<(String, Value)>);
}

/// Implements serde's traits for settings types.
macro_rules! serde_as_section {
    ($($settings:ty),+) => {$(
        impl<'de> serde::Deserialize<'de> for $settings {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::config::deserialize(deserializer)
            }
        }

        impl serde::Serialize for $settings {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::config::serialize(self, serializer)
            }
        }
    )+};
}

pub(crate) use serde_as_section;

/// The fields that have not been read, and the mistakes so far.
pub struct Section {
    fields: Vec<(String, Value)>,
    pub(crate) errors: ConfigError,
}

impl Section {
    /// The field `name`, if it is there and `read` understands it. `allowed` says
    /// what that is.
    pub(crate) fn field<T>(
        &mut self,
        name: &str,
        allowed: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.take(name)?;
        let field = read(&value);
        match (&field, &value) {
            (Some(_), _) => {}
            (None, Value::Null) => {
                let allowed = format!("{allowed}; to leave it as it is, leave the name out");
                self.errors.add(name, &value, allowed);
            }
            (None, _) => self.errors.add(name, &value, allowed),
        }
        field
    }

    /// The setting `name`, if it is there and follows its rule.
    pub(crate) fn setting<R: Rule>(&mut self, name: &str) -> Option<R::Value> {
        self.field(name, R::ALLOWED, |value| R::read(value).filter(R::is_valid))
    }

    /// As [`setting`](Section::setting), but it must be there.
    pub(crate) fn required<R: Rule>(&mut self, name: &str) -> Option<R::Value> {
        if !self.has(name) {
            self.errors.add(name, &"missing", R::ALLOWED);
        }
        self.setting::<R>(name)
    }

    /// Another name of the setting `of`, which may not stand beside it.
    #[cfg(feature = "http")]
    pub(crate) fn alias<T>(
        &mut self,
        name: &str,
        of: &str,
        allowed: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Option<T> {
        if self.has(name) && self.has(of) {
            self.errors.add(name, &format_args!("there beside `{of}`"), "one of the two");
        }
        self.field(name, allowed, read)
    }

    /// The section `name` inside this one, which may have `names` and is read by `read`: its
    /// mistakes are noted behind its name. One that is missing is read as an empty one, so
    /// that what it must have is named.
    pub(crate) fn section<T>(
        &mut self,
        name: &str,
        names: &[&str],
        read: impl FnOnce(&mut Section) -> Option<T>,
    ) -> Option<T> {
        let value = self.take(name).unwrap_or_else(|| Value::Table(Vec::new()));
        read_section(name, value, names, read, &mut self.errors)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|(field, _)| field == name)
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        let (mut found, rest): (Vec<_>, Vec<_>) =
            core::mem::take(&mut self.fields).into_iter().partition(|(field, _)| field == name);
        self.fields = rest;
        let (_, value) = found.pop()?;
        // JSON has no rule against it, and which of them counts differs.
        for (_, earlier) in found {
            self.errors.add(name, &format_args!("{earlier} and also {value}"), "one value");
        }
        Some(value)
    }
}

/// Reads a section in any format; its mistakes are the one error.
pub(crate) fn deserialize<'de, T: Settings, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let visitor = AnyValue { expected: T::SECTION };
    // As a struct rather than as anything, so that the section can be flattened
    // into a struct of the user's.
    let read = match deserializer.deserialize_struct(T::SECTION, T::ACCEPTED, visitor)? {
        Value::Table(fields) => read_fields(fields, T::NAMES, T::read),
        other => {
            let mut errors = ConfigError::none();
            errors.add(T::SECTION, &other, a_section_of(T::NAMES));
            Err(errors)
        }
    };
    read.map_err(D::Error::custom)
}

/// Writes a section in any format.
pub(crate) fn serialize<T: Settings, S: Serializer>(
    settings: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut table = Vec::new();
    settings.write(&mut table);
    Value::Table(table).serialize(serializer)
}

/// Reads a section that has a name, behind which its mistakes are noted.
pub(super) fn read_section<T>(
    name: &str,
    value: Value,
    names: &[&str],
    read: impl FnOnce(&mut Section) -> Option<T>,
    errors: &mut ConfigError,
) -> Option<T> {
    match value {
        Value::Table(fields) => errors.add_part(name, read_fields(fields, names, read)),
        other => {
            errors.add(name, &other, a_section_of(names));
            None
        }
    }
}

fn read_fields<T>(
    fields: Vec<(String, Value)>,
    names: &[&str],
    read: impl FnOnce(&mut Section) -> Option<T>,
) -> Result<T, ConfigError> {
    let mut section = Section { fields, errors: ConfigError::none() };
    let read = read(&mut section);
    let Section { fields, mut errors } = section;
    // Their values are not shown: they may be anything, a secret too.
    for (name, _) in fields {
        errors.add(name, &"no known name", names.join(", "));
    }
    errors.clone().into_result()?;
    read.ok_or(errors)
}

fn a_section_of(names: &[&str]) -> String {
    format!("a section with the names {}", names.join(", "))
}
