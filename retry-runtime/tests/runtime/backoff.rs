//! The curves of a backoff: their rows, their caps and their ends.

use std::time::Duration;

use retry_runtime::{Backoff, Jitter, Schedule};

const MAX: Duration = Duration::MAX;

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn ns(nanos: u64) -> Duration {
    Duration::from_nanos(nanos)
}

/// The delays after the first attempts.
fn row(backoff: Backoff, attempts: u32) -> Vec<Duration> {
    (1..=attempts).map(|attempt| backoff.curve(attempt)).collect()
}

#[test]
fn exponential_rows_double_up_to_their_cap() {
    let rows: [(Duration, Duration, Vec<Duration>); 7] = [
        (
            ms(50),
            secs(20),
            [50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 20_000, 20_000].map(ms).into(),
        ),
        (
            ms(25),
            secs(20),
            [25, 50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 20_000].map(ms).into(),
        ),
        (secs(1), secs(20), [1, 2, 4, 8, 16, 20, 20].map(secs).into()),
        (ms(100), secs(1), [100, 200, 400, 800, 1000, 1000].map(ms).into()),
        (ms(100), secs(10), [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000].map(ms).into()),
        (ns(3), ns(1000), [3, 6, 12, 24, 48, 96, 192, 384, 768, 1000, 1000].map(ns).into()),
        (secs(7), secs(7), [7, 7, 7].map(secs).into()),
    ];
    for (initial, max, expected) in rows {
        let backoff = Backoff::exponential(initial, max);
        assert_eq!(row(backoff, expected.len() as u32), expected, "{initial:?}, {max:?}");
    }
}

#[test]
fn the_cap_is_reached_at_the_attempt_that_would_pass_it() {
    for (initial, max, below) in [(ms(100), secs(30), 9), (ms(1), secs(60), 16)] {
        let backoff = Backoff::exponential(initial, max);
        assert_eq!(backoff.curve(below), initial * (1 << (below - 1)));
        assert!(backoff.curve(below) < max);
        assert_eq!(backoff.curve(below + 1), max);
    }
}

#[test]
fn a_nanosecond_doubles_to_the_end_of_duration_and_stays_there() {
    let backoff = Backoff::exponential(ns(1), MAX);
    assert_eq!(backoff.curve(32), ns(2_147_483_648));
    assert_eq!(backoff.curve(33), ns(4_294_967_296));
    assert_eq!(backoff.curve(64), Duration::new(9_223_372_036, 854_775_808));
    assert_eq!(backoff.curve(65), Duration::new(18_446_744_073, 709_551_616));
    assert_eq!(backoff.curve(94), Duration::new(9_903_520_314_283_042_199, 192_993_792));
    for attempt in [95, 96, 127, 128, 129, 130, 1000, 1 << 31, u32::MAX] {
        assert_eq!(backoff.curve(attempt), MAX, "attempt {attempt}");
    }
}

#[test]
fn a_cap_of_all_the_nanoseconds_of_a_u64_is_kept() {
    let cap = ns(u64::MAX);
    let backoff = Backoff::exponential(ns(1), cap);
    assert_eq!(backoff.curve(64), ns(9_223_372_036_854_775_808));
    for attempt in [65, 66, 1000, u32::MAX] {
        assert_eq!(backoff.curve(attempt), cap, "attempt {attempt}");
    }
}

#[test]
fn a_second_doubles_past_the_seconds_of_a_u64() {
    let backoff = Backoff::exponential(secs(1), MAX);
    assert_eq!(backoff.curve(33), secs(1 << 32));
    assert_eq!(backoff.curve(64), secs(1 << 63));
    for attempt in [65, 66, 1000, u32::MAX] {
        assert_eq!(backoff.curve(attempt), MAX, "attempt {attempt}");
    }
}

#[test]
fn a_long_rise_does_not_flatten_at_the_end_of_a_u32() {
    // 2^32 - 1 ns are 4.29 s, where a power in a u32 would stay for ever.
    let backoff = Backoff::exponential(ns(1), secs(60));
    assert_eq!(backoff.curve(36), ns(1 << 35));
    for attempt in [37, 64, 1000, u32::MAX] {
        assert_eq!(backoff.curve(attempt), secs(60), "attempt {attempt}");
    }
}

#[test]
fn linear_rows_rise_by_the_initial_delay_up_to_their_cap() {
    let backoff = Backoff::linear(ms(100), MAX);
    assert_eq!(row(backoff, 3), [100, 200, 300].map(ms));
    assert_eq!(backoff.curve(10), secs(1));
    assert_eq!(backoff.curve(64), ms(6400));
    assert_eq!(backoff.curve(1000), secs(100));
    assert_eq!(backoff.curve(u32::MAX), ms(429_496_729_500));

    let capped = Backoff::linear(secs(2), secs(5));
    assert_eq!(row(capped, 4), [2, 4, 5, 5].map(secs));
    assert_eq!(capped.curve(u32::MAX), secs(5));
}

#[test]
fn a_linear_rise_saturates_at_the_end_of_duration() {
    let longest = Backoff::linear(MAX, MAX);
    assert_eq!((longest.curve(1), longest.curve(2), longest.curve(u32::MAX)), (MAX, MAX, MAX));
    // The smallest initial delay that saturates at the last attempt there is.
    let smallest = Duration::new(4_294_967_297, 1);
    assert_eq!(Backoff::linear(smallest, MAX).curve(u32::MAX), MAX);
    assert!(Backoff::linear(smallest - ns(1), MAX).curve(u32::MAX) < MAX);
}

#[test]
fn constant_and_none_are_the_same_after_every_attempt() {
    for attempt in [1, 2, 129, u32::MAX] {
        assert_eq!(Backoff::constant(ms(30)).delay(attempt), ms(30));
        assert_eq!(Backoff::constant(MAX).delay(attempt), MAX);
        assert_eq!(Backoff::constant(Duration::ZERO).delay(attempt), Duration::ZERO);
        assert_eq!(Backoff::none().delay(attempt), Duration::ZERO);
    }
}

#[test]
fn attempt_zero_is_taken_for_the_first() {
    for backoff in [Backoff::exponential(ms(5), secs(1)), Backoff::linear(ms(5), secs(1))] {
        assert_eq!(backoff.curve(0), ms(5));
    }
}

#[test]
fn only_an_exponential_curve_starts_with_jitter() {
    let (initial, max) = (secs(1), secs(100));
    let exponential = Backoff::exponential(initial, max);
    assert_eq!(exponential, exponential.jitter(Jitter::Full));
    for plain in [Backoff::linear(initial, max), Backoff::constant(initial), Backoff::none()] {
        assert_eq!(plain, plain.jitter(Jitter::None));
        assert_eq!(plain.delay(3), plain.curve(3));
    }
}

#[test]
fn the_default_is_what_it_is_documented_to_be() {
    assert_eq!(Backoff::DEFAULT, Backoff::exponential(ms(100), secs(10)).jitter(Jitter::Full));
}

#[test]
fn backoffs_are_made_in_constants() {
    const SPREAD: Backoff =
        Backoff::linear(Duration::from_secs(1), Duration::from_secs(8)).jitter(Jitter::Add(0.5));
    static FIXED: Backoff = Backoff::constant(Duration::from_secs(1)).seed(7);
    assert!(SPREAD.delay(1) >= secs(1));
    assert_eq!(FIXED.delay(1), secs(1));
}

#[test]
#[should_panic(expected = "`initial` must be more than zero")]
fn an_exponential_curve_from_zero_is_refused() {
    let _ = Backoff::exponential(Duration::ZERO, secs(1));
}

#[test]
#[should_panic(expected = "`initial` must be more than zero")]
fn a_linear_curve_from_zero_is_refused() {
    let _ = Backoff::linear(Duration::ZERO, Duration::ZERO);
}

#[test]
#[should_panic(expected = "`max` must not be less than `initial`")]
fn a_cap_below_the_initial_delay_is_refused() {
    let _ = Backoff::exponential(secs(1), secs(1) - ns(1));
}

#[test]
#[should_panic(expected = "the fraction of a jitter must be 0 to 1")]
fn a_fraction_above_one_is_refused() {
    let _ = Backoff::DEFAULT.jitter(Jitter::Subtract(1.000_1));
}

#[test]
#[should_panic(expected = "the fraction of a jitter must be 0 to 1")]
fn a_fraction_below_zero_is_refused() {
    let _ = Backoff::DEFAULT.jitter(Jitter::Add(-0.1));
}

#[test]
#[should_panic(expected = "the fraction of a jitter must be 0 to 1")]
fn a_fraction_that_is_not_a_number_is_refused() {
    let _ = Backoff::DEFAULT.jitter(Jitter::Add(f64::NAN));
}
