//! Another executor's clock and sleep.

use core::future::Future;
use core::time::Duration;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use crate::time::Instant;

/// The clock and the sleep of an executor other than tokio's, for the key `timer`
/// of [`retry`](crate::retry) and for [`Call::timer`](crate::Call::timer).
///
/// Any executor will do, and without the feature `tokio` nothing of tokio is
/// built. For smol, whose timer is that of the crate `async-io`:
///
/// ```
/// use std::time::{Duration, Instant};
///
/// use retry_runtime::{Budget, Outcome, Timer, retry};
///
/// struct SmolTimer;
///
/// impl Timer for SmolTimer {
///     type Sleep = async_io::Timer;
///
///     fn now(&self) -> Instant {
///         Instant::now()
///     }
///
///     fn sleep(&self, delay: Duration) -> async_io::Timer {
///         async_io::Timer::after(delay)
///     }
/// }
///
/// static PAYMENTS: Budget = Budget::new(10, 0.1);
///
/// #[retry(
///     attempts = 4,
///     budget = PAYMENTS,
///     classify_err = |_| Outcome::RetryIn(1ms),
///     attempt = attempt,
///     timer = SmolTimer,
/// )]
/// async fn charge(cents: u32) -> Result<u32, std::io::Error> {
///     if attempt.is_first() { Err(std::io::ErrorKind::TimedOut.into()) } else { Ok(cents) }
/// }
///
/// assert_eq!(async_io::block_on(charge(500)).unwrap(), 500);
/// ```
///
/// A timer can be kept in a field or a static: `timer = self.timer` borrows it, each
/// time that the clock is read or a wait begins.
///
/// # Why the sleep is an associated type
///
/// It owns what it needs and does not borrow the timer, so a method with `&mut self` can use its
/// own timer; and generic code can say `where T: Timer, T::Sleep: Send` where its futures have to
/// be sent. For a known timer, the future of an annotated function is `Send` if `Sleep` is `Send`
/// and the timer is `Sync`. Box a future whose type has no name:
/// `type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>`. Timers with one `Sleep` can be kept as
/// an `Arc<dyn Timer<Sleep = ..> + Send + Sync>`, to choose at run time.
///
/// # In a browser
///
/// On `wasm32-unknown-unknown` the feature `wasm` brings a timer over `setTimeout`, which is the
/// default there, and [`Instant`](crate::Instant) is web-time's. Threads cannot wait there:
/// `blocking` functions and `again_blocking` panic. Targets without std, such as embassy's, are not
/// supported.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no `Timer`, the clock and the sleep of an executor",
    label = "no `Timer`",
    note = "without one, the waits are tokio's: the key `timer` is for other executors, and `attempt_timeout` bounds each attempt"
)]
pub trait Timer {
    /// Completes when the time is over. What it gives is not looked at.
    type Sleep: Future;

    /// The time now. It never goes backwards, and counts the same time that
    /// [`sleep`](Timer::sleep) waits for.
    fn now(&self) -> Instant;

    /// A future that completes when `delay` has passed from now. It is not asked
    /// for the wait before an attempt where that is zero, which only yields to the
    /// executor (an `attempt_timeout` of zero does ask); and it is dropped before its
    /// time where the waiting ends early.
    fn sleep(&self, delay: Duration) -> Self::Sleep;

    /// By how much a sleep may end late because the timer counts in coarse steps; zero by
    /// default, 1 ms for tokio's. A call with a time limit does not begin a wait that such
    /// a step could carry to the limit.
    fn resolution(&self) -> Duration {
        Duration::ZERO
    }
}

macro_rules! behind_a_pointer {
    ($($pointer:ty),*) => {$(
        impl<T: Timer + ?Sized> Timer for $pointer {
            type Sleep = T::Sleep;

            fn now(&self) -> Instant {
                (**self).now()
            }

            fn sleep(&self, delay: Duration) -> T::Sleep {
                (**self).sleep(delay)
            }

            fn resolution(&self) -> Duration {
                (**self).resolution()
            }
        }
    )*};
}

behind_a_pointer!(&T, Box<T>, Rc<T>, Arc<T>);

impl<T: Timer> Timer for LazyLock<T> {
    type Sleep = T::Sleep;

    fn now(&self) -> Instant {
        (**self).now()
    }

    fn sleep(&self, delay: Duration) -> T::Sleep {
        (**self).sleep(delay)
    }

    fn resolution(&self) -> Duration {
        (**self).resolution()
    }
}
