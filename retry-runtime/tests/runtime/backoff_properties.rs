//! Backoffs against arithmetic done the slow and obvious way, for any attempt
//! and any duration.

use std::time::Duration;

use proptest::prelude::*;
use retry_runtime::{Backoff, Jitter, Schedule};

fn durations() -> impl Strategy<Value = Duration> {
    let nanos = 0..1_000_000_000_u32;
    prop_oneof![
        4 => (1..10_000_000_000_u64).prop_map(Duration::from_nanos),
        2 => (any::<u64>(), nanos.clone()).prop_map(|(s, n)| Duration::new(s, n)),
        2 => (0..64_u32, nanos).prop_map(|(bits, n)| Duration::new(1 << bits, n)),
        1 => Just(Duration::MAX),
        1 => Just(Duration::from_nanos(1)),
    ]
    .prop_filter("not zero", |delay| !delay.is_zero())
}

fn attempts() -> impl Strategy<Value = u32> {
    prop_oneof![4 => 1..200_u32, 1 => any::<u32>().prop_map(|n| n.max(1)), 1 => Just(u32::MAX)]
}

fn jitters() -> impl Strategy<Value = Jitter> {
    let fraction = prop_oneof![2 => 0.0..=1.0_f64, 1 => Just(0.0), 1 => Just(1.0)];
    prop_oneof![
        Just(Jitter::None),
        Just(Jitter::Full),
        fraction.clone().prop_map(Jitter::Subtract),
        fraction.prop_map(Jitter::Add),
    ]
}

/// Doubling one step at a time; the largest duration has less than 94 bits.
fn doubled(initial: Duration, max: Duration, attempt: u32) -> Duration {
    let mut delay = initial.min(max);
    for _ in 1..attempt {
        if delay == max {
            break;
        }
        delay = delay.saturating_mul(2).min(max);
    }
    delay
}

fn ordered(a: Duration, b: Duration) -> (Duration, Duration) {
    (a.min(b), a.max(b))
}

/// One part in 2^50, for what a fraction in floating point may round.
fn nearly(delay: Duration) -> Duration {
    delay / 2_u32.pow(25) / 2_u32.pow(25) + Duration::from_nanos(1)
}

proptest! {
    #[test]
    fn an_exponential_curve_is_the_doubled_delay(
        a in durations(), b in durations(), attempt in attempts(),
    ) {
        let (initial, max) = ordered(a, b);
        let curve = Backoff::exponential(initial, max).curve(attempt);
        prop_assert_eq!(curve, doubled(initial, max, attempt));
    }

    #[test]
    fn a_linear_curve_is_the_multiplied_delay(
        a in durations(), b in durations(), attempt in attempts(),
    ) {
        let (initial, max) = ordered(a, b);
        let curve = Backoff::linear(initial, max).curve(attempt);
        prop_assert_eq!(curve, initial.saturating_mul(attempt).min(max));
    }

    #[test]
    fn a_curve_never_falls_and_never_passes_its_cap(
        a in durations(), b in durations(), attempt in attempts(),
    ) {
        let (initial, max) = ordered(a, b);
        for backoff in [Backoff::exponential(initial, max), Backoff::linear(initial, max)] {
            let (now, next) =
                (backoff.curve(attempt), backoff.curve(attempt.saturating_add(1)));
            prop_assert!(initial <= now && now <= next && next <= max);
        }
    }

    #[test]
    fn every_wait_is_in_the_range_of_its_jitter(
        a in durations(),
        b in durations(),
        attempt in attempts(),
        jitter in jitters(),
        floor in prop_oneof![Just(Duration::ZERO), durations()],
        seed in any::<Option<u64>>(),
    ) {
        let (initial, max) = ordered(a, b);
        let plain = Backoff::exponential(initial, max).jitter(jitter);
        let backoff = seed.map_or(plain, |seed| plain.seed(seed));
        let curve = backoff.curve(attempt);
        let delay = backoff.delay(attempt);
        let floored = backoff.delay_at_least(attempt, floor);
        prop_assert!(floored >= floor);
        match jitter {
            Jitter::None => {
                prop_assert_eq!(delay, curve);
                prop_assert_eq!(floored, curve.max(floor));
            }
            Jitter::Full => {
                prop_assert!(delay < curve && curve <= max);
                let width = curve.max(floor / 8);
                let highest = floor.saturating_add(width);
                prop_assert!(floored < highest || [floor, Duration::MAX].contains(&floored));
            }
            Jitter::Subtract(fraction) => {
                prop_assert!(delay <= curve && curve <= max);
                prop_assert!(delay.saturating_add(nearly(curve)) >= curve.saturating_sub(share(curve, fraction)));
                let larger = curve.max(floor);
                let highest = larger.saturating_add(share(larger, fraction));
                prop_assert!(floored <= highest.saturating_add(nearly(larger)));
                if curve.saturating_sub(share(curve, fraction)) >= floor.saturating_add(nearly(curve)) {
                    prop_assert!(floored <= curve);
                }
            }
            Jitter::Add(fraction) => {
                let base = curve.max(floor);
                prop_assert!(delay >= curve && floored >= base);
                let highest = base.saturating_add(share(base, fraction));
                prop_assert!(floored <= highest.saturating_add(nearly(base)));
            }
            _ => unreachable!("no other jitter"),
        }
        if seed.is_some() {
            prop_assert_eq!(backoff.delay(attempt), delay);
            prop_assert_eq!(backoff.delay_at_least(attempt, floor), floored);
        }
    }

    #[test]
    fn a_seeded_draw_is_the_scaled_output_of_the_reference_generator(
        nanos in any::<u64>(), seed in any::<u64>(), attempt in 1..500_u32,
    ) {
        let range = Duration::from_nanos(nanos);
        let drawn = Backoff::constant(range).jitter(Jitter::Full).seed(seed).delay(attempt);
        let scaled = (u128::from(reference(seed, attempt)) * u128::from(nanos)) >> 64;
        prop_assert_eq!(drawn.as_nanos(), scaled);
    }
}

/// SplitMix64 as its authors write it: a state that is advanced by each output.
fn reference(seed: u64, outputs: u32) -> u64 {
    let mut state = seed;
    let mut output = 0;
    for _ in 0..outputs {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        output = z ^ (z >> 31);
    }
    output
}

/// `fraction` of `delay`, in a way that cannot panic.
fn share(delay: Duration, fraction: f64) -> Duration {
    Duration::try_from_secs_f64(delay.as_secs_f64() * fraction).unwrap_or(Duration::MAX)
}
