//! Replacements for the models under loom of the real atomic, under
//! `cfg(retry_loom)` alone: a counted atomic, and constructors that are not `const`,
//! because loom's atomics cannot be.

use std::sync::atomic::{AtomicBool, AtomicUsize};

use loom::sync::atomic::{AtomicU32 as LoomU32, Ordering};

use core::time::Duration;

use super::reserve::Reserve;
use super::{Budget, TOKEN, config};

/// Loom's atomic, with a count of the writes, so that a model can tell a read
/// from a write of the same value.
pub(super) struct AtomicU32 {
    value: LoomU32,
    writes: AtomicUsize,
}

impl AtomicU32 {
    pub(super) fn load(&self, ordering: Ordering) -> u32 {
        self.value.load(ordering)
    }

    pub(super) fn fetch_update(
        &self,
        set: Ordering,
        fetch: Ordering,
        update: impl FnMut(u32) -> Option<u32>,
    ) -> Result<u32, u32> {
        let updated = self.value.fetch_update(set, fetch, update);
        if updated.is_ok() {
            self.writes.fetch_add(1, Ordering::Relaxed);
        }
        updated
    }
}

#[doc(hidden)]
impl Budget {
    /// A full budget.
    #[must_use]
    pub fn new(max_tokens: u32, token_ratio: f64) -> Budget {
        Budget::holding(max_tokens * TOKEN, max_tokens, token_ratio)
    }

    /// A budget that holds so many thousandths of a token.
    #[must_use]
    pub fn holding(thousandths: u32, max_tokens: u32, token_ratio: f64) -> Budget {
        config::assert_valid(max_tokens, token_ratio);
        let tokens = AtomicU32 { value: LoomU32::new(thousandths), writes: AtomicUsize::new(0) };
        let (max, ratio) = (max_tokens * TOKEN, config::thousandths(token_ratio));
        let suspended = AtomicBool::new(false);
        Budget { tokens, max, ratio, name: None, suspended, reserve: None }
    }

    /// The same budget with a reserve.
    #[must_use]
    pub fn one_retry_every(mut self, every: Duration) -> Budget {
        config::assert_period_valid(every);
        self.reserve = Some(Reserve::new(every));
        self
    }

    /// How often the count has been written.
    pub fn writes(&self) -> usize {
        self.tokens.writes.load(Ordering::Relaxed)
    }
}
