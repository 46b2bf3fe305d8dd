//! How long a server asks its client to wait.

use core::time::Duration;
use std::time::SystemTime;

use ::http::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};

const RETRY_AFTER_MS: HeaderName = HeaderName::from_static("retry-after-ms");

const NANOS_PER_MILLI: u128 = 1_000_000;
const NANOS_PER_SEC: u128 = 1_000_000_000;

/// The wait that a response asks for, as it says: neither capped nor raised to a
/// floor ([`HttpPolicy::server_delay`](super::HttpPolicy::server_delay) does that).
/// `None` if no header has a usable value.
///
/// * `retry-after-ms` (milliseconds) goes before `Retry-After` (seconds or a
///   date). One that is present but unusable is passed over.
/// * A number is digits, perhaps a dot and more digits: RFC 9110 section 10.2.3
///   has no fraction, but servers send `2.0` and `0.5`, and to pass those over
///   would retry earlier than was asked. Signs, exponents, units and lists are
///   unusable. A number too large for a `Duration` is [`Duration::MAX`]; a part of
///   a nanosecond is rounded up.
/// * A date has one of the three forms of RFC 9110 section 5.6.7, as the crate
///   `httpdate` reads them; `now` is what it is counted from. A date that has
///   passed is zero.
/// * Spaces and tabs around a value are no part of it. An empty value is unusable.
/// * Of several lines of one name, which the RFC forbids, the largest usable counts.
///
/// It never panics, whatever the bytes.
///
/// ```
/// use http::HeaderMap;
/// use retry_runtime::http::retry_after;
/// use std::time::{Duration, SystemTime, UNIX_EPOCH};
///
/// let now = UNIX_EPOCH + Duration::from_secs(784_111_777); // Sun, 06 Nov 1994 08:49:37 GMT
/// let asked = |name: &'static str, value: &'static str| {
///     let mut headers = HeaderMap::new();
///     headers.insert(name, value.parse().unwrap());
///     retry_after(&headers, now)
/// };
/// assert_eq!(asked("retry-after", "120"), Some(Duration::from_secs(120)));
/// assert_eq!(asked("retry-after", "0.25"), Some(Duration::from_millis(250)));
/// assert_eq!(asked("retry-after-ms", "250"), Some(Duration::from_millis(250)));
/// let date = "Sun, 06 Nov 1994 08:50:00 GMT";
/// assert_eq!(asked("retry-after", date), Some(Duration::from_secs(23)));
/// assert_eq!(asked("retry-after", "+5"), None);
/// ```
#[must_use]
pub fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let milliseconds = |text: &str| number(text, NANOS_PER_MILLI);
    let seconds_or_date = |text: &str| number(text, NANOS_PER_SEC).or_else(|| until(text, now));
    largest(headers, &RETRY_AFTER_MS, milliseconds)
        .or_else(|| largest(headers, &RETRY_AFTER, seconds_or_date))
}

fn largest(
    headers: &HeaderMap,
    name: &HeaderName,
    read: impl Fn(&str) -> Option<Duration>,
) -> Option<Duration> {
    headers.get_all(name).iter().filter_map(|value| read(text(value)?)).max()
}

/// The value as text, without the space around it. Bytes outside ASCII have no
/// meaning here.
fn text(value: &HeaderValue) -> Option<&str> {
    value.to_str().ok().map(|text| text.trim_matches([' ', '\t']))
}

/// `1*DIGIT [ "." 1*DIGIT ]`, in units of so many nanoseconds. `str::parse` would
/// take a leading `+`, and an `f64` would take `inf` and lose nanoseconds.
fn number(text: &str, unit: u128) -> Option<Duration> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let whole = whole
        .bytes()
        .fold(0_u128, |sum, byte| sum.saturating_mul(10).saturating_add(u128::from(byte - b'0')));
    let nanos = whole.saturating_mul(unit).saturating_add(fraction_nanos(fraction, unit));
    Some(crate::backoff::duration(nanos))
}

/// The nanoseconds of a fraction, rounded up.
fn fraction_nanos(digits: &str, unit: u128) -> u128 {
    let (mut nanos, mut weight) = (0, unit);
    for digit in digits.bytes().map(|byte| u128::from(byte - b'0')) {
        if weight == 1 {
            // What follows is less than a nanosecond: it counts as one, once.
            if digit > 0 {
                return nanos + 1;
            }
            continue;
        }
        weight /= 10;
        nanos += digit * weight;
    }
    nanos
}

/// The time from `now` until a date; zero if it has passed.
fn until(text: &str, now: SystemTime) -> Option<Duration> {
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or(Duration::ZERO))
}
