//! Exponential growth by any factor, in fixed point.
//!
//! Integers alone, so that a curve is the same on every machine: a power is a `u128` with
//! 64 fractional bits, made by squaring, and each product is rounded to the nearest.

/// How many thousandths make a factor of one.
pub(super) const ONE: u32 = 1000;

/// `initial * (thousandths / 1000)^exponent`, rounded to the nearest, at most `max`.
pub(super) fn grown(initial: u128, thousandths: u32, exponent: u32, max: u128) -> u128 {
    let grown = power(thousandths, exponent).and_then(|power| product(initial, power));
    grown.map_or(max, |grown| grown.min(max))
}

/// `None` where the power is too large for any duration.
fn power(thousandths: u32, mut exponent: u32) -> Option<u128> {
    let one = u128::from(ONE);
    let mut square = ((u128::from(thousandths) << 64) + one / 2) / one;
    let mut power = 1_u128 << 64;
    while exponent != 0 {
        if exponent & 1 == 1 {
            power = product(power, square)?;
        }
        exponent >>= 1;
        if exponent != 0 {
            square = product(square, square)?;
        }
    }
    Some(power)
}

/// `(a * b + 2^63) >> 64`, or `None` if that is more than a `u128` holds.
fn product(a: u128, b: u128) -> Option<u128> {
    const LOW: u128 = u64::MAX as u128;
    let (a_high, a_low, b_high, b_low) = (a >> 64, a & LOW, b >> 64, b & LOW);
    let high = a_high * b_high;
    if high >> 64 != 0 {
        return None;
    }
    let low = (a_low * b_low).checked_add(1 << 63).map_or((LOW, true), |low| (low >> 64, false));
    // The lower product and its rounding are below 2^128 + 2^63: what overflows is one bit.
    let carry = if low.1 { 1_u128 << 64 } else { low.0 };
    (high << 64).checked_add(a_high * b_low)?.checked_add(a_low * b_high)?.checked_add(carry)
}

#[cfg(test)]
mod tests {
    use super::{ONE, grown, product};

    const MAX: u128 = u128::MAX >> 30;

    #[test]
    fn a_factor_of_thousandths_grows_exactly_where_the_result_is_whole() {
        let curve = |thousandths| {
            (0..5).map(move |exponent| grown(100_000_000, thousandths, exponent, MAX))
        };
        let of = |thousandths| curve(thousandths).collect::<Vec<_>>();
        assert_eq!(of(1500), [100_000_000, 150_000_000, 225_000_000, 337_500_000, 506_250_000]);
        assert_eq!(of(1100), [100_000_000, 110_000_000, 121_000_000, 133_100_000, 146_410_000]);
        assert_eq!(of(3000), [100_000_000, 300_000_000, 900_000_000, 2_700_000_000, 8_100_000_000]);
        assert_eq!(of(ONE), [100_000_000; 5]);
    }

    #[test]
    fn growth_never_falls_and_ends_at_the_cap() {
        for thousandths in [1000, 1001, 1234, 1500, 2000, 9999, 1_000_000] {
            let cap = 3_600_000_000_000;
            let mut last = 0;
            for exponent in 0..2000 {
                let now = grown(1_000_000, thousandths, exponent, cap);
                assert!(now >= last && now <= cap, "{thousandths} {exponent}");
                last = now;
            }
            assert_eq!(
                grown(1, thousandths, u32::MAX, cap),
                if thousandths == 1000 { 1 } else { cap }
            );
        }
    }

    #[test]
    fn a_product_that_is_too_large_is_none() {
        assert_eq!(product(u128::MAX, 1 << 64), Some(u128::MAX));
        assert_eq!(product(u128::MAX, (1 << 64) + 1), None);
        assert_eq!(product(1 << 127, 1 << 127), None);
        assert_eq!(
            product(u128::from(u64::MAX), u128::from(u64::MAX)),
            Some(u128::from(u64::MAX) - 1)
        );
    }
}
