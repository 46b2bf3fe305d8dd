//! One error for every mistake of a configuration.

use core::fmt;

/// Every invalid setting of a configuration, in one error: its name, the value found, and the
/// allowed values.
///
/// ```
/// use retry_runtime::{Policy, PolicyPatch};
/// use std::time::Duration;
///
/// let patch = PolicyPatch::new().attempts(0).initial(Duration::ZERO);
/// let error = Policy::new(4).merge(&patch).unwrap_err();
/// assert_eq!(error.fields().collect::<Vec<_>>(), ["attempts", "initial"]);
/// println!("{error}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    mistakes: Vec<Mistake>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Mistake {
    field: String,
    found: String,
    allowed: String,
}

impl ConfigError {
    /// The names of the wrong settings, in the order of the message.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.mistakes.iter().map(|mistake| mistake.field.as_str())
    }

    /// A collection to which mistakes are added; not yet an error.
    pub(crate) fn none() -> ConfigError {
        ConfigError { mistakes: Vec::new() }
    }

    /// Adds a mistake: `found` is the value as the user wrote it.
    pub(crate) fn add(
        &mut self,
        field: impl Into<String>,
        found: &dyn fmt::Display,
        allowed: impl Into<String>,
    ) {
        let (field, found, allowed) = (shortened(field.into()), found.to_string(), allowed.into());
        let found = shortened(found);
        self.mistakes.push(Mistake { field, found, allowed });
    }

    /// Adds the mistakes of a part, each name behind the part's path.
    pub(crate) fn add_part<T>(&mut self, path: &str, part: Result<T, ConfigError>) -> Option<T> {
        match part {
            Ok(value) => Some(value),
            Err(error) => {
                self.mistakes.extend(error.mistakes.into_iter().map(|mistake| Mistake {
                    field: format!("{path}.{}", mistake.field),
                    ..mistake
                }));
                None
            }
        }
    }

    pub(crate) fn into_result(self) -> Result<(), ConfigError> {
        if self.mistakes.is_empty() { Ok(()) } else { Err(self) }
    }
}

/// A value, or a name, that a user has written may be a whole file.
fn shortened(mut text: String) -> String {
    const LONGEST: usize = 100;
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(end);
        text.push_str("..");
    }
    text
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mistakes.len() {
            1 => write!(f, "1 invalid setting: ")?,
            n => write!(f, "{n} invalid settings: ")?,
        }
        for (index, Mistake { field, found, allowed }) in self.mistakes.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}`{field}` is {found}, allowed: {allowed}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}
