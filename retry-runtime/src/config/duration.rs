//! Durations in a configuration: text with units.

use core::time::Duration;

use super::Value;

/// The units that are read. The parser knows days, months and years too, which no setting has,
/// and takes "5M" for five months.
const UNITS: &[&str] = &[
    "ns", "nsec", "nanos", "us", "usec", "\u{b5}s", "ms", "msec", "millis", "s", "sec", "secs",
    "second", "seconds", "m", "min", "mins", "minute", "minutes", "h", "hr", "hrs", "hour",
    "hours",
];

/// The duration that `value` writes with a unit. A bare number has none, so it
/// is a mistake: nobody can tell whether it means seconds or milliseconds.
pub(crate) fn duration(value: &Value) -> Option<Duration> {
    let text = value.as_text()?;
    let mut units = text.split(|c: char| !c.is_alphabetic()).filter(|unit| !unit.is_empty());
    // The parser takes a lone "0" for a duration.
    let has_unit = text.contains(char::is_alphabetic);
    let known = has_unit && units.all(|unit| UNITS.contains(&unit));
    humantime::parse_duration(text).ok().filter(|_| known)
}

/// The text that [`duration`] reads back as `value`.
pub(crate) fn duration_text(value: Duration) -> String {
    let (seconds, nanos) = (value.as_secs(), value.subsec_nanos());
    let parts = [
        (seconds / 3600, "h"),
        (seconds / 60 % 60, "m"),
        (seconds % 60, "s"),
        (u64::from(nanos / 1_000_000), "ms"),
        (u64::from(nanos / 1000 % 1000), "us"),
        (u64::from(nanos % 1000), "ns"),
    ];
    let texts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, unit)| format!("{count}{unit}"))
        .collect();
    if texts.is_empty() { "0s".to_owned() } else { texts.join(" ") }
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
                .into_iter()
                .chain(["5M", "5month", "1d", "2 days", "1w", "1y", "1h 5M"])
        {
            assert_eq!(duration(&Value::Text(text.to_owned())), None, "{text:?}");
        }
        assert_eq!(duration(&Value::Integer(30)), None);
    }
}
