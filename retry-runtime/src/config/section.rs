//! A section of a configuration, read field by field.

use serde::de::{Deserializer, Error};

use super::Value;
use super::value::AnyValue;
use crate::ConfigError;

/// What a section of a configuration can be read into.
pub(crate) trait FromSection: Sized {
    /// What it is called where it has no other name.
    const SECTION: &'static str;
    /// Every name that the section may have.
    const NAMES: &'static [&'static str];

    /// Reads the fields. Mistakes are noted in the section; if there was one, what
    /// is returned is not used.
    fn read(section: &mut Section) -> Option<Self>;
}

/// The fields that have not been read, and the mistakes so far.
pub(crate) struct Section {
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

    /// As [`field`](Section::field), but it must be there.
    pub(crate) fn required<T>(
        &mut self,
        name: &str,
        allowed: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Option<T> {
        if !self.has(name) {
            self.errors.add(name, &"missing", allowed);
        }
        self.field(name, allowed, read)
    }

    /// The section `name` inside this one: its mistakes are noted behind its name.
    /// One that is missing is read as an empty one, so that what it must have is
    /// named.
    pub(crate) fn section<T: FromSection>(&mut self, name: &str) -> Option<T> {
        let value = self.take(name).unwrap_or_else(|| Value::Table(Vec::new()));
        read_section(name, value, &mut self.errors)
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
pub(crate) fn deserialize<'de, T: FromSection, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let visitor = AnyValue { expected: T::SECTION };
    // As a struct rather than as anything, so that the section can be flattened
    // into a struct of the user's.
    let read = match deserializer.deserialize_struct(T::SECTION, T::NAMES, visitor)? {
        Value::Table(fields) => read_fields(fields),
        other => {
            let mut errors = ConfigError::none();
            errors.add(T::SECTION, &other, a_section_of::<T>());
            Err(errors)
        }
    };
    read.map_err(D::Error::custom)
}

/// Reads a section that has a name, behind which its mistakes are noted.
pub(super) fn read_section<T: FromSection>(
    name: &str,
    value: Value,
    errors: &mut ConfigError,
) -> Option<T> {
    match value {
        Value::Table(fields) => errors.add_part(name, read_fields(fields)),
        other => {
            errors.add(name, &other, a_section_of::<T>());
            None
        }
    }
}

fn read_fields<T: FromSection>(fields: Vec<(String, Value)>) -> Result<T, ConfigError> {
    let mut section = Section { fields, errors: ConfigError::none() };
    let read = T::read(&mut section);
    let Section { fields, mut errors } = section;
    for (name, value) in fields {
        let found = format_args!("no known name (its value is {value})").to_string();
        errors.add(name, &found, T::NAMES.join(", "));
    }
    errors.clone().into_result()?;
    read.ok_or(errors)
}

fn a_section_of<T: FromSection>() -> String {
    format!("a section with the names {}", T::NAMES.join(", "))
}
