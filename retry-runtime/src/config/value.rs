//! A dynamically typed configuration value.

use core::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// What a format can hold. `Display` writes it as a user would have.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(String),
    List(Vec<Value>),
    /// In the order of the file; a name may be there twice.
    Table(Vec<(String, Value)>),
}

impl Value {
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A boolean, or the text of one: environment variables are all text.
    #[cfg(feature = "http")]
    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            Value::Text(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// A whole number, or the text of one: environment variables are all text.
    pub(crate) fn as_integer(&self) -> Option<i128> {
        match self {
            Value::Integer(integer) => Some(*integer),
            Value::Text(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// A number, or the text of one.
    #[allow(clippy::cast_precision_loss)]
    pub(crate) fn as_number(&self) -> Option<f64> {
        match self {
            Value::Integer(integer) => Some(*integer as f64),
            Value::Float(float) => Some(*float),
            Value::Text(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// A list, the text of one with commas, which is what an environment variable can hold, or
    /// a single item. `None` if `item` refuses one of them.
    #[cfg(any(feature = "http", feature = "process"))]
    pub(crate) fn as_list<T>(&self, item: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
        match self {
            Value::List(values) => values.iter().map(item).collect(),
            Value::Text(text) => {
                text.split(',').map(|part| item(&Value::Text(part.trim().to_owned()))).collect()
            }
            single => item(single).map(|item| vec![item]),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Integer(value) => write!(f, "{value}"),
            // Its Debug form keeps the point in 1.0.
            Value::Float(value) => write!(f, "{value:?}"),
            Value::Text(value) => write!(f, "{value:?}"),
            Value::List(values) => {
                f.write_str("[")?;
                for (index, value) in values.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(f, "{separator}{value}")?;
                }
                f.write_str("]")
            }
            Value::Table(entries) => {
                f.write_str("{")?;
                for (index, (name, value)) in entries.iter().enumerate() {
                    let separator = if index == 0 { " " } else { ", " };
                    write!(f, "{separator}{name} = {value}")?;
                }
                f.write_str(" }")
            }
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(AnyValue { expected: "a value" })
    }
}

/// The names under which formats hand over what serde has no type for, as a table with one
/// entry: TOML's dates, JSON's numbers of arbitrary precision and its raw text.
const PRIVATE: &[&str] =
    &["$__toml_private_datetime", "$serde_json::private::Number", "$serde_json::private::RawValue"];

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_none(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            // Not as an i128, which few formats have.
            Value::Integer(value) => match (i64::try_from(*value), u64::try_from(*value)) {
                (Ok(value), _) => serializer.serialize_i64(value),
                (_, Ok(value)) => serializer.serialize_u64(value),
                _ => serializer.serialize_i128(*value),
            },
            Value::Float(value) => serializer.serialize_f64(*value),
            Value::Text(value) => serializer.serialize_str(value),
            Value::List(values) => serializer.collect_seq(values),
            Value::Table(entries) => {
                let mut table = serializer.serialize_map(Some(entries.len()))?;
                for (name, value) in entries {
                    table.serialize_entry(name, value)?;
                }
                table.end()
            }
        }
    }
}

/// Takes whatever there is.
pub(super) struct AnyValue {
    /// For formats that will not hand over anything else.
    pub(super) expected: &'static str,
}

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Integer(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Integer(value.into()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        Ok(Value::Integer(value))
    }

    #[allow(clippy::cast_precision_loss)]
    fn visit_u128<E>(self, value: u128) -> Result<Value, E> {
        // No setting is that large: the number is only there to be named.
        Ok(i128::try_from(value).map_or(Value::Float(value as f64), Value::Integer))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::Text(value))
    }

    fn visit_bytes<E>(self, value: &[u8]) -> Result<Value, E> {
        Ok(Value::Text(String::from_utf8_lossy(value).into_owned()))
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Value, D::Error> {
        Value::deserialize(inner)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = values.next_element()? {
            list.push(value);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries: Vec<(String, Value)> = Vec::new();
        while let Some((key, value)) = map.next_entry()? {
            let name = match key {
                Value::Text(name) => name,
                // YAML has names that are no text.
                other => other.to_string(),
            };
            entries.push((name, value));
        }
        match entries.as_slice() {
            [(name, Value::Text(text))] if PRIVATE.contains(&name.as_str()) => {
                Ok(number_or_text(text))
            }
            _ => Ok(Value::Table(entries)),
        }
    }
}

fn number_or_text(text: &str) -> Value {
    if let Ok(integer) = text.parse() {
        Value::Integer(integer)
    } else if let Ok(float) = text.parse() {
        Value::Float(float)
    } else {
        Value::Text(text.to_owned())
    }
}
