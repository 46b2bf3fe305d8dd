//! `retry_after`: what a server's headers ask for, value by value.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::{HeaderMap, HeaderName, HeaderValue};
use retry_runtime::http::retry_after;

/// Sun, 06 Nov 1994 08:49:37 GMT, the date of RFC 9110's examples.
pub(crate) fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(784_111_777)
}

fn headers(lines: &[(&str, &[u8])]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in lines {
        let name: HeaderName = name.parse().unwrap();
        headers.append(name, HeaderValue::from_bytes(value).unwrap());
    }
    headers
}

pub(crate) fn seconds(value: &str) -> Option<Duration> {
    retry_after(&headers(&[("retry-after", value.as_bytes())]), now())
}

pub(crate) fn millis(value: &str) -> Option<Duration> {
    retry_after(&headers(&[("retry-after-ms", value.as_bytes())]), now())
}

#[test]
fn nothing_is_asked_without_a_header() {
    assert_eq!(retry_after(&HeaderMap::new(), now()), None);
}

#[test]
fn digits_are_seconds() {
    for (value, expected) in [("0", 0), ("5", 5), ("007", 7), ("120", 120), ("86400", 86_400)] {
        assert_eq!(seconds(value), Some(Duration::from_secs(expected)), "{value}");
    }
}

#[test]
fn fractions_are_kept_and_a_part_of_a_nanosecond_rounds_up() {
    for (value, nanos) in [
        ("2.0", 2_000_000_000),
        ("0.314", 314_000_000),
        ("1.000000001", 1_000_000_001),
        ("1.0000000001", 1_000_000_001),
        ("1.0000000010", 1_000_000_001),
        ("0.00000000000000000000001", 1),
        ("0.9999999999", 1_000_000_000),
        ("0.0000000000", 0),
    ] {
        assert_eq!(seconds(value), Some(Duration::from_nanos(nanos)), "{value}");
    }
    assert_eq!(millis("1.5"), Some(Duration::from_micros(1500)));
    assert_eq!(millis("0.0000001"), Some(Duration::from_nanos(1)));
}

#[test]
fn space_and_tab_around_a_value_are_no_part_of_it() {
    for value in [" 5", "5 ", "\t5\t", " \t 5 \t "] {
        assert_eq!(seconds(value), Some(Duration::from_secs(5)), "{value:?}");
    }
    assert_eq!(seconds(" Sun, 06 Nov 1994 08:49:47 GMT\t"), Some(Duration::from_secs(10)));
}

#[test]
fn numbers_too_large_saturate() {
    let long = "9".repeat(400);
    for value in ["18446744073709551616", "340282366920938463463374607431768211456", &long] {
        assert_eq!(seconds(value), Some(Duration::MAX), "{value}");
    }
    assert_eq!(seconds("18446744073709551615"), Some(Duration::from_secs(u64::MAX)));
    assert_eq!(seconds("9223372037"), Some(Duration::from_secs(9_223_372_037)));
    assert_eq!(millis(&long), Some(Duration::MAX));
    assert_eq!(seconds(&format!("{long}.5")), Some(Duration::MAX));
}

#[test]
fn what_is_no_plain_number_is_unusable() {
    for value in [
        "",
        " ",
        "+5",
        "-5",
        "-0",
        "- 5",
        "1e3",
        "1E3",
        "1_000",
        "1,000",
        "0x10",
        "inf",
        "Infinity",
        "nan",
        "NaN",
        "5s",
        "5 s",
        "5;q=1",
        "12 34",
        "12,345,678",
        ".5",
        "5.",
        ".",
        "1.2.3",
        "five",
        "\"5\"",
        "1.+5",
        "1.-5",
        "soon",
        "5\t5",
        "null",
        "PT5S",
        "00:05",
        "5.5e1",
    ] {
        assert_eq!(seconds(value), None, "{value:?}");
        assert_eq!(millis(value), None, "{value:?} ms");
    }
}

#[test]
fn bytes_outside_ascii_are_unusable() {
    // Full-width and Arabic-Indic digits, a no-break space, and no UTF-8 at all.
    for value in ["\u{ff15}".as_bytes(), "\u{665}".as_bytes(), "5\u{a0}".as_bytes(), b"\xff5"] {
        assert_eq!(retry_after(&headers(&[("retry-after", value)]), now()), None, "{value:?}");
    }
}

#[test]
fn all_three_forms_of_a_date_are_read() {
    for value in [
        "Sun, 06 Nov 1994 08:51:37 GMT",
        "Sunday, 06-Nov-94 08:51:37 GMT",
        "Sun Nov  6 08:51:37 1994",
    ] {
        assert_eq!(seconds(value), Some(Duration::from_secs(120)), "{value}");
    }
}

#[test]
fn a_date_that_has_passed_is_zero() {
    for value in [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:36 GMT",
        "Thu, 01 Jan 1970 00:00:00 GMT",
    ] {
        assert_eq!(seconds(value), Some(Duration::ZERO), "{value}");
    }
}

#[test]
fn a_date_is_counted_from_now_to_the_nanosecond() {
    let later = now() + Duration::from_nanos(400_000_001);
    let asked = headers(&[("retry-after", b"Sun, 06 Nov 1994 08:49:38 GMT")]);
    assert_eq!(retry_after(&asked, later), Some(Duration::from_nanos(599_999_999)));
}

#[test]
fn the_last_date_of_the_calendar_is_read() {
    let asked = seconds("Fri, 31 Dec 9999 23:59:59 GMT").unwrap();
    assert_eq!(now() + asked, UNIX_EPOCH + Duration::from_secs(253_402_300_799));
}

#[test]
fn a_clock_before_1970_is_no_panic() {
    let asked = headers(&[("retry-after", b"Thu, 01 Jan 1970 00:00:01 GMT")]);
    let early = UNIX_EPOCH - Duration::from_secs(5);
    assert_eq!(retry_after(&asked, early), Some(Duration::from_secs(6)));
}

#[test]
fn other_dates_are_unusable() {
    for value in [
        "Mon, 06 Nov 1994 08:49:37 GMT", // it was a Sunday
        "Sun, 06 Nov 1994 08:49:60 GMT", // not the end of a day: no leap second
        "Mon, 06-Nov-94 08:49:37 GMT",   // the form with two digits has long names
        "Monday, 06-Nov-94 08:49:37 GMT",
        "Sunday, 06-Nov-9 08:49:37 GMT",
        "Sunday, 06-Nov-+4 08:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT", // a day of one digit
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 +0000",
        "Sun, 06 Nov 1994 08:49:37",
        "sun, 06 nov 1994 08:49:37 gmt",
        "Sun,  06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sat, 31 Feb 1994 08:49:37 GMT",
        "Sun, 31 Dec 1967 23:59:59 GMT",
        "1994-11-06T08:49:37Z",
    ] {
        assert_eq!(seconds(value), None, "{value}");
    }
}

#[test]
fn a_leap_second_is_the_second_before_midnight_and_one() {
    let day = UNIX_EPOCH + Duration::from_secs(784_166_390); // 23:59:50 of that Sunday
    for value in [
        "Sun, 06 Nov 1994 23:59:60 GMT",
        "Sunday, 06-Nov-94 23:59:60 GMT",
        "Sun Nov  6 23:59:60 1994",
    ] {
        let asked = headers(&[("retry-after", value.as_bytes())]);
        assert_eq!(retry_after(&asked, day), Some(Duration::from_secs(10)), "{value}");
    }
}

#[test]
fn a_year_of_two_digits_is_the_latest_that_is_not_fifty_years_ahead() {
    let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
    let (in_2026, in_2099) = (at(1_795_996_800), at(4_101_580_800)); // 30 Nov 2026, 22 Dec 2099
    for (now, value, full) in [
        (in_2026, "Friday, 06-Nov-76 08:49:37 GMT", "Fri, 06 Nov 2076 08:49:37 GMT"),
        (in_2026, "Sunday, 06-Nov-77 08:49:37 GMT", "Sun, 06 Nov 1977 08:49:37 GMT"),
        (in_2026, "Thursday, 31-Dec-26 08:49:37 GMT", "Thu, 31 Dec 2026 08:49:37 GMT"),
        (in_2099, "Monday, 05-Jan-00 08:49:37 GMT", "Tue, 05 Jan 2100 08:49:37 GMT"),
        (in_2099, "Tuesday, 05-Jan-00 08:49:37 GMT", "Tue, 05 Jan 2100 08:49:37 GMT"),
    ] {
        let asked = |value: &str| retry_after(&headers(&[("retry-after", value.as_bytes())]), now);
        let expected = if value.starts_with("Monday") { None } else { asked(full) };
        assert!(asked(full).is_some(), "{full}");
        assert_eq!(asked(value), expected, "{value}");
    }
}

#[test]
fn a_date_is_relative_to_the_date_of_the_answer() {
    let date = b"Sun, 06 Nov 1994 08:49:47 GMT";
    for clock in [now() - Duration::from_secs(3600), now() + Duration::from_secs(3600)] {
        let answer = headers(&[("date", b"Sun, 06 Nov 1994 08:49:37 GMT"), ("retry-after", date)]);
        assert_eq!(retry_after(&answer, clock), Some(Duration::from_secs(10)));
    }
    let unusable = headers(&[("date", b"today"), ("retry-after", date)]);
    assert_eq!(retry_after(&unusable, now()), Some(Duration::from_secs(10)));
}

#[test]
fn a_line_that_was_joined_from_several_gives_its_largest_usable_value() {
    for (line, expected) in [
        ("5, 10", 10),
        ("10,5", 10),
        ("5,10", 10),
        ("soon, 7", 7),
        ("5, Sun, 06 Nov 1994 08:49:47 GMT", 10),
        ("Sun, 06 Nov 1994 08:49:47 GMT, 5", 10),
        ("Sun, 06 Nov 1994 08:49:47 GMT, Sunday, 06-Nov-94 08:49:57 GMT", 20),
        ("Sun Nov  6 08:49:57 1994, 3", 20),
        (", ,5,", 5),
        ("120, 300", 300),
    ] {
        assert_eq!(seconds(line), Some(Duration::from_secs(expected)), "{line:?}");
    }
    assert_eq!(seconds("soon, later"), None);
    assert_eq!(millis("20, 100"), Some(Duration::from_millis(100)));
}

#[test]
fn milliseconds_are_no_date() {
    assert_eq!(millis("Sun, 06 Nov 1994 08:51:37 GMT"), None);
}

#[test]
fn milliseconds_go_before_seconds_even_when_they_are_less() {
    let both = headers(&[("retry-after", b"5"), ("retry-after-ms", b"0")]);
    assert_eq!(retry_after(&both, now()), Some(Duration::ZERO));
}

#[test]
fn unusable_milliseconds_are_passed_over() {
    for unusable in [&b""[..], b"abc", b"-1", b"1e3"] {
        let both = headers(&[("retry-after-ms", unusable), ("retry-after", b"5")]);
        assert_eq!(retry_after(&both, now()), Some(Duration::from_secs(5)), "{unusable:?}");
    }
}

#[test]
fn of_several_lines_the_largest_usable_counts() {
    let lines = headers(&[
        ("retry-after", b"3"),
        ("retry-after", b"Sun, 06 Nov 1994 08:49:47 GMT"),
        ("retry-after", b"garbage"),
        ("retry-after", b"7"),
    ]);
    assert_eq!(retry_after(&lines, now()), Some(Duration::from_secs(10)));
    let lines = headers(&[("retry-after-ms", b"20"), ("retry-after-ms", b"100")]);
    assert_eq!(retry_after(&lines, now()), Some(Duration::from_millis(100)));
}
