//! `retry_after` over any bytes, and over all numbers and dates.

use std::time::Duration;

use http::{HeaderMap, HeaderValue};
use proptest::prelude::*;
use retry_runtime::http::retry_after;

use crate::http_retry_after::{millis, now, seconds};

proptest! {
    #[test]
    fn no_bytes_make_it_panic(
        ms in proptest::collection::vec(any::<u8>(), 0..40),
        after in proptest::collection::vec(any::<u8>(), 0..40),
    ) {
        let mut headers = HeaderMap::new();
        for (name, bytes) in [("retry-after-ms", ms), ("retry-after", after)] {
            if let Ok(value) = HeaderValue::from_bytes(&bytes) {
                headers.append(name, value);
            }
        }
        let _ = retry_after(&headers, now());
    }

    // Close to the grammar, where arbitrary bytes seldom come.
    #[test]
    fn nothing_that_looks_like_a_value_makes_it_panic(
        value in "[ 0-9.,]{0,40}|(Sun|Sunday), [0-9]{2}-Nov-[0-9]{2} 23:59:60 GMT(, [0-9]{1,30})?|(Sun|Mon|Sunday|Friday)(, | )[0-9]{2}[ -](Nov|Feb|Dec)[ -][0-9]{2,4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT|(Sun|Wed) (Feb|Jun) [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2} [0-9]{4}",
    ) {
        let _ = seconds(&value);
        let _ = millis(&value);
    }

    #[test]
    fn a_number_is_read_exactly(whole in 0..10_000_000_000_u64, nanos in 0..1_000_000_000_u32) {
        let expected = Duration::new(whole, nanos);
        prop_assert_eq!(seconds(&format!("{whole}.{nanos:09}")), Some(expected));
    }

    #[test]
    fn a_date_is_as_far_away_as_it_says(distance in 0..8_000_000_000_u64) {
        let date = httpdate::fmt_http_date(now() + Duration::from_secs(distance));
        prop_assert_eq!(seconds(&date), Some(Duration::from_secs(distance)));
    }
}
