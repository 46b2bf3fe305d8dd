//! The draws of a backoff: reproducible where they are seeded, in their ranges
//! and evenly spread. One subject, so in one file, however long.

use std::collections::BTreeMap;
use std::time::Duration;

use retry_runtime::{Backoff, Decision, Jitter, Outcome, Policy, Schedule, seed_from};

const SECOND: Duration = Duration::from_secs(1);
const NANOSECOND: Duration = Duration::from_nanos(1);

fn constant(delay: Duration, jitter: Jitter) -> Backoff {
    Backoff::constant(delay).jitter(jitter)
}

#[test]
fn a_seeded_draw_is_the_attempts_output_of_splitmix64_scaled() {
    let vectors = [
        (0, [88_331_080, 43_152_799, 2_643_377, 88_412_011, 8_155_320, 98_378_102]),
        (1, [56_656_157, 74_578_175, 97_100_275, 53_406_649, 90_271_882, 27_022_807]),
        (42, [74_156_487, 15_991_039, 27_860_113, 4_488_824, 39_857_653, 1_425_071]),
        (u64::MAX, [89_394_292, 91_259_720, 21_948_196, 96_184_513, 51_069_976, 68_935_943]),
    ];
    let range = Duration::from_millis(100);
    let attempts = [1, 2, 3, 64, 1000, u32::MAX];
    for (seed, nanos) in vectors {
        for (attempt, nanos) in attempts.into_iter().zip(nanos) {
            let drawn = Duration::from_nanos(nanos);
            let full = constant(range, Jitter::Full).seed(seed);
            assert_eq!(full.delay(attempt), drawn, "seed {seed}, attempt {attempt}");
            let add = constant(range, Jitter::Add(1.0)).seed(seed);
            assert_eq!(add.delay(attempt), range + drawn, "seed {seed}, attempt {attempt}");
            // A tenth of a second is a tenth of this curve.
            let tenth = constant(SECOND, Jitter::Add(0.1)).seed(seed);
            assert_eq!(tenth.delay(attempt), SECOND + drawn, "seed {seed}, attempt {attempt}");
        }
    }
}

#[test]
fn a_draw_over_the_longest_range_is_scaled_exactly() {
    // The longest duration is 2^64 seconds less a nanosecond: an output x of the
    // generator gives x seconds less a nanosecond.
    for (seed, output) in [(0, 0xe220_a839_7b1d_cdaf), (1_234_567, 6_457_827_717_110_365_317)] {
        let delay = constant(Duration::MAX, Jitter::Full).seed(seed).delay(1);
        assert_eq!(delay, Duration::from_secs(output) - NANOSECOND);
    }
}

#[test]
fn the_highest_draw_takes_or_adds_no_more_than_the_whole_delay() {
    // The first output of this seed is u64::MAX. In floating point the delay
    // rounds up by 1023 nanoseconds, and so would its share.
    const HIGHEST: u64 = 0x3162_8af6_7b21_31ab;
    let delay = Duration::from_nanos((1 << 63) + 1025);
    let drawn = |jitter| constant(delay, jitter).seed(HIGHEST).delay(1);
    assert_eq!(drawn(Jitter::Full), delay - NANOSECOND);
    assert_eq!(drawn(Jitter::Subtract(1.0)), Duration::ZERO);
    assert_eq!(drawn(Jitter::Add(1.0)), delay * 2 - NANOSECOND);
}

#[test]
fn a_subtracted_draw_includes_both_ends() {
    // The range of 4 nanoseconds' half is 0, 1 and 2 nanoseconds.
    let four = Duration::from_nanos(4);
    let mut seen = BTreeMap::new();
    for seed in 0..300 {
        let delay = constant(four, Jitter::Subtract(0.5)).seed(seed).delay(1);
        *seen.entry(delay.as_nanos()).or_insert(0) += 1;
    }
    assert_eq!(seen.keys().copied().collect::<Vec<_>>(), [2, 3, 4]);
    assert!(seen.values().all(|count| *count > 60), "{seen:?}");
}

#[test]
fn the_ends_of_the_fractions_are_the_plain_delay_and_the_whole_range() {
    for seed in 0..500 {
        for delay in [NANOSECOND, SECOND, Duration::MAX] {
            assert_eq!(constant(delay, Jitter::Subtract(0.0)).seed(seed).delay(1), delay);
            assert_eq!(constant(delay, Jitter::Add(0.0)).seed(seed).delay(1), delay);
            assert!(constant(delay, Jitter::Subtract(1.0)).seed(seed).delay(1) <= delay);
        }
    }
    let draws = |jitter| (0..1000).map(move |seed| constant(SECOND, jitter).seed(seed).delay(1));
    assert!(draws(Jitter::Subtract(1.0)).min().unwrap() < SECOND / 100);
    assert!(draws(Jitter::Subtract(1.0)).max().unwrap() > SECOND * 99 / 100);
    assert!(draws(Jitter::Subtract(0.25)).min().unwrap() >= SECOND * 3 / 4);
    assert!(draws(Jitter::Subtract(0.25)).min().unwrap() < SECOND * 76 / 100);
    assert!(draws(Jitter::Subtract(0.25)).max().unwrap() > SECOND * 99 / 100);
    assert!(draws(Jitter::Add(0.25)).max().unwrap() < SECOND * 5 / 4);
    assert!(draws(Jitter::Add(0.25)).max().unwrap() > SECOND * 124 / 100);
}

#[test]
fn the_smallest_ranges_have_one_value() {
    for seed in 0..100 {
        assert_eq!(constant(NANOSECOND, Jitter::Full).seed(seed).delay(1), Duration::ZERO);
        assert_eq!(constant(Duration::ZERO, Jitter::Full).seed(seed).delay(1), Duration::ZERO);
        assert_eq!(constant(Duration::ZERO, Jitter::Subtract(1.0)).delay(1), Duration::ZERO);
        assert_eq!(Backoff::none().jitter(Jitter::Add(1.0)).delay(1), Duration::ZERO);
    }
}

#[test]
fn adding_to_the_longest_delay_saturates() {
    for seed in 0..100 {
        let longest = constant(Duration::MAX, Jitter::Add(1.0)).seed(seed);
        assert_eq!(longest.delay(1), Duration::MAX);
        assert_eq!(longest.delay_at_least(u32::MAX, Duration::MAX), Duration::MAX);
    }
}

#[test]
fn full_jitter_is_even() {
    // The figures of the first 100 000 draws of seed 42, of which 20 classes
    // have a chi-square of 22.1 with 19 degrees of freedom (30.1 at 5 %).
    const DRAWS: u32 = 100_000;
    let backoff = constant(SECOND, Jitter::Full).seed(42);
    let draws: Vec<f64> = (1..=DRAWS).map(|n| backoff.delay(n).as_secs_f64()).collect();
    let count = f64::from(DRAWS);
    let mean = draws.iter().sum::<f64>() / count;
    let deviation = (draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count).sqrt();
    assert!((mean - 0.498_926).abs() < 1e-6, "{mean}");
    assert!((deviation - 0.287_83).abs() < 1e-5, "{deviation}");
    let smallest = draws.iter().copied().fold(1.0, f64::min);
    let largest = draws.iter().copied().fold(0.0, f64::max);
    assert!((smallest - 7.8e-6).abs() < 1e-7, "{smallest}");
    assert!((0.999_998..1.0).contains(&largest), "{largest}");

    let mut classes = [0.0; 20];
    for draw in &draws {
        classes[(draw * 20.0) as usize] += 1.0;
    }
    let expected = count / 20.0;
    let chi_square: f64 = classes.iter().map(|n| (n - expected) * (n - expected) / expected).sum();
    assert!((chi_square - 22.1).abs() < 0.1, "{chi_square}");
}

#[test]
fn draws_without_a_seed_differ_and_are_even() {
    // Six standard errors of the mean of a uniform draw: never by chance.
    const DRAWS: u32 = 100_000;
    let backoff = constant(SECOND, Jitter::Full);
    let draws: Vec<f64> = (0..DRAWS).map(|_| backoff.delay(1).as_secs_f64()).collect();
    let mean = draws.iter().sum::<f64>() / f64::from(DRAWS);
    assert!((mean - 0.5).abs() < 0.005_48, "{mean}");
    assert!(draws.iter().all(|draw| (0.0..1.0).contains(draw)));
}

#[test]
fn threads_do_not_draw_the_same_numbers() {
    let draw = || {
        let backoff = constant(Duration::from_secs(1 << 40), Jitter::Full);
        (0..4).map(|_| backoff.delay(1)).collect::<Vec<_>>()
    };
    let drawn: Vec<_> = (0..4).map(|_| std::thread::spawn(draw)).collect();
    let mut drawn: Vec<_> = drawn.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    drawn.sort();
    drawn.dedup();
    assert_eq!(drawn.len(), 16);
}

#[test]
fn draws_at_the_cap_still_spread() {
    // The cap comes before the jitter: half of the draws are in each half.
    let backoff = Backoff::exponential(Duration::from_millis(100), SECOND);
    let draws: Vec<_> = (0..1000).map(|seed| backoff.seed(seed).delay(1000)).collect();
    assert!(draws.iter().all(|delay| *delay < SECOND));
    let lower = draws.iter().filter(|delay| **delay < SECOND / 2).count();
    assert!((440..=560).contains(&lower), "{lower}");
}

#[test]
fn waits_of_a_call_add_up_to_the_expected_sum() {
    // Uniform waits below 50, 100, 200 and 400 ms: 375 ms in the mean, with a
    // standard deviation of 133.1 ms. 20 000 calls: four standard errors are 3.8 ms.
    let backoff = Backoff::exponential(Duration::from_millis(50), Duration::from_secs(20));
    let total = |seed| (1..=4).map(|n| backoff.seed(seed).delay(n).as_secs_f64()).sum::<f64>();
    let sums: Vec<f64> = (0..20_000).map(total).collect();
    let mean = sums.iter().sum::<f64>() / 20_000.0;
    let deviation = (sums.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0).sqrt();
    assert!((mean - 0.375).abs() < 0.003_8, "{mean}");
    assert!((deviation - 0.133_1).abs() < 0.003, "{deviation}");
    assert!(sums.iter().all(|sum| *sum < 0.75));
}

/// How a thousand clients that failed together come back: the fullest class of
/// 10 ms, and the number of classes that are not empty.
fn herd(client: impl Fn(u64) -> Backoff) -> (u32, usize) {
    let mut classes: BTreeMap<u128, u32> = BTreeMap::new();
    for seed in 0..1000 {
        *classes.entry(client(seed).delay(1).as_millis() / 10).or_default() += 1;
    }
    (classes.values().copied().max().unwrap_or_default(), classes.len())
}

#[test]
fn a_herd_is_spread_by_jitter_and_not_by_a_seed_in_common() {
    let of = |jitter| move |seed| constant(SECOND, jitter).seed(seed);
    let (fullest, classes) = herd(of(Jitter::None));
    assert_eq!((fullest, classes), (1000, 1));
    let (fullest, classes) = herd(of(Jitter::Full));
    assert!(fullest <= 25 && classes == 100, "{fullest}, {classes}");
    let (fullest, classes) = herd(of(Jitter::Subtract(0.5)));
    assert!(fullest <= 40 && (50..=51).contains(&classes), "{fullest}, {classes}");
    let (fullest, classes) = herd(of(Jitter::Subtract(0.25)));
    assert!(fullest <= 65 && (25..=26).contains(&classes), "{fullest}, {classes}");
    let (fullest, classes) = herd(of(Jitter::Add(0.1)));
    assert!(fullest <= 130 && classes == 10, "{fullest}, {classes}");
    let (fullest, classes) = herd(|_| constant(SECOND, Jitter::Add(0.1)).seed(7));
    assert_eq!((fullest, classes), (1000, 1));
}

#[test]
fn the_servers_floor_is_kept_by_every_jitter() {
    let floor = SECOND * 3;
    for seed in 0..400 {
        // A floor below the interval changes nothing; one inside moves the interval, whose
        // width is the curve's, or the floor's where that is larger.
        for (curve, jitter, width) in [
            (SECOND, Jitter::None, Duration::ZERO),
            (SECOND / 10, Jitter::Full, floor / 8),
            (SECOND, Jitter::Full, SECOND),
            (SECOND * 10, Jitter::Full, SECOND * 10),
            (SECOND, Jitter::Subtract(0.5), floor / 2),
            (SECOND * 4, Jitter::Subtract(0.5), SECOND * 2),
            (SECOND * 4, Jitter::Subtract(1.0), SECOND * 4),
        ] {
            let backoff = constant(curve, jitter).seed(seed);
            let moved = constant(width, Jitter::Full).seed(seed).delay(1);
            assert_eq!(backoff.delay_at_least(1, floor), floor + moved, "{curve:?} {jitter:?}");
        }
        for jitter in [Jitter::None, Jitter::Subtract(0.5)] {
            let above = constant(SECOND * 10, jitter).seed(seed);
            assert_eq!(above.delay_at_least(1, floor), above.delay(1));
        }
        // Added jitter comes on top of the larger of the two.
        let add = constant(SECOND, Jitter::Add(0.5)).seed(seed);
        let three = constant(floor, Jitter::Add(0.5)).seed(seed);
        assert_eq!(add.delay_at_least(1, floor), three.delay(1));
        assert!(add.delay_at_least(1, floor) >= floor);
        assert_eq!(add.delay_at_least(1, SECOND / 2), add.delay(1));
    }
}

/// The least and the most of 400 seeds' waits with a floor, and how many differ.
fn spread(backoff: Backoff, floor: Duration) -> (Duration, Duration, usize) {
    let mut waits: Vec<_> =
        (0..400).map(|seed| backoff.seed(seed).delay_at_least(1, floor)).collect();
    waits.sort();
    let (least, most) = (waits[0], waits[399]);
    waits.dedup();
    (least, most, waits.len())
}

#[test]
fn a_floor_moves_the_interval_of_every_jitter_and_does_not_cut_it() {
    let floor = SECOND * 8;
    for (curve, jitter, from, width) in [
        (SECOND / 10, Jitter::Full, floor, SECOND),
        (SECOND * 5, Jitter::Full, floor, SECOND * 5),
        (SECOND * 20, Jitter::Full, floor, SECOND * 20),
        (SECOND, Jitter::Subtract(0.25), floor, SECOND * 2),
        (SECOND * 9, Jitter::Subtract(0.25), floor, SECOND * 9 / 4),
        (SECOND * 40, Jitter::Subtract(0.25), SECOND * 30, SECOND * 10),
        (SECOND, Jitter::Add(0.25), floor, SECOND * 2),
        (SECOND * 12, Jitter::Add(0.25), SECOND * 12, SECOND * 3),
    ] {
        let (least, most, different) = spread(constant(curve, jitter), floor);
        let text = format!("{curve:?} {jitter:?}: {least:?} to {most:?}, {different}");
        assert!(from <= least && least < from + width / 20, "{text}");
        assert!(from + width * 19 / 20 < most && most <= from + width, "{text}");
        assert_eq!(different, 400, "{text}");
    }
    assert_eq!(spread(constant(SECOND, Jitter::None), floor), (floor, floor, 1));
    let longer = SECOND * 9;
    assert_eq!(spread(constant(longer, Jitter::None), floor), (longer, longer, 1));
}

#[test]
fn clients_that_were_told_to_wait_come_back_over_a_second() {
    // 500 of them, told `Retry-After: 8`, under the schedule of every call by default, with
    // draws of their own: the chance that they lie within 0.9 s is 10^-21.
    let mut waits: Vec<Duration> = (0..500)
        .map(|_| {
            let policy = Policy::new(4);
            match policy.call_without_budget().decide(Outcome::RetryAfter(SECOND * 8)) {
                Decision::Again { delay } => delay,
                other => panic!("{other}"),
            }
        })
        .collect();
    waits.sort();
    assert!(waits[0] >= SECOND * 8, "{:?} is before the floor", waits[0]);
    assert!(waits[499] < SECOND * 9, "{:?}", waits[499]);
    assert!(waits[499] - waits[0] > SECOND * 9 / 10, "{:?} to {:?}", waits[0], waits[499]);
    let most_in_100_ms = (0..10)
        .map(|tenth| {
            let from = SECOND * 8 + SECOND * tenth / 10;
            waits.iter().filter(|wait| (from..from + SECOND / 10).contains(wait)).count()
        })
        .max();
    assert!(most_in_100_ms < Some(90), "{most_in_100_ms:?} of 500 in a tenth of a second");
}

#[test]
fn a_floor_above_the_cap_is_still_kept() {
    let backoff = Backoff::exponential(SECOND, SECOND * 2);
    let longest = SECOND * 60 + SECOND * 60 / 8;
    assert!((SECOND * 60..longest).contains(&backoff.delay_at_least(9, SECOND * 60)));
    assert_eq!(backoff.delay_at_least(u32::MAX, Duration::MAX), Duration::MAX);
    assert_eq!(Backoff::none().delay_at_least(1, SECOND), SECOND);
}

#[test]
fn a_name_makes_a_seed_of_its_own() {
    // The vectors of the authors of FNV-1a with 64 bits.
    assert_eq!(seed_from(""), 0xcbf2_9ce4_8422_2325);
    assert_eq!(seed_from("a"), 0xaf63_dc4c_8601_ec8c);
    assert_eq!(seed_from("foobar"), 0x8594_4171_f739_67e8);
    const SEED: u64 = seed_from("pipeline/build");
    let backoff = constant(SECOND, Jitter::Full);
    assert_eq!(backoff.seed(SEED).delay(3), backoff.seed(seed_from("pipeline/build")).delay(3));
    assert_ne!(backoff.seed(SEED).delay(3), backoff.seed(seed_from("pipeline/test")).delay(3));
}

#[test]
fn functions_are_schedules_with_a_floor() {
    let squares = |attempt: u32| SECOND * (attempt * attempt);
    assert_eq!(squares.delay(3), SECOND * 9);
    assert_eq!(squares.delay_at_least(3, SECOND * 10), SECOND * 10);
    assert_eq!(squares.delay_at_least(3, SECOND), SECOND * 9);
}
