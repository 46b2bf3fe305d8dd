//! Durations in a configuration: text with units.

use core::time::Duration;

use super::Value;

/// The duration that `value` writes with a unit. A bare number has none, so it
/// is a mistake: nobody can tell whether it means seconds or milliseconds.
pub(crate) fn duration(value: &Value) -> Option<Duration> {
    let text = value.as_text()?;
    // The parser takes a lone "0" for a duration.
    let has_unit = text.contains(char::is_alphabetic);
    humantime::parse_duration(text).ok().filter(|_| has_unit)
}

/// The text that [`duration`] reads back as `value`.
pub(crate) fn duration_text(value: Duration) -> String {
    humantime::format_duration(value).to_string()
}

#[cfg(test)]
mod tests {
    use super::{Duration, Value, duration, duration_text};

    #[test]
    fn every_duration_comes_back_from_its_text() {
        let mut nanos: u128 = 1;
        while nanos <= Duration::MAX.as_nanos() {
            let seconds = u64::try_from(nanos / 1_000_000_000).unwrap();
            let written = Duration::new(seconds, (nanos % 1_000_000_000) as u32);
            assert_eq!(duration(&Value::Text(duration_text(written))), Some(written));
            nanos = nanos * 7 + 3;
        }
        for written in [Duration::ZERO, Duration::MAX] {
            assert_eq!(duration(&Value::Text(duration_text(written))), Some(written));
        }
    }

    #[test]
    fn a_fraction_is_exact() {
        let read = |text: &str| duration(&Value::Text(text.to_owned()));
        assert_eq!(read("1.5s"), Some(Duration::from_millis(1500)));
        assert_eq!(read("1m 30s"), Some(Duration::from_secs(90)));
        assert_eq!(read("0.1ms"), Some(Duration::from_micros(100)));
    }

    #[test]
    fn what_is_no_duration_with_a_unit_is_refused() {
        for text in
            ["", "0", "30", "1.5", "-1s", "s", "30 parsecs", "99999999999999999999s", "1 s s"]
        {
            assert_eq!(duration(&Value::Text(text.to_owned())), None, "{text:?}");
        }
        assert_eq!(duration(&Value::Integer(30)), None);
    }
}
