//! The clock: that of a timer, or the default, which is tokio's (a test can pause
//! it), or std's without tokio.

use core::future::Future;
use core::time::Duration;
use std::time::Instant;

use crate::Timer;
#[cfg(feature = "tokio")]
pub use crate::TokioTimer as DefaultTimer;

/// The time now. Outside a tokio runtime tokio's clock is std's.
#[cfg(feature = "tokio")]
pub(crate) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// The time now.
#[cfg(not(feature = "tokio"))]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// What tells the time: the default timer, or a reference to the user's. It is
/// passed by value: where it is the default it takes no space.
pub trait Clock: Copy {
    /// What `sleep` gives.
    type Sleep: Future;
    /// The time now.
    fn now(self) -> Instant;
    /// Completes after `delay`.
    fn sleep(self, delay: Duration) -> Self::Sleep;
}

/// A clock that can be waited with: every one but the default without tokio. Apart
/// from [`Clock`], so that a function without a timer has one error.
#[diagnostic::on_unimplemented(
    message = "`#[retry]` has no timer to wait with: enable the feature `tokio` of `retry-runtime`, or write `timer = ..` with a `Timer` of another executor",
    label = "no `timer`, and `retry-runtime` is built without tokio"
)]
pub trait Waits: Clock {}

impl<T: Timer + ?Sized> Clock for &T {
    type Sleep = T::Sleep;

    fn now(self) -> Instant {
        T::now(self)
    }

    fn sleep(self, delay: Duration) -> T::Sleep {
        T::sleep(self, delay)
    }
}

#[cfg(feature = "tokio")]
impl Clock for DefaultTimer {
    type Sleep = tokio::time::Sleep;

    fn now(self) -> Instant {
        now()
    }

    fn sleep(self, delay: Duration) -> tokio::time::Sleep {
        tokio::time::sleep(delay)
    }
}

#[cfg(feature = "tokio")]
impl Waits for DefaultTimer {}

/// The default without tokio: it tells the time, and cannot wait.
#[cfg(not(feature = "tokio"))]
#[derive(Clone, Copy, Debug)]
pub struct DefaultTimer;

#[cfg(not(feature = "tokio"))]
impl Clock for DefaultTimer {
    type Sleep = core::future::Pending<()>;

    fn now(self) -> Instant {
        now()
    }

    // Nothing that calls it compiles: see `Waits`.
    fn sleep(self, _delay: Duration) -> core::future::Pending<()> {
        core::future::pending()
    }
}
