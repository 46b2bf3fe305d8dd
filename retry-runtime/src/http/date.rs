//! Dates of HTTP (RFC 9110 section 5.6.7).

use core::time::Duration;
use std::borrow::Cow;
use std::time::{SystemTime, UNIX_EPOCH};

const SECOND: Duration = Duration::from_secs(1);
const YEAR: u64 = 31_556_952; // the mean one, in seconds
const FIFTY_YEARS: Duration = Duration::from_secs(50 * YEAR);

/// The time that a date stands for, in any of the three forms. The crate `httpdate` reads them;
/// what it lacks is done here: the leap second 23:59:60, which is the second after 23:59:59,
/// and two-digit years, which mean the latest year that is not more than 50 years after `now`.
pub(super) fn http_date(text: &str, now: SystemTime) -> Option<SystemTime> {
    let (text, leap) = match text.split_once(" 23:59:60") {
        Some((day, rest)) => (Cow::Owned(format!("{day} 23:59:59{rest}")), SECOND),
        None => (Cow::Borrowed(text), Duration::ZERO),
    };
    let date = match two_digit_year(&text) {
        Some(date) => date.read(now)?,
        None => httpdate::parse_http_date(&text).ok()?,
    };
    date.checked_add(leap)
}

/// A date in the form of RFC 850, in its parts: `Sunday, 06-Nov-94 08:49:37 GMT`.
struct TwoDigitYear<'a> {
    weekday: &'a str,
    day: &'a str,
    month: &'a str,
    year: u64,
    time: &'a str,
}

fn two_digit_year(text: &str) -> Option<TwoDigitYear<'_>> {
    let (weekday, rest) = text.split_once(", ")?;
    let mut parts = rest.splitn(3, '-');
    let (day, month, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let (year, time) = rest.split_once(' ')?;
    let is_year = year.len() == 2 && year.bytes().all(|byte| byte.is_ascii_digit());
    let year = year.parse().ok().filter(|_| is_year)?;
    Some(TwoDigitYear { weekday, day, month, year, time })
}

impl TwoDigitYear<'_> {
    fn read(&self, now: SystemTime) -> Option<SystemTime> {
        let latest = now.checked_add(FIFTY_YEARS)?;
        let this = 1970 + latest.duration_since(UNIX_EPOCH).ok()?.as_secs() / YEAR;
        // The latest year with these two digits. At the turn of a year the mean one is not
        // exact, so the year before or after `this` may be the one that counts.
        let year = this - (this + 100 - self.year) % 100;
        let later = Some(year + 100).filter(|later| *later == this + 1);
        let earlier = Some(year).filter(|year| *year == this).and_then(|y| y.checked_sub(100));
        let years = later.into_iter().chain([year]).chain(earlier);
        years.filter_map(|year| self.in_year(year)).find(|date| *date <= latest)
    }

    /// As the form with four digits, which says the weekday in three letters.
    fn in_year(&self, year: u64) -> Option<SystemTime> {
        let TwoDigitYear { weekday, day, month, time, .. } = self;
        let weekday = LONG_WEEKDAYS.iter().find(|name| *name == weekday)?.get(..3)?;
        let date = format!("{weekday}, {day} {month} {year:04} {time}");
        httpdate::parse_http_date(&date).ok()
    }
}

const LONG_WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
