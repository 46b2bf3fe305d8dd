//! The default timer: tokio's, which a test can pause, and in a browser its own. Without
//! either it tells the time and cannot wait.

use crate::time::Instant;
use crate::timer::Timer;

#[cfg(all(feature = "tokio", not(all(target_family = "wasm", target_os = "unknown"))))]
pub use self::TokioTimer as DefaultTimer;
#[cfg(all(feature = "wasm", target_family = "wasm", target_os = "unknown"))]
pub use crate::wasm::WasmTimer as DefaultTimer;

/// Tokio's timer, the default: for generic code with a [`Timer`].
///
/// Under tokio's paused clock it is paused too. Sleeping panics outside of a tokio
/// runtime with its timer enabled; reading the clock does not.
///
/// ```
/// use retry_runtime::{Budget, Outcome, Timer, TokioTimer, retry};
///
/// struct Client<T = TokioTimer> {
///     budget: Budget,
///     timer: T,
/// }
///
/// impl<T: Timer> Client<T> {
///     #[retry(
///         attempts = 3,
///         budget = self.budget,
///         classify_err = |_| Outcome::Retry,
///         timer = self.timer,
///     )]
///     async fn get(&self) -> Result<u32, std::io::Error> {
///         Ok(200)
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let client = Client { budget: Budget::new(10, 0.1), timer: TokioTimer };
/// assert_eq!(client.get().await.unwrap(), 200);
/// # });
/// ```
#[cfg(all(feature = "tokio", not(all(target_family = "wasm", target_os = "unknown"))))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TokioTimer;

#[cfg(all(feature = "tokio", not(all(target_family = "wasm", target_os = "unknown"))))]
impl Timer for TokioTimer {
    type Sleep = tokio::time::Sleep;

    /// Outside a tokio runtime tokio's clock is std's.
    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }

    fn sleep(&self, delay: core::time::Duration) -> tokio::time::Sleep {
        tokio::time::sleep(delay)
    }

    /// A millisecond.
    fn resolution(&self) -> core::time::Duration {
        core::time::Duration::from_millis(1)
    }
}

/// The default without a timer: it tells the time, and cannot wait.
#[cfg(not(any(
    all(feature = "tokio", not(all(target_family = "wasm", target_os = "unknown"))),
    all(feature = "wasm", target_family = "wasm", target_os = "unknown")
)))]
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct DefaultTimer;

#[cfg(not(any(
    all(feature = "tokio", not(all(target_family = "wasm", target_os = "unknown"))),
    all(feature = "wasm", target_family = "wasm", target_os = "unknown")
)))]
impl Timer for DefaultTimer {
    type Sleep = core::future::Pending<()>;

    fn now(&self) -> Instant {
        Instant::now()
    }

    // Nothing that calls it compiles: see `Waits`.
    fn sleep(&self, _delay: core::time::Duration) -> core::future::Pending<()> {
        core::future::pending()
    }
}

/// A timer which can wait: every one but the default without tokio. It is a trait apart from
/// [`Timer`], so a function without a timer has one error.
#[diagnostic::on_unimplemented(
    message = "there is no timer to wait with: enable the feature `tokio` of `retry-runtime` (in a browser `wasm`), or give a `Timer` of another executor (the key `timer = ..`, or `call.timer(&timer)`)",
    label = "no `timer`, and `retry-runtime` is built without a timer"
)]
#[doc(hidden)]
pub trait Waits: Timer {}

impl<T: Timer + ?Sized> Waits for &T {}

#[cfg(any(
    all(feature = "tokio", not(all(target_family = "wasm", target_os = "unknown"))),
    all(feature = "wasm", target_family = "wasm", target_os = "unknown")
))]
impl Waits for DefaultTimer {}

/// An instant of the clock that shows `now`, by another that shows `other_now`: as far ahead
/// or past.
pub(crate) fn moved(instant: Instant, now: Instant, other_now: Instant) -> Instant {
    match instant.checked_duration_since(now) {
        Some(ahead) => other_now.checked_add(ahead).unwrap_or(instant),
        None => other_now.checked_sub(now.duration_since(instant)).unwrap_or(other_now),
    }
}
