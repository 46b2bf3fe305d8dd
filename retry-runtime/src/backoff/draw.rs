//! Random draws for jitter.
//!
//! Seeded draws are SplitMix64 (Steele, Lea and Flood, 2014; the constants are
//! those of Vigna's reference implementation), because its output is fixed for
//! good, unlike that of a random number crate, and because its n-th output needs
//! no state: it is a mix of `seed + n * GAMMA`.
//!
//! The others come from a small generator for each thread, seeded by the
//! operating system. rand's own generator of the thread would do, but it lives
//! in an `Rc`, and no path of a retry allocates.

use std::cell::RefCell;

use rand::rngs::SmallRng;
use rand::{Rng, make_rng};

const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The `n`-th output of SplitMix64 started at `seed`, `n` from 1.
fn split_mix_64(seed: u64, n: u32) -> u64 {
    let mut z = seed.wrapping_add(GAMMA.wrapping_mul(u64::from(n)));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A number in `[0, range)`, or 0 for an empty range: `(x * range) >> 64` of a
/// 64-bit draw x. The range is at most that of a `Duration` in nanoseconds, 94
/// bits, so the product is made in two halves.
pub(super) fn below(range: u128, seed: Option<u64>, attempt: u32) -> u128 {
    let x = u128::from(match seed {
        Some(seed) => split_mix_64(seed, attempt),
        None => of_this_thread(),
    });
    let (high, low) = (range >> 64, range & u128::from(u64::MAX));
    x * high + ((x * low) >> 64)
}

/// The next number of this thread's generator.
fn of_this_thread() -> u64 {
    thread_local! {
        static GENERATOR: RefCell<Option<SmallRng>> = const { RefCell::new(None) };
    }
    GENERATOR.with_borrow_mut(|generator| generator.get_or_insert_with(make_rng).next_u64())
}

/// A seed from a name, such as the path of a pipeline's step or a host and
/// process id: 64-bit FNV-1a of its bytes, the same on every machine.
///
/// ```
/// use retry_runtime::{Backoff, Schedule, seed_from};
///
/// let backoff = Backoff::DEFAULT.seed(seed_from("pipeline/build"));
/// assert_eq!(backoff.delay(1), backoff.delay(1));
/// ```
#[must_use]
pub const fn seed_from(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut index = 0;
    while index < bytes.len() {
        hash = (hash ^ bytes[index] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        index += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::{below, seed_from, split_mix_64};

    #[test]
    fn the_generator_gives_the_reference_outputs() {
        let outputs = |seed| (1..=5).map(|n| split_mix_64(seed, n)).collect::<Vec<_>>();
        assert_eq!(
            outputs(0),
            [
                0xe220_a839_7b1d_cdaf,
                0x6e78_9e6a_a1b9_65f4,
                0x06c4_5d18_8009_454f,
                0xf88b_b8a8_724c_81ec,
                0x1b39_896a_51a8_749b
            ]
        );
        assert_eq!(
            outputs(1_234_567),
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821
            ]
        );
    }

    #[test]
    fn a_draw_stays_below_its_range_however_wide() {
        let widest = u128::from(u64::MAX) * 1_000_000_000 + 999_999_999;
        for seed in 0..1000 {
            assert_eq!(below(0, Some(seed), 1), 0);
            assert_eq!(below(1, Some(seed), 1), 0);
            assert!(below(widest, Some(seed), 1) < widest);
        }
    }

    #[test]
    fn a_name_gives_the_published_hash() {
        // The test vectors of the FNV authors.
        assert_eq!(seed_from(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(seed_from("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(seed_from("foobar"), 0x8594_4171_f739_67e8);
    }
}
