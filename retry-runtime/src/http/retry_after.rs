//! The wait that a server asks for.

use core::time::Duration;
use std::time::SystemTime;

use ::http::header::{DATE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};

use super::date::http_date;

const RETRY_AFTER_MS: HeaderName = HeaderName::from_static("retry-after-ms");

const NANOS_PER_MILLI: u128 = 1_000_000;
const NANOS_PER_SEC: u128 = 1_000_000_000;

/// The wait asked for by a response, unchanged: neither capped nor raised to a floor
/// ([`RequestPolicy::server_delay`](super::RequestPolicy::server_delay) does that). `None` if no
/// header has a usable value.
///
/// * `retry-after-ms` (milliseconds) goes before `Retry-After` (seconds or a date). An unusable
///   value is skipped.
/// * A number is digits, perhaps a dot and more digits: RFC 9110 section 10.2.3 has no fraction,
///   but servers send `2.0` and `0.5`, and skipping those would retry too early. Signs, exponents
///   and units are unusable. A number too large for a `Duration` is [`Duration::MAX`]; a part of a
///   nanosecond is rounded up.
/// * A date has one of the three forms of RFC 9110 section 5.6.7. It is counted from the answer's
///   own `Date`, so a client with a wrong clock waits as long as the server meant, and from `now`
///   without one. A past date is zero.
/// * Spaces and tabs around a value are no part of it. An empty value is unusable.
/// * Of several lines of one name, which the RFC forbids, and of a line that an intermediary
///   has joined from several with commas (section 5.3), the largest usable value counts.
///   `1,000` is unusable: it may be one number.
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
    let now = server_time(headers, now);
    let milliseconds = |text: &str| number(text, NANOS_PER_MILLI);
    let seconds_or_date = |text: &str| seconds(text).or_else(|| until(text, now));
    largest(headers, &RETRY_AFTER_MS, milliseconds)
        .or_else(|| largest(headers, &RETRY_AFTER, seconds_or_date))
}

fn largest(
    headers: &HeaderMap,
    name: &HeaderName,
    read: impl Fn(&str) -> Option<Duration>,
) -> Option<Duration> {
    headers.get_all(name).iter().filter_map(text).filter_map(|text| largest_of(text, &read)).max()
}

/// The largest value of a line. A date has a comma of its own, so two parts may be one value.
fn largest_of(line: &str, read: impl Fn(&str) -> Option<Duration>) -> Option<Duration> {
    let trimmed = |part: &'_ str| read(part.trim_matches([' ', '\t']));
    let mut largest = None;
    if is_grouped(line) {
        return None;
    }
    let mut start = 0;
    while start <= line.len() {
        let rest = &line[start..];
        let one = rest.find(',').unwrap_or(rest.len());
        let two = rest
            .get(one + 1..)
            .map_or(one, |after| one + 1 + after.find(',').unwrap_or(after.len()));
        let (value, taken) = match trimmed(&rest[..two]) {
            Some(date) => (Some(date), two),
            None => (trimmed(&rest[..one]), one),
        };
        largest = largest.max(value);
        start += taken + 1;
    }
    largest
}

/// Whether the commas may group the digits of one number, as in `1,000`: nobody can tell.
fn is_grouped(line: &str) -> bool {
    let mut parts = line.split(',');
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let first = parts.next().is_some_and(|part| (1..=3).contains(&part.len()) && is_digits(part));
    let mut rest = parts.peekable();
    first && rest.peek().is_some() && rest.all(|part| part.len() == 3 && is_digits(part))
}

/// The value as text, without the space around it. Bytes outside ASCII have no
/// meaning here.
pub(super) fn text(value: &HeaderValue) -> Option<&str> {
    value.to_str().ok().map(|text| text.trim_matches([' ', '\t']))
}

/// The time by the server's clock, if the answer says it, else `now`.
pub(super) fn server_time(headers: &HeaderMap, now: SystemTime) -> SystemTime {
    headers.get(DATE).and_then(text).and_then(|date| http_date(date, now)).unwrap_or(now)
}

/// A number of seconds.
pub(super) fn seconds(text: &str) -> Option<Duration> {
    number(text, NANOS_PER_SEC)
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
    Some(crate::backoff::curve::duration(nanos))
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
    let date = http_date(text, now)?;
    Some(date.duration_since(now).unwrap_or(Duration::ZERO))
}
