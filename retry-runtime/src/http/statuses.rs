//! A set of statuses.

use core::fmt;

use ::http::StatusCode;

/// A set of HTTP statuses, 100 to 999. `Copy`, and made in a `const`.
///
/// ```
/// use http::StatusCode;
/// use retry_runtime::http::StatusSet;
///
/// const BUSY: StatusSet = StatusSet::EMPTY.with(429).with_range(502, 504);
/// assert!(BUSY.contains(StatusCode::BAD_GATEWAY));
/// assert!(!BUSY.contains(StatusCode::INTERNAL_SERVER_ERROR));
/// assert_eq!(format!("{BUSY:?}"), "{429, 502..=504}");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct StatusSet {
    /// Bit n stands for the status 100 + n.
    bits: [u64; WORDS],
}

const FIRST: u16 = 100;
const LAST: u16 = 999;
const WORDS: usize = ((LAST - FIRST) as usize + 64) / 64;

impl StatusSet {
    /// No status.
    pub const EMPTY: StatusSet = StatusSet { bits: [0; WORDS] };

    /// The set with one more status.
    ///
    /// # Panics
    ///
    /// If `status` is not in 100 to 999: a compile-time error in a `const`.
    #[must_use]
    #[track_caller]
    pub const fn with(self, status: u16) -> StatusSet {
        self.with_range(status, status)
    }

    /// The set with all statuses from `first` to `last`, both included.
    ///
    /// # Panics
    ///
    /// If one is not in 100 to 999, or `first` is larger than `last`.
    #[must_use]
    #[track_caller]
    pub const fn with_range(mut self, first: u16, last: u16) -> StatusSet {
        assert!(is_status(first) && is_status(last), "a status must be 100 to 999");
        assert!(first <= last, "the first status of a range must not be larger than the last");
        let mut status = first;
        while status <= last {
            let bit = (status - FIRST) as usize;
            self.bits[bit / 64] |= 1 << (bit % 64);
            status += 1;
        }
        self
    }

    /// The set without one status.
    ///
    /// # Panics
    ///
    /// If `status` is not in 100 to 999.
    #[must_use]
    #[track_caller]
    pub const fn without(mut self, status: u16) -> StatusSet {
        assert!(is_status(status), "a status must be 100 to 999");
        let bit = (status - FIRST) as usize;
        self.bits[bit / 64] &= !(1 << (bit % 64));
        self
    }

    /// Whether `status` is in the set.
    #[must_use]
    pub fn contains(&self, status: StatusCode) -> bool {
        self.has(status.as_u16())
    }

    /// The statuses in the set, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u16> {
        (FIRST..=LAST).filter(|status| self.has(*status))
    }

    fn has(&self, status: u16) -> bool {
        let bit = usize::from(status.wrapping_sub(FIRST));
        self.bits.get(bit / 64).is_some_and(|word| word & (1 << (bit % 64)) != 0)
    }
}

/// Whether a number can be a status.
pub(super) const fn is_status(status: u16) -> bool {
    status >= FIRST && status <= LAST
}

impl fmt::Debug for StatusSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut set = f.debug_set();
        let mut statuses = self.iter().peekable();
        while let Some(first) = statuses.next() {
            let mut last = first;
            while let Some(next) = statuses.next_if_eq(&(last + 1)) {
                last = next;
            }
            match last - first {
                0 => set.entry(&first),
                _ => set.entry(&(first..=last)),
            };
        }
        set.finish()
    }
}
